#include "apps/stencil/simulated.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "absl/strings/str_cat.h"

namespace stencil {
namespace {

using dsm::PageRange;

enum Side { kBelow, kAbove };  // of a slab
constexpr Side kSides[] = {kBelow, kAbove};

// Nodes at work, as a Rank is. Each sees pages of its neighbors by numbers of its own: those
// below from the middle downwards, those above from the middle upwards.
class Nodes {
 public:
  Nodes(const Problem& of_each, Pages pages, int nodes, std::uint64_t pages_a_side,
        std::uint64_t page_bytes, const NodeModel& model)
      : whole_(of_each),
        pages_(pages),
        nodes_(nodes),
        middle_(pages_a_side),
        page_bytes_(page_bytes),
        model_(model),
        cluster_({.nodes = nodes, .pages = 2 * pages_a_side, .page_bytes = page_bytes},
                 model.machine, [pages_a_side](int node, dsm::PageNumber page) {
                   return page.value() < pages_a_side ? node - 1 : node + 1;
                 }) {
    whole_.nz *= static_cast<std::uint64_t>(nodes);
  }

  const Problem& problem() const { return whole_; }
  Slab SlabOfNode(int node) const { return SlabOf(whole_, node, nodes_); }
  bool HasNeighbor(int node, Side side) const {
    return side == kBelow ? node > 0 : node + 1 < nodes_;
  }
  double updates_per_s() const { return model_.updates_per_s; }
  double blocked_updates_per_s() const { return model_.updates_per_s * model_.blocked_gain; }

  // So many pages of both neighbors; where they come by faults, by the threads beside them.
  void ReadBothSides(std::uint64_t pages) {
    expected_pages_ += 2 * pages * Seams();
    if (pages_ == Pages::kByPreload) {
      for (const Side side : kSides) PreloadSide(side, 0, pages);
      return;
    }
    const int threads = model_.machine.threads;
    cluster_.Touch([&](int node, int thread) {
      const PageRange below = PagesAt(node, kBelow, 0, pages);
      const PageRange above = PagesAt(node, kAbove, 0, pages);
      if (threads == 1) return PageRange{below.first, above.last};
      return thread == 0 ? below : thread + 1 == threads ? above : PageRange();
    });
  }
  // Of one neighbor, those behind `skipped` nearer ones; by all threads.
  void ReadSide(Side side, std::uint64_t skipped, std::uint64_t pages) {
    expected_pages_ += pages * Seams();
    if (pages_ == Pages::kByPreload) return PreloadSide(side, skipped, pages);
    const auto threads = static_cast<std::uint64_t>(model_.machine.threads);
    cluster_.Touch([&](int node, int thread) {
      const PageRange all = PagesAt(node, side, skipped, pages);
      const std::uint64_t t = static_cast<std::uint64_t>(thread), count = all.count().value();
      return PageRange{all.first + dsm::PageCount(count * t / threads),
                       all.first + dsm::PageCount(count * (t + 1) / threads)};
    });
  }

  // updates(node, step): points at the first of `steps` steps, the second, and so on.
  template <typename Updates>
  void Compute(int done, int steps, double updates_per_s, Updates updates) {
    cluster_.Compute([&](int node) {
      double seconds = 0;
      for (int step = 1; step <= steps; ++step) {
        seconds += updates(node, step) / updates_per_s * Slowness(model_, node, done + step);
      }
      return seconds;
    });
  }

  void Meet() {
    ++exchanges_;
    cluster_.BarrierThatDrops();
  }
  void PassPlanes() {
    ++exchanges_;
    cluster_.Exchange(whole_.plane() * sizeof(double));
  }
  // After messages, too.
  void WaitForAll() { cluster_.BarrierThatDrops(); }

  std::uint64_t expected_pages() const { return expected_pages_; }
  SimulatedRow Row(std::string algorithm) const {
    SimulatedRow row = {.algorithm = std::move(algorithm),
                        .points = whole_.points,
                        .nodes = nodes_,
                        .threads = model_.machine.threads,
                        .page_bytes = middle_ > 0 ? page_bytes_ : 0,
                        .updates = static_cast<double>(whole_.size()) * whole_.steps,
                        .exchanges = exchanges_};
    for (int node = 0; node < nodes_; ++node) {
      const dsm::sim::Times& times = cluster_.times(node);
      row.virtual_seconds = std::max(row.virtual_seconds, times.total());
      row.compute_seconds += times.compute / nodes_;
      row.preload_seconds += times.preload / nodes_;
      row.fault_seconds += times.fault / nodes_;
      row.barrier_seconds += times.barrier / nodes_;
      row.faults += cluster_.counts(node).faults;
      row.pages_fetched += cluster_.counts(node).pages_fetched;
    }
    return row;
  }

