#include "apps/sdpa/generate/families.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "apps/sdpa/generate/complementary.h"
#include "apps/sdpa/generate/control.h"
#include "apps/sdpa/generate/infeasible.h"
#include "apps/sdpa/generate/material.h"
#include "apps/sdpa/generate/qap.h"
#include "apps/sdpa/generate/truss.h"

namespace sdpa {
namespace {

// In all blocks of a truss; and constraints of a random problem, and the elements that these have
// together. What is made takes less than a minute, and 2 GB.
constexpr int kMostMatrices = 2'000'000, kMostConstraints = 1'000'000;
constexpr double kMostElements = 1e7;

// Of all constraints, at most.
double ElementsOf(const ComplementaryOptions& options) {
  int rows = 0;
  for (const Block& block : options.blocks) rows = std::max(rows, block.size);
  const double touched = options.touched > 0 ? options.touched
                                             : static_cast<double>(options.blocks.size()),
               length = std::min(rows, options.elements);
  return options.constraints * touched *
         (options.kind == Kind::kRankOne ? length * (length + 1) / 2 : options.elements);
}

absl::StatusOr<Generated> ComplementaryFamily(Arguments& arguments, const std::string& blocks,
                                              int constraints, int touched) {
  ComplementaryOptions options;
  options.blocks = arguments.Blocks("blocks", blocks);
  options.empty = arguments.Whole("empty", 0, 0, options.blocks[0].size - 1);
  const int most = std::min(MostConstraints(options), kMostConstraints);
  options.constraints = arguments.Whole("m", std::min(constraints, most), 1, most);
  options.kind = arguments.Choice("kind", kKinds);
  options.elements = arguments.Whole("elements", 6, 1, 1000);
  const int count = static_cast<int>(options.blocks.size());
  options.touched = arguments.Whole("touched", std::min(touched, count), 0, count);
  options.seed = arguments.Seed();
  if (ElementsOf(options) > kMostElements) {
    arguments.Refuse("m", "constraints of at most 10^7 elements together");
  }
  if (const absl::Status status = arguments.status(); !status.ok()) return status;
  return Complementary(options);
}

}  // namespace

absl::StatusOr<Generated> ControlFamily(Arguments& arguments) {
  const int n = arguments.Whole("n", 40, 1, 200);
  const std::uint64_t seed = arguments.Seed();
  if (const absl::Status status = arguments.status(); !status.ok()) return status;
  return Generated{.name = {}, .problem = Control(n, seed)};
}

absl::StatusOr<Generated> TrussFamily(Arguments& arguments) {
  TrussOptions options;
  options.rows = arguments.Whole("rows", options.rows, 2, 100);
  options.columns = arguments.Whole("columns", options.columns, 2, 100);
  options.reach = arguments.Whole("reach", options.reach, 1, 10);
  // Of each bar, a matrix of ten elements in each load's block.
  const int most = std::max(1, kMostMatrices / BarsOf(options));
  options.loads = arguments.Whole("loads", std::min(options.loads, most), 1, most);
  options.seed = arguments.Seed();
  if (const absl::Status status = arguments.status(); !status.ok()) return status;
  return Generated{.name = {}, .problem = Truss(options)};
}

absl::StatusOr<Generated> MaterialFamily(Arguments& arguments) {
  const int blocks = arguments.Whole("blocks", 4900, 1, 500'000);
  const std::uint64_t seed = arguments.Seed();
  if (const absl::Status status = arguments.status(); !status.ok()) return status;
  // As near to a square as the number allows.
  int rows = 1;
  for (int i = 1; i * i <= blocks; ++i) rows = blocks % i == 0 ? i : rows;
  return Generated{.name = {}, .problem = Material(rows, blocks / rows, seed)};
}

absl::StatusOr<Generated> QapFamily(Arguments& arguments) {
  const int n = arguments.Whole("n", 7, 2, 40);
  const std::uint64_t seed = arguments.Seed();
  if (const absl::Status status = arguments.status(); !status.ok()) return status;
  return Generated{.name = {}, .problem = QuadraticAssignment(n, seed)};
}

absl::StatusOr<Generated> RandomFamily(Arguments& arguments) {
  return ComplementaryFamily(arguments, "20+d10", 50, 0);
}

absl::StatusOr<Generated> BlocksFamily(Arguments& arguments) {
  return ComplementaryFamily(arguments, "3x700+5x700+8x700", 500, 8);
}

absl::StatusOr<Generated> InfeasibleFamily(Arguments& arguments) {
  const std::string side = arguments.Word({"primal", "dual", "weak"});
  InfeasibleOptions options;
  if (side != "weak") {
    options.rows = arguments.Whole("n", options.rows, 1, 200);
    // Fewer than the elements that a symmetric matrix has.
    const int most = std::min(options.rows * (options.rows + 1) / 2 + 2, 1000);
    options.constraints = arguments.Whole("m", std::min(options.constraints, most), 1, most);
    options.seed = arguments.Seed();
  }
  if (const absl::Status status = arguments.status(); !status.ok()) return status;
  return side == "primal" ? PrimalInfeasible(options)
         : side == "dual" ? DualInfeasible(options)
                          : WeaklyInfeasible();
}

}  // namespace sdpa
