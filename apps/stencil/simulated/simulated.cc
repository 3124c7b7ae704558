#include "apps/stencil/simulated/simulated.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "apps/stencil/simulated/recorder.h"

namespace stencil {
namespace {

using dsm::PageRange;

// What all nodes do, by node. Those between the first and the last mostly do the same.
using Recordings = std::vector<std::shared_ptr<const Recording>>;

absl::StatusOr<Recordings> RecordAll(const Problem& of_each, const Algorithm& algorithm, int nodes,
                                     std::uint64_t page_bytes, const Node& node) {
  Problem whole = of_each;
  whole.nz *= static_cast<std::uint64_t>(nodes);
  Recordings recordings;
  for (int number = 0; number < nodes; ++number) {
    auto one = Record(whole, algorithm.blocking, algorithm.pages, number, nodes, page_bytes, node);
    if (!one.ok()) return one.status();
    const bool is_new = recordings.empty() || *recordings.back() != *one;
    recordings.push_back(is_new ? std::make_shared<const Recording>(*std::move(one))
                                : recordings.back());
  }
  return recordings;
}

int HomeOf(const Recording& recording, int node, dsm::PageNumber page) {
  const auto after = std::upper_bound(
      recording.homes.begin(), recording.homes.end(), page.value(),
      [](std::uint64_t value, const Recording::Home& home) { return value < home.first; });
  return node + std::prev(after)->away;
}

// Nodes that play what was recorded.
class Nodes {
 public:
  Nodes(const Recordings& recordings, std::uint64_t page_bytes, const NodeModel& model, Node& node)
      : recordings_(recordings),
        model_(model),
        node_(node),
        cluster_(
            {.nodes = static_cast<int>(recordings.size()),
             .pages = MostPages(recordings),
             .page_bytes = page_bytes},
            model.machine,
            [&recordings](int number, dsm::PageNumber page) {
              return HomeOf(*recordings[static_cast<std::size_t>(number)], number, page);
            },
            [this](int number) {
              return LatenessOfStop(model_, number, stops_[static_cast<std::size_t>(number)]++);
            }),
        stops_(recordings.size()) {}

  void PlayPages() {
    for (meeting_ = 0; meeting_ < recordings_.front()->meetings.size(); ++meeting_) {
      for (std::size_t action = 0; action < MostActions(); ++action) {
        Preload(action);
        cluster_.Work(
            [&](int node, int thread) -> std::span<const PageRange> {
              const Action* const played = Played(node, action);
              if (played == nullptr || played->threads.empty()) return {};
              return played->threads[static_cast<std::size_t>(thread)].others_pages;
            },
            [&](int node, std::span<const double> waits) { return Seconds(node, action, waits); });
      }
      if (meeting_ < recordings_.front()->exchanges) cluster_.BarrierThatDrops();
    }
  }

  // Messages instead of pages, and of barriers but for the last.
  void PlayMessages(std::uint64_t bytes) {
    for (meeting_ = 0; meeting_ < recordings_.front()->meetings.size(); ++meeting_) {
      cluster_.Exchange(bytes);
      for (std::size_t action = 0; action < MostActions(); ++action) {
        cluster_.Compute([&](int node) { return Seconds(node, action, {}); });
      }
    }
    cluster_.BarrierThatDrops();
  }

  SimulatedRow Row(const Problem& of_each, std::string algorithm, std::uint64_t page_bytes) const {
    const auto nodes = static_cast<int>(recordings_.size());
    SimulatedRow row = {.algorithm = std::move(algorithm),
                        .points = of_each.points,
                        .nodes = nodes,
                        .threads = model_.machine.threads,
                        .page_bytes = page_bytes,
                        .updates = static_cast<double>(of_each.size()) * nodes * of_each.steps,
                        .first = cluster_.times(0),
                        .exchanges = recordings_.front()->exchanges};
    for (int node = 0; node < nodes; ++node) {
      const dsm::sim::Times& times = cluster_.times(node);
      row.virtual_seconds = std::max(row.virtual_seconds, times.total());
      row.compute_seconds += times.compute / nodes;
      row.preload_seconds += times.preload / nodes;
      row.fault_seconds += times.fault / nodes;
      row.barrier_seconds += times.barrier / nodes;
      row.faults += cluster_.counts(node).faults;
      row.pages_fetched += cluster_.counts(node).pages_fetched;
    }
    return row;
  }