 private:
  std::uint64_t Seams() const { return static_cast<std::uint64_t>(nodes_) - 1; }
  PageRange PagesAt(int node, Side side, std::uint64_t skipped, std::uint64_t pages) const {
    if (!HasNeighbor(node, side)) return PageRange::Of(middle_, middle_);
    if (side == kBelow) return PageRange::Of(middle_ - skipped - pages, middle_ - skipped);
    return PageRange::Of(middle_ + skipped, middle_ + skipped + pages);
  }
  void PreloadSide(Side side, std::uint64_t skipped, std::uint64_t pages) {
    cluster_.Preload([&](int node) { return PagesAt(node, side, skipped, pages); });
  }

  Problem whole_;
  const Pages pages_;
  const int nodes_;
  const std::uint64_t middle_, page_bytes_;
  const NodeModel model_;
  dsm::sim::Cluster cluster_;
  std::uint64_t exchanges_ = 0, expected_pages_ = 0;
};

std::uint64_t PagesOf(const Problem& problem, Slab rows, std::uint64_t page_bytes) {
  const std::uint64_t row_bytes = problem.nx * sizeof(double);
  return (rows.last * row_bytes + page_bytes - 1) / page_bytes -
         rows.first * row_bytes / page_bytes;
}

std::uint64_t PagesOfPlane(const Problem& problem, std::uint64_t page_bytes) {
  return PagesOf(problem, {0, problem.ny}, page_bytes);
}

// simple.cc
void RunSimple(Nodes& nodes, std::uint64_t pages_of_plane) {
  const Problem& problem = nodes.problem();
  for (int step = 0; step < problem.steps; ++step) {
    nodes.ReadBothSides(pages_of_plane);
    nodes.Compute(step, 1, nodes.updates_per_s(), [&](int node, int) {
      return static_cast<double>(nodes.SlabOfNode(node).size() * problem.plane());
    });
    nodes.Meet();
  }
}

// redundant.cc; the redundancy between its threads is in a node's blocked_updates_per_s().
void RunRedundant(Nodes& nodes, std::uint64_t pages_of_plane) {
  const Problem& problem = nodes.problem();
  for (int done = 0; done < problem.steps;) {
    const int steps = std::min(problem.block, problem.steps - done);
    nodes.ReadBothSides(static_cast<std::uint64_t>(steps) * pages_of_plane);
    nodes.Compute(done, steps, nodes.blocked_updates_per_s(), [&](int node, int step) {
      const auto left = static_cast<std::uint64_t>(steps - step);
      const Slab planes = Widened(nodes.SlabOfNode(node), left, problem.nz);
      return static_cast<double>(planes.size() * problem.plane());
    });
    nodes.Meet();
    done += steps;
  }
}

// two_phases.cc: what a node reads to fill the seam at a side, and of what its neighbor filled.
struct SeamPages {
  std::uint64_t to_fill = 0, filled = 0;
};
SeamPages PagesOfSeam(const Problem& problem, Side side, int steps, std::uint64_t page_bytes) {
  const std::uint64_t middle = problem.ny / 2;
  const Slab first = {0, middle}, second = {middle, problem.ny};
  const Slab mine = side == kAbove ? first : second, others = side == kAbove ? second : first;
  SeamPages pages = {.filled =
                         static_cast<std::uint64_t>(steps) * PagesOf(problem, others, page_bytes)};
  for (int step = 0; step < steps; ++step) {
    const Slab rows = Widened(mine, static_cast<std::uint64_t>(steps - step), problem.ny);
    pages.to_fill += 2 * PagesOf(problem, rows, page_bytes);
  }
  return pages;
}

int StepsOfTwoPhases(const Problem& of_each) {
  return static_cast<int>(std::min<std::uint64_t>(of_each.block, of_each.nz / 2));
}

void RunTwoPhases(Nodes& nodes, int most_steps, std::uint64_t page_bytes) {
  const Problem& problem = nodes.problem();
  for (int done = 0; done < problem.steps;) {
    const int steps = std::min(most_steps, problem.steps - done);
    nodes.Compute(done, steps, nodes.blocked_updates_per_s(), [&](int node, int step) {
      std::uint64_t planes = nodes.SlabOfNode(node).size();
      for (const Side side : kSides) {
        if (nodes.HasNeighbor(node, side)) planes -= static_cast<std::uint64_t>(step);
      }
      return static_cast<double>(planes * problem.plane());
    });
    nodes.Meet();
    for (const Side side : kSides) {
      nodes.ReadSide(side, 0, PagesOfSeam(problem, side, steps, page_bytes).to_fill);
      nodes.Compute(done, steps, nodes.blocked_updates_per_s(), [&](int node, int step) {
        if (!nodes.HasNeighbor(node, side)) return 0.0;
        // Twice as many planes as steps; half of the rows, and some beyond the middle.
        const std::uint64_t rows = problem.ny / 2 + static_cast<std::uint64_t>(steps - step);
        return static_cast<double>(2 * static_cast<std::uint64_t>(step) * rows * problem.nx);
      });
    }
    nodes.Meet();
    for (const Side side : kSides) {
      const SeamPages pages = PagesOfSeam(problem, side, steps, page_bytes);
      nodes.ReadSide(side, pages.to_fill, pages.filled);
    }
    done += steps;
  }
}

std::uint64_t PagesASide(const Problem& problem, Blocking blocking, std::uint64_t page_bytes) {
  const std::uint64_t plane = PagesOfPlane(problem, page_bytes);
  if (blocking == Blocking::kNone) return plane;
  if (blocking == Blocking::kRedundant) return static_cast<std::uint64_t>(problem.block) * plane;
  std::uint64_t most = 0;
  for (const Side side : kSides) {
    const SeamPages pages = PagesOfSeam(problem, side, StepsOfTwoPhases(problem), page_bytes);
    most = std::max(most, pages.to_fill + pages.filled);
  }
  return most;
}

// In [0, 1).
double Uniform(std::uint64_t seed, std::uint64_t index) {
  return InitialAt(seed * 0x9E3779B97F4A7C15u + index);
}

}  // namespace

double Slowness(const NodeModel& model, int node, int step) {
  const std::uint64_t draw = static_cast<std::uint64_t>(node) << 32 | static_cast<unsigned>(step);
  // Box and Muller's.
  const double radius = std::sqrt(-2 * std::log(1 - Uniform(model.seed, 2 * draw)));
  const double angle = 2 * std::numbers::pi * Uniform(model.seed, 2 * draw + 1);
  return 1 + model.spread * std::abs(radius * std::cos(angle));
}

absl::Status CheckSimulated(const Problem& problem, const Algorithm& algorithm,
                            std::uint64_t page_bytes) {
  if (page_bytes == 0 || page_bytes % 4096 != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--page-bytes: ", page_bytes, " is no multiple of 4096"));
  }
  if (absl::Status good = Check(problem, 2, page_bytes); !good.ok()) return good;
  if (algorithm.pages == Pages::kByFault || algorithm.pages == Pages::kByPreload) {
    const auto block = static_cast<std::uint64_t>(std::min(problem.block, problem.steps));
    if (algorithm.blocking != Blocking::kRedundant || block <= problem.nz) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("--block: A2 reads ", block, " planes of a neighbor that has ", problem.nz));
  }
  return absl::InvalidArgumentError(absl::StrCat(algorithm.name, " is not simulated"));
}

