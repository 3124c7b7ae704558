#include "apps/stencil/ranks/algorithm.h"

#include <omp.h>

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "apps/stencil/ranks/clocked.h"
#include "apps/stencil/ranks/lightweight.h"
#include "apps/stencil/sweep/time_block.h"

namespace stencil {
namespace {

// By planes, of which each rank has as many as another.
absl::StatusOr<Planes> AllocatePlanes(dsm::Space& space, const Problem& problem,
                                      std::uint64_t planes) {
  const auto ranks = static_cast<std::uint64_t>(space.ranks());
  const auto memory =
      space.Allocate({{planes, problem.ny, problem.nx}, sizeof(double)},
                     dsm::BlockMapping{.divisions = {ranks, 1, 1}, .count = space.ranks()});
  if (!memory.ok()) return memory.status();
  return Planes{reinterpret_cast<double*>(memory->data())};
}

// Where time is blocked the threads' own planes are theirs before the work, as the grids are.
void TouchOwnPlanes(const Problem& problem, Slab slab) {
#pragma omp parallel
  {
    const Slab part = PartOf(slab, omp_get_thread_num(), omp_get_num_threads());
    const Slab wide = Widened(part, static_cast<std::uint64_t>(problem.block), problem.nz);
    Planes between[2];
    TakePlanes(problem, wide, between);
    for (const Planes planes : between) {
      std::memset(planes.plane(problem, wide.first), 0,
                  wide.size() * problem.plane() * sizeof(double));
    }
  }
}

}  // namespace

absl::StatusOr<std::vector<Algorithm>> ParseAlgorithms(const std::string& text) {
  const std::vector<Algorithm> all = {{"A1", Blocking::kNone, Pages::kByFault},
                                      {"A1p", Blocking::kNone, Pages::kByPreload},
                                      {"A1o", Blocking::kNone, Pages::kOverlapped},
                                      {"A1l", Blocking::kNone, Pages::kSwitched},
                                      {"A2", Blocking::kRedundant, Pages::kByFault},
                                      {"A2p", Blocking::kRedundant, Pages::kByPreload},
                                      {"A3", Blocking::kTwoPhases, Pages::kByFault},
                                      {"A3p", Blocking::kTwoPhases, Pages::kByPreload}};
  if (text == "all") return all;
  std::vector<Algorithm> algorithms;
  for (const std::string& word : std::vector<std::string>(absl::StrSplit(text, ','))) {
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Algorithm& each) { return each.name == word; });
    if (found == all.end()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--algorithm: \"", word, "\" is none of A1, A1p, A1o, A1l, A2, A2p, A3, A3p, all"));
    }
    algorithms.push_back(*found);
  }
  return algorithms;
}

absl::StatusOr<Shared> Allocate(dsm::Space& space, const Problem& problem,
                                const std::vector<Algorithm>& algorithms) {
  Shared shared;
  for (Planes& grid : shared.grids) {
    const auto made = AllocatePlanes(space, problem, problem.nz);
    if (!made.ok()) return made.status();
    grid = *made;
  }
  const bool has_seams = std::any_of(algorithms.begin(), algorithms.end(), [](const auto& each) {
    return each.blocking == Blocking::kTwoPhases;
  });
  if (!has_seams) return shared;
  const auto rank = static_cast<std::uint64_t>(space.rank());
  const auto ranks = static_cast<std::uint64_t>(space.ranks());
  const std::uint64_t each = SeamPlanes(problem, space.ranks());
  if (each == 0) {
    return absl::InvalidArgumentError(absl::StrCat("A3 needs two planes of each rank, but ",
                                                   problem.nz, " planes are ", "shared by ",
                                                   space.ranks(), " ranks"));
  }
  const auto made = AllocatePlanes(space, problem, ranks * each);
  if (!made.ok()) return made.status();
  shared.seams = *made;
  Fill(problem, shared.seams, {rank * each, (rank + 1) * each});  // Touched, no more.
  return shared;
}

absl::StatusOr<Measured> Run(dsm::Space& space, const Problem& problem, const Algorithm& algorithm,
                             Shared& shared) {
  SpaceRank rank(space, problem, algorithm.pages);
  if (algorithm.blocking != Blocking::kNone) TouchOwnPlanes(problem, rank.slab());
  // All begin at once.
  if (absl::Status met = space.Barrier(dsm::Consistency::kKeep); !met.ok()) return met;
  const dsm::CopyCounts before = space.counts().copies;
  absl::Status status;
  {
    const Clocked all(rank.measured().seconds);
    status = algorithm.pages == Pages::kSwitched
                 ? RunLightweight(rank, shared.grids)
                 : RunBlocking(algorithm.blocking, rank, shared.grids, shared.seams);
  }
  if (!status.ok()) return status;
  const dsm::CopyCounts after = space.counts().copies;
  rank.measured().faults = after.faults - before.faults;
  rank.measured().pages_fetched = after.pages_fetched - before.pages_fetched;
  return rank.measured();
}

}  // namespace stencil