 private:
  static std::uint64_t MostPages(const Recordings& recordings) {
    std::uint64_t most = 0;
    for (const auto& recording : recordings) most = std::max(most, recording->pages);
    return most;
  }
  // Before this meeting, of any node.
  std::size_t MostActions() const {
    std::size_t most = 0;
    for (const auto& each : recordings_) most = std::max(most, each->meetings[meeting_].size());
    return most;
  }
  const Action* Played(int node, std::size_t action) const {
    const auto& actions = recordings_[static_cast<std::size_t>(node)]->meetings[meeting_];
    return action < actions.size() ? &actions[action] : nullptr;
  }
  void Preload(std::size_t action) {
    bool is_left = true;
    for (std::size_t call = 0; is_left; ++call) {
      is_left = false;
      cluster_.Preload([&](int node) {
        const Action* const played = Played(node, action);
        if (played == nullptr || call >= played->preloads.size()) return PageRange();
        is_left = true;
        return played->preloads[call];
      });
    }
  }
  double Seconds(int node, std::size_t action, std::span<const double> waits) {
    const Action* const played = Played(node, action);
    if (played == nullptr || played->threads.empty()) return 0;
    const double slowness = Slowness(model_, node, played->first_step, played->steps);
    return slowness * node_.Seconds(played->threads, waits);
  }

  const Recordings& recordings_;
  const NodeModel model_;
  Node& node_;
  dsm::sim::Cluster cluster_;
  std::vector<std::uint64_t> stops_;  // of each node, so far
  std::size_t meeting_ = 0;
};

// From 0 to 1.
double Uniform(std::uint64_t seed, std::uint64_t index) {
  return InitialAt(seed * 0x9E3779B97F4A7C15u + index);
}

// |N(0, 1)|, by Box and Muller.
double Draw(std::uint64_t seed, std::uint64_t index) {
  const double radius = std::sqrt(-2 * std::log(1 - Uniform(seed, 2 * index)));
  return std::abs(radius * std::cos(2 * std::numbers::pi * Uniform(seed, 2 * index + 1)));
}

}  // namespace

double Slowness(const NodeModel& model, int node, int first_step, int steps) {
  const std::uint64_t draw = static_cast<std::uint64_t>(node) << 32;  // of a step: 1, 2, ... more
  const double lasting = 1 + model.spread * Draw(model.seed, draw);
  if (steps == 0 || model.jitter == 0) return lasting;
  double sum = 0;
  for (int step = first_step + 1; step <= first_step + steps; ++step) {
    sum += 1 + model.jitter * Draw(model.seed, draw + static_cast<unsigned>(step));
  }
  return lasting * sum / steps;
}

double LatenessOfStop(const NodeModel& model, int node, std::uint64_t stop) {
  // Of another seed than what computing takes.
  const std::uint64_t draw = (static_cast<std::uint64_t>(node) << 32) + stop;
  return Uniform(~model.seed, draw) < model.late_share ? model.late : 0;
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
  auto node = Node::Create(model.cores, problem.points, model.machine.threads);
  if (!node.ok()) return node.status();
  const auto recordings = RecordAll(problem, algorithm, nodes, page_bytes, *node);
  if (!recordings.ok()) return recordings.status();
  Nodes at_work(*recordings, page_bytes, model, *node);
  at_work.PlayPages();
  return at_work.Row(problem, algorithm.name, page_bytes);
}

absl::StatusOr<SimulatedRow> SimulateMessages(const Problem& problem, int nodes,
                                              const NodeModel& model) {
  auto node = Node::Create(model.cores, problem.points, model.machine.threads);
  if (!node.ok()) return node.status();
  // What is computed between two exchanges is the same; no page is read by faults.
  const Algorithm simple = {"A1p", Blocking::kNone, Pages::kByPreload};
  const std::uint64_t plane_bytes = problem.plane() * sizeof(double);
  const auto recordings = RecordAll(problem, simple, nodes, plane_bytes, *node);
  if (!recordings.ok()) return recordings.status();
  Nodes at_work(*recordings, 4096, model, *node);
  at_work.PlayMessages(plane_bytes);
  return at_work.Row(problem, kMessagePassing, 0);
}

}  // namespace stencil
