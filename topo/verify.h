// Asked versus actual: where threads run and pages lie, as a report.
//
// Binding goes wrong quietly: a cpuset shrinks a mask, a container forbids
// mbind, a page was touched by the wrong thread first. A program that cares
// makes a Verifier, lets each thread report itself, names its memory, and reads
// (or asserts) the report.
//
//   topo::Verifier verifier(topology, mapping);
//   topo::RunThreads(topology, mapping, [&](const topo::Slot& slot) {
//     verifier.ObserveThisThread(slot);
//   });
//   verifier.AddMemory("a", a.memory());
//   const topo::VerifyReport report = verifier.Finish();
//   if (!report.ok()) std::cerr << report.ToString();
#pragma once

#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "topo/affinity.h"
#include "topo/mapping.h"
#include "topo/memory.h"
#include "topo/placement.h"
#include "topo/pu_set.h"
#include "topo/topology.h"

namespace topo {

// A value. One thread of the mapping.
struct ThreadFinding {
  int thread = 0;
  PuId asked = kAnyPu;   // kAnyPu: policy none asked for nothing
  PuSet mask;            // where the kernel lets it run
  PuId actual = kAnyPu;  // where it was when it reported itself
  std::string problem;   // empty: as asked
};

// A value. One block of memory.
struct MemoryFinding {
  std::string name;
  std::string asked;     // Placement::ToString
  PlacementTally tally;  // pages by node
  std::string problem;   // empty: no resident page is elsewhere
};

// A value.
struct VerifyReport {
  std::vector<ThreadFinding> threads;
  std::vector<MemoryFinding> memory;
  // What could not be checked on this system, and why. Not a failure.
  std::vector<std::string> notes;

  // No thread and no page is where it was not asked to be.
  bool ok() const;
  // A line for each problem and note, or one line that says all is well.
  std::string ToString() const;
};

// What is wrong with a thread that may run on `mask` and was seen on `actual`
// when `wanted` was asked for; empty if nothing. Pure.
std::string JudgeThread(const PuSet& wanted, const PuSet& mask, PuId actual);

// A resource. Collects observations.
//
// Threads: any thread may call any member at any time, except that Finish comes
// last.
class Verifier {
 public:
  Verifier(Topology topology, Mapping mapping, Level level = Level::kPu);

  // Called by each thread of the mapping, while it is pinned.
  void ObserveThisThread(const Slot& slot);

  // Reads where the pages of `memory` are now. Call it after they were touched.
  void AddMemory(std::string_view name, const Memory& memory);

  // AddMemory for memory from elsewhere, against a placement of the caller's.
  void AddMemory(std::string_view name, std::span<const std::byte> bytes,
                 const Placement& placement);

  // Threads of the mapping that never reported themselves are problems.
  VerifyReport Finish() const;

 private:
  const Topology topology_;
  const Mapping mapping_;
  const Level level_;
  mutable std::mutex mutex_;
  VerifyReport report_;  // guarded by mutex_
};

}  // namespace topo
