// One measurement: one policy, one thread count, all variants side by side.
//
// Within each repetition every kernel runs in its plain and in its tuned form
// one right after the other, and the limit follows Triad, so that other work of
// the machine at that moment slows all of them. Ratios are taken within a
// repetition and their median is reported.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/program/spread.h"
#include "apps/program/words.h"
#include "apps/stream/arrays/arrays.h"
#include "apps/stream/kernels/kernel.h"
#include "apps/stream/team/team.h"
#include "topo/topo.h"

namespace stream {

// Which code the tuned rows use.
enum class Choice {
  kAuto,    // the fastest of all, plain included
  kPlain,   // the plain loops, on the arrays of the tuned rows
  kStream,  // the fastest with non-temporal stores
};
inline constexpr program::Words<Choice> kChoices = {
    {Choice::kAuto, "auto"}, {Choice::kPlain, "plain"}, {Choice::kStream, "stream"}};
constexpr std::string_view ToString(Choice choice) { return kChoices.Print(choice); }

struct Options {
  Runtime runtime = Runtime::kOpenMp;
  Where where = Where::kLocal;
  Pages pages = Pages::kHuge;
  Choice choice = Choice::kAuto;
  std::int64_t elements = 0;
  int repetitions = 10;  // the first warms up and is not counted, as in stream.c
  enum class VerifyPlacement { kNo, kYes };
  VerifyPlacement verify_placement = VerifyPlacement::kNo;
};

// The form of the kernel that a row measures.
enum class Variant {
  kTuned,  // asked-for placement and pages, chosen code
  kPlain,  // stream.c: one array, first touch by the same threads, small pages
  kLimit,  // limit.h, on the tuned rows' arrays
};
inline constexpr program::Words<Variant> kVariants = {
    {Variant::kTuned, "tuned"}, {Variant::kPlain, "plain"}, {Variant::kLimit, "limit"}};
constexpr std::string_view ToString(Variant variant) { return kVariants.Print(variant); }

// A value. One kernel in one variant.
struct Row {
  Kernel kernel = Kernel::kTriad;
  Variant variant = Variant::kTuned;
  topo::Policy policy = topo::Policy::kNone;
  int threads = 0;
  Where where = Where::kLocal;
  Pages pages = Pages::kHuge;
  Runtime runtime = Runtime::kOpenMp;
  Store store = Store::kOrdinary;
  std::string code;
  std::int64_t elements = 0;
  std::vector<double> seconds;  // one a counted repetition
  // Of the repetitions; above 1 = faster. Zero: no such row. The limit is for kernels that move as
  // many bytes as it.
  program::Spread ratio_to_plain, ratio_to_limit;
  bool is_disturbed = false;  // by the rules of program/spread.h

  double seconds_min() const;
  double seconds_median() const;
  double gb_per_s() const;                  // by STREAM's rule, of the best time
  double gb_per_s_moved() const;            // with write-allocate
  program::Spread gb_per_s_spread() const;  // of all repetitions
};

// A value.
struct Measurement {
  std::vector<Row> rows;           // in the order tuned, plain, limit
  std::vector<std::string> notes;  // what --verify-placement found
};

// Measures and validates all arrays. `progress` gets a line now and then.
// Errors: as Arrays::Allocate and StartTeam; InvalidArgument for kStream on a
// processor that has no such stores; DataLoss for a wrong answer.
absl::StatusOr<Measurement> Measure(const topo::Topology& topology, const topo::Mapping& mapping,
                                    const Options& options,
                                    const std::function<void(const std::string&)>& progress);

// Marks the rows of one measurement that are disturbed: their repetitions are far apart, or a ratio
// is not that of the rows' own figures.
void MarkDisturbed(std::vector<Row>& rows);

}  // namespace stream
