// The threads of a mapping, kept for the whole measurement.
//
// Threads: start, run and destroy a team on one thread. Under OpenMP and TBB that
// thread runs a slot too, and is pinned while it does.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "apps/program/words.h"
#include "topo/topo.h"

namespace stream {

// Which runtime brings the threads.
enum class Runtime { kOpenMp, kTbb, kStd };
inline constexpr program::Words<Runtime> kRuntimes = {
    {Runtime::kOpenMp, "openmp"}, {Runtime::kTbb, "tbb"}, {Runtime::kStd, "std"}};
constexpr std::string_view ToString(Runtime runtime) { return kRuntimes.Print(runtime); }

// A resource.
class Team {
 public:
  virtual ~Team() = default;

  // Calls body(slot) for each slot of the mapping, all at once, and waits.
  // OpenMP and std: on the thread that is pinned to the slot. With TBB any of its
  // threads takes a slot: its own while that is free, else another.
  virtual void Run(const std::function<void(const topo::Slot&)>& body) = 0;
};

// Errors: as topo::ScopedAffinity::Pin, and ResourceExhausted where the runtime
// gives fewer threads than the mapping has.
absl::StatusOr<std::unique_ptr<Team>> StartTeam(Runtime runtime, const topo::Topology& topology,
                                                const topo::Mapping& mapping);

// For one runtime each; StartTeam calls them.
absl::StatusOr<std::unique_ptr<Team>> StartOpenMpTeam(const topo::Topology& topology,
                                                      const topo::Mapping& mapping);
absl::StatusOr<std::unique_ptr<Team>> StartTbbTeam(const topo::Topology& topology,
                                                   const topo::Mapping& mapping);
absl::StatusOr<std::unique_ptr<Team>> StartStdTeam(const topo::Topology& topology,
                                                   const topo::Mapping& mapping);

}  // namespace stream
