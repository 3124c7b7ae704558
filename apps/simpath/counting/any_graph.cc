#include "apps/simpath/counting/any_graph.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "apps/program/terminal.h"
#include "apps/simpath/counting/walk.h"
#include "apps/simpath/frontier/chunks.h"
#include "apps/simpath/frontier/count_by_edges.h"
#include "apps/simpath/frontier/count_checkpoint.h"
#include "apps/simpath/frontier/partition.h"
#include "apps/simpath/frontier/plan.h"
#include "apps/simpath/frontier/sequential.h"
#include "apps/simpath/frontier/states_ahead.h"
#include "apps/simpath/problem/lengths.h"
#include "lwt/guest.h"
#include "lwt/pool.h"

namespace simpath {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostMateWords = 8;
// Of a packed count, which costs about as much as one without lengths.
constexpr std::uint64_t kFewBits = 512;

// The line that shows how far one part is.
class PartProgress {
 public:
  PartProgress(const Plan& plan, std::string what,
               const std::function<void(const std::string&)>& show)
      : steps_(plan.steps.size()), what_(std::move(what)), show_(show), ahead_(plan.widths) {}

  void Show(const Done& done) {
    ahead_.Add(done.step, done.states);
    // The share looks at all steps ahead: seldom enough, it costs nothing.
    const Clock::time_point now = Clock::now();
    if (now - shown_ < std::chrono::milliseconds(100)) return;
    shown_ = now;
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    const double share = ahead_.ShareDone();
    show_(absl::StrCat(what_, "edge ", done.step + 1, " of ", steps_, ", ", done.states, " states",
                       program::TimeLeft(seconds, share)));
  }

 private:
  std::size_t steps_;
  std::string what_;
  const std::function<void(const std::string&)>& show_;
  StatesAhead ahead_;
  Clock::time_point start_ = Clock::now(), shown_ = start_ - std::chrono::seconds(1);
};

// Calls count(pool) in a lightweight thread. The pool's workers are the mapping's threads.
absl::StatusOr<Count> CountInPool(const topo::Topology& topology, const topo::Mapping& mapping,
                                  const std::function<absl::StatusOr<Count>(lwt::Pool&)>& count) {
  auto pool = lwt::Pool::Create({.workers = mapping.size(), .has_guests = true});
  if (!pool.ok()) return pool.status();
  absl::StatusOr<Count> counted;
  std::exception_ptr thrown;
  std::atomic<bool> ended{false};
  const absl::Status ran = topo::RunThreads(topology, mapping, [&](const topo::Slot& slot) {
    lwt::Guest guest(**pool, slot.thread);
    if (slot.thread == 0) {
      guest.Post([&] {
        try {
          counted = count(**pool);
        } catch (...) {
          thrown = std::current_exception();
        }
        ended.store(true, std::memory_order_release);  // with the loads below
        lwt::Guest::UnparkAll(**pool);
      });
    }
    while (!ended.load(std::memory_order_acquire)) guest.Park();
  });
  if (!ran.ok()) return ran;
  if (thrown) std::rethrow_exception(thrown);
  return counted;
}

// Counts all parts by a mode.
struct PartCounter {
  Mode mode;
  const topo::Topology& topology;
  const topo::Mapping& mapping;
  lwt::Pool* pool;
  const AnyGraphOptions& options;

