// STREAM's arrays, laid where a placement says, and each thread's part of them.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/program/words.h"
#include "apps/stream/arrays/where.h"
#include "apps/stream/kernels/kernel.h"
#include "apps/stream/team/team.h"
#include "topo/topo.h"

namespace stream {

using Pages = topo::MemoryOptions::Pages;
inline constexpr program::Words<Pages> kPages = {{Pages::kHuge, "huge"}, {Pages::kSmall, "small"}};
constexpr std::string_view ToString(Pages pages) { return kPages.Print(pages); }

struct ArraysOptions {
  Where where = Where::kLocal;
  Pages pages = Pages::kHuge;
  enum class Sink { kNone, kAlso };
  Sink sink = Sink::kNone;  // kAlso: a fourth array, for the limit
};

// A resource. `elements` doubles in each of a, b, c (and sink), in parts that
// differ by at most one element a thread.
class Arrays {
 public:
  // Errors as topo::Memory::Allocate. Pages are not yet real: Fill makes them.
  static absl::StatusOr<Arrays> Allocate(const topo::Topology& topology,
                                         const topo::Mapping& mapping, std::int64_t elements,
                                         const ArraysOptions& options);

  // In thread order.
  const std::vector<Part>& parts() const { return parts_; }

  // Gives a, b, c and sink STREAM's first values (validate.h). The first call
  // also places the pages, by the thread that writes each.
  void Fill(Team& team) const;

  // Adds all arrays to the report, named `prefix` and a, b, c, sink.
  void AddTo(topo::Verifier& verifier, std::string_view prefix) const;

 private:
  Where where_ = Where::kLocal;
  std::vector<Part> parts_;
  std::vector<topo::Array<double>> whole_;       // a, b, c, sink; empty if local
  std::vector<topo::NodeArrays<double>> local_;  // a, b, c, sink; empty if not local
};

}  // namespace stream