absl::StatusOr<SimulatedRow> Simulate(const Problem& problem, const Algorithm& algorithm, int nodes,
                                      std::uint64_t page_bytes, const NodeModel& model) {
  Nodes at_work(problem, algorithm.pages, nodes,
                PagesASide(problem, algorithm.blocking, page_bytes), page_bytes, model);
  switch (algorithm.blocking) {
    case Blocking::kNone:
      RunSimple(at_work, PagesOfPlane(problem, page_bytes));
      break;
    case Blocking::kRedundant:
      RunRedundant(at_work, PagesOfPlane(problem, page_bytes));
      break;
    case Blocking::kTwoPhases:
      RunTwoPhases(at_work, StepsOfTwoPhases(problem), page_bytes);
      break;
  }
  SimulatedRow row = at_work.Row(algorithm.name);
  if (row.pages_fetched == at_work.expected_pages()) return row;
  return absl::InternalError(absl::StrCat(algorithm.name, " on ", nodes, " nodes moved ",
                                          row.pages_fetched, " pages, not the ",
                                          at_work.expected_pages(), " that it needs"));
}

SimulatedRow SimulateMessages(const Problem& problem, int nodes, const NodeModel& model) {
  Nodes at_work(problem, Pages::kByFault, nodes, 0, 4096, model);
  for (int step = 0; step < problem.steps; ++step) {
    at_work.PassPlanes();
    at_work.Compute(step, 1, at_work.updates_per_s(), [&](int node, int) {
      return static_cast<double>(at_work.SlabOfNode(node).size() * problem.plane());
    });
  }
  at_work.WaitForAll();
  return at_work.Row(kMessagePassing);
}

}  // namespace stencil