  // `how`: options of all parts.
  absl::StatusOr<simpath::Count> Count(const Prepared& prepared, CountOptions how) const {
    auto checkpoint = CountCheckpoint::Open(options.checkpoint, prepared.whole(), prepared.parts());
    if (!checkpoint.ok()) return checkpoint.status();
    const std::size_t parts = prepared.parts().size();
    std::size_t counted = 0;
    return prepared.CountPaths(
        [&](std::size_t, const Problem& part) -> absl::StatusOr<simpath::Count> {
          ++counted;
          if (const auto finished = checkpoint->NextFinished()) return *finished;
          // The paper decides one edge at a time.
          const Plan plan = mode == Mode::kEba ? MakePlan(part, 1) : MakePlan(part);
          const std::string what =
              parts == 1 ? "" : absl::StrCat("part ", counted, " of ", parts, ", ");
          PartProgress progress(plan, what, options.progress);
          how.memory_limit = options.memory_limit;
          how.progress = [&](const Done& done) { progress.Show(done); };
          how.checkpoint = &*checkpoint;
          how.check = options.check;
          // Parts hold entries of a chunk at most; a count by many lengths may be longer.
          const bool is_long = how.most_bits != CountOptions::kAllBits &&
                               how.most_bits / 64 + kMostMateWords >= ChunkStore::kWords;
          absl::StatusOr<simpath::Count> count =
              mode == Mode::kSequential || (mode == Mode::kPartition && is_long)
                  ? CountSequentially(plan, how)
              : mode == Mode::kPartition ? CountByParts(plan, *pool, how)
                                         : CountByEdges(plan, topology, mapping, how);
          if (count.ok()) checkpoint->Finish(*count);
          return count;
        });
  }
};

// Where a bound leaves few paths, states are more than these: each set of edges in pieces is one.
// Walked twice, in opposite directions, as a check; none where there are too many paths.
absl::StatusOr<std::optional<std::uint64_t>> CountFewByWalking(const Problem& problem) {
  constexpr std::uint64_t kSteps = 10'000'000;
  if (problem.rule.has_terminals() && problem.source == problem.target) return std::nullopt;
  const auto forward = CountByWalking(problem, kSteps);
  if (!forward) return std::nullopt;
  const auto backward = CountByWalking(Reversed(problem), 100 * kSteps);
  if (backward && *backward != *forward) {
    return absl::InternalError(
        absl::StrCat("paths walked forwards are ", *forward, ", and backwards ", *backward));
  }
  return forward;
}

}  // namespace

absl::StatusOr<Count> CountAnyGraph(const Prepared& prepared, Mode mode,
                                    const topo::Topology& topology, const topo::Mapping& mapping,
                                    const AnyGraphOptions& options) {
  const Problem& whole = prepared.whole();
  const bool walks = options.may_walk && mode == Mode::kPartition && whole.max_length &&
                     whole.weights.empty() && options.checkpoint.file.empty();
  if (walks) {
    const auto walked = CountFewByWalking(whole);
    if (!walked.ok() || *walked)
      return walked.ok() ? absl::StatusOr<Count>(**walked) : walked.status();
  }
  const auto count = [&](lwt::Pool* pool) -> absl::StatusOr<Count> {
    const PartCounter plain{mode, topology, mapping, pool, options};
    const auto bounded = [&](const Lengths& lengths) -> absl::StatusOr<Count> {
      const auto packed =
          plain.Count(prepared.Weighted(lengths.x()), {.most_bits = lengths.packed_bits()});
      if (!packed.ok()) return packed.status();
      return lengths.UpToMost(*packed);
    };
    // Paths and cycles have at most as many edges as vertices.
    if (!whole.max_length || *whole.max_length >= whole.vertices) return plain.Count(prepared, {});
    // Few edges of many: a bound says how many bits a coefficient needs.
    const int bound = BitsOfChoices(whole.edges.size(), *whole.max_length);
    if (static_cast<std::uint64_t>(bound) * (*whole.max_length + 1) <= kFewBits) {
      return bounded(Lengths(bound, *whole.max_length));
    }
    // Else a count without lengths says it.
    int bits = 1;
    AnyGraphOptions first = options;
    first.checkpoint = {};
    const auto all =
        PartCounter{mode, topology, mapping, pool, first}.Count(prepared, {.open_bits = &bits});
    if (!all.ok()) return all.status();
    return bounded(Lengths(std::max(bits, all->bits()), *whole.max_length));
  };
  if (mode != Mode::kPartition) return count(nullptr);
  return CountInPool(topology, mapping, [&](lwt::Pool& pool) { return count(&pool); });
}

}  // namespace simpath
