#include "lwt/simulation.h"

#include <cxxabi.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>

#include "lwt/contract.h"
#include "lwt/pool.h"
#include "lwt/schedule/scheduler.h"

namespace lwt {

void Compute(double nanoseconds) {
  Scheduler& worker = Scheduler::Here();
  // Not a number is neither.
  CheckContract(nanoseconds >= 0 && nanoseconds <= std::numeric_limits<double>::max(),
                "Compute takes 0 nanoseconds or more, and no infinity of them");
  if (worker.simulator() != nullptr) {
    worker.simulator()->Spend(worker, nanoseconds, &SimulatedTime::computing_ns);
  }
}

void Touch(const void* data, std::size_t bytes, Access access) {
  Scheduler& worker = Scheduler::Here();
  CheckContract(
      reinterpret_cast<std::uintptr_t>(data) + bytes >= reinterpret_cast<std::uintptr_t>(data),
      "what Touch is given ends in the address space");
  if (worker.simulator() != nullptr) worker.simulator()->Use(worker, data, bytes, access);
}

// Caches.

bool Simulator::Cache::Use(std::uintptr_t block, std::uint64_t version) {
  const auto found = where_.find(block);
  if (found != where_.end()) {
    lines_.splice(lines_.begin(), lines_, found->second);
    return std::exchange(found->second->version, version) == version;
  }
  lines_.push_front({block, version});
  where_[block] = lines_.begin();
  if (lines_.size() > blocks_) {
    where_.erase(lines_.back().block);
    lines_.pop_back();
  }
  return false;
}

void Simulator::Use(Scheduler& worker, const void* data, std::size_t bytes, Access access) {
  const CostModel& costs = options_.costs;
  const int node = NodeOf(worker.index());
  Virtual& mine = *virtual_[static_cast<std::size_t>(worker.index())];
  const auto begin = reinterpret_cast<std::uintptr_t>(data) / costs.block_bytes;
  const auto end =
      bytes == 0 ? begin
                 : (reinterpret_cast<std::uintptr_t>(data) + bytes - 1) / costs.block_bytes + 1;
  double spent = 0;
  for (std::uintptr_t id = begin; id < end; ++id) {
    // The first worker to touch a block has it in its node's memory.
    Block& block = blocks_.try_emplace(id, Block{node, 0}).first->second;
    const bool in_private = mine.cache.Use(id, block.version);
    const bool in_shared = shared_[static_cast<std::size_t>(node)].Use(id, block.version);
    if (!in_private && in_shared) {
      spent += costs.shared_ns;
      ++time_.blocks_from_shared_cache;
    } else if (!in_private) {
      spent += costs.memory_ns * Distance(node, block.node) / 10;
      ++(node == block.node ? time_.blocks_from_own_node : time_.blocks_from_other_nodes);
    }
    if (access == Access::kWrite) {
      // All other copies are old now.
      block = {node, block.version + 1};
      mine.cache.Use(id, block.version);
      shared_[static_cast<std::size_t>(node)].Use(id, block.version);
    }
  }
  Spend(worker, spent, &SimulatedTime::fetching_ns);
}

int Simulator::NodeOf(int worker) const {
  if (options_.node_of.empty()) return 0;
  return options_.node_of[static_cast<std::size_t>(worker) % options_.node_of.size()];
}

double Simulator::Distance(int from, int to) const {
  if (options_.node_distances.empty()) return from == to ? 10 : 20;
  const std::size_t nodes = shared_.size();
  return static_cast<double>(options_.node_distances[static_cast<std::size_t>(from) * nodes +
                                                     static_cast<std::size_t>(to)]);
}

double Simulator::StealCost(int thief, int victim) const {
  return options_.costs.steal_ns * Distance(NodeOf(thief), NodeOf(victim)) / 10;
}

// Time.

Simulator::Simulator(Pool& pool, SimulationOptions options, int workers, std::uint64_t seed)
    : pool_(pool), options_(std::move(options)), random_(seed * 0x9E3779B97F4A7C15u | 1) {
  const int nodes = options_.node_of.empty()
                        ? 1
                        : 1 + *std::max_element(options_.node_of.begin(), options_.node_of.end());
  for (int i = 0; i < nodes; ++i) shared_.emplace_back(options_.costs.shared_blocks);
  for (int i = 0; i < workers; ++i) {
    virtual_.push_back(std::make_unique<Virtual>(options_.costs.private_blocks));
  }
}

Simulator::~Simulator() = default;

double Simulator::Draw(double nanoseconds) {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  const double unit = static_cast<double>(random_ >> 11) * 0x1p-53;
  return nanoseconds * (1 + options_.costs.jitter * (2 * unit - 1));
}

double Simulator::Now() const {
  double now = 0;
  for (const auto& one : virtual_) now = std::max(now, one->clock);
  return now;
}

int Simulator::Next() const {
  int next = -1;
  for (int i = 0; i < static_cast<int>(virtual_.size()); ++i) {
    const Virtual& one = *virtual_[static_cast<std::size_t>(i)];
    if (one.ended) continue;
    if (next < 0 || one.clock < virtual_[static_cast<std::size_t>(next)]->clock) next = i;
  }
  return next;
}

void Simulator::Spend(Scheduler& worker, double nanoseconds, double SimulatedTime::*part) {
  if (nanoseconds <= 0) return;
  Virtual& mine = *virtual_[static_cast<std::size_t>(worker.index())];
  // A thief has the thread that it took, and nobody finds it in a queue meanwhile.
  mine.has_thread = worker.current() != nullptr || part == &SimulatedTime::stealing_ns;
  // A worker that searches in vain meanwhile may yet find what this thread brings.
  if (mine.has_thread) fruitless_ = 0;
  const double drawn = Draw(nanoseconds);
  mine.clock += drawn;
  time_.*part += drawn;
  if (Next() != worker.index() || MustLookUp()) LeaveTo(worker);
  // Nor were searches in vain that came meanwhile, should it end now.
  if (std::exchange(mine.has_thread, false)) fruitless_ = 0;
}

void Simulator::Searched(Scheduler& worker, bool found) {
  fruitless_ = found ? 0 : fruitless_ + 1;
  // Once each worker has had its tries: a policy may have an own idea of what is there.
  constexpr std::int64_t kTriesEach = 16;
  if (found || fruitless_ % (kTriesEach * pool_.workers()) != 0) return;
  const std::int64_t deadline_ns = pool_.timers().earliest();
  // A thread that sleeps for ever is deadlocked.
  if (deadline_ns >= kLatest || CanAnyRun(worker)) return;
  const Deadline deadline{std::chrono::nanoseconds(deadline_ns)};
  const auto left = deadline - pool_.Now(worker.index());
  SkipTo(Clock(worker.index()) + std::chrono::duration<double, std::nano>(left).count());
  fruitless_ = 0;
}

bool Simulator::DoesAnyRun() const {
  return std::any_of(virtual_.begin(), virtual_.end(),
                     [](const auto& one) { return one->has_thread; });
}

bool Simulator::CanAnyRun(Scheduler& searcher) const {
  return DoesAnyRun() || searcher.thief().IsThereWork();
}

void Simulator::SkipTo(double nanoseconds) {
  for (const auto& one : virtual_) {
    const double before = std::exchange(one->clock, std::max(one->clock, nanoseconds));
    time_.skipped_ns += one->clock - before;
  }
}

// The worker that runs makes way; returns when its turn has come.
void Simulator::LeaveTo(Scheduler& worker) {
  Virtual& mine = *virtual_[static_cast<std::size_t>(worker.index())];
  SanitizerFlow& flow = worker.RunningFlow();
  mine.exceptions = worker.exceptions();
  flow.Leave(main_flow_);
  SwitchTo(mine.flow, main_, nullptr);
  flow.Arrive(&main_flow_);
  worker.exceptions() = mine.exceptions;
}

void Simulator::WorkerMain(void* /*value*/, void* argument) {
  Scheduler& worker = *static_cast<Scheduler*>(argument);
  Simulator& self = *worker.simulator();
  worker.RunningFlow().Arrive(&self.main_flow_);
  worker.Loop();
  Virtual& mine = *self.virtual_[static_cast<std::size_t>(worker.index())];
  mine.ended = true;
  worker.RunningFlow().LeaveForEver(self.main_flow_);
  SwitchTo(mine.flow, self.main_, nullptr);
  __builtin_unreachable();
}

void Simulator::Resume(int index) {
  Scheduler& worker = pool_.scheduler(index);
  Virtual& next = *virtual_[static_cast<std::size_t>(index)];
  if (next.flow == nullptr) {
    Stack* const stack = worker.LoopStack();
    stacks_.push_back(stack);
    next.flow = PrepareFlow(stack->top(), &WorkerMain, &worker);
  }
  Scheduler* const outside = Scheduler::BecomeCurrent(&worker);
  auto* const globals = reinterpret_cast<ExceptionGlobals*>(abi::__cxa_get_globals());
  const ExceptionGlobals exceptions = std::exchange(*globals, ExceptionGlobals());
  worker.SetExceptions(*globals);  // Perhaps another OS thread's than before.
  main_flow_.Leave(worker.RunningFlow());
  SwitchTo(main_, next.flow, nullptr);
  main_flow_.Arrive(nullptr);
  *globals = exceptions;
  Scheduler::BecomeCurrent(outside);
}

// Is it time for RunUntil to see how things are?
bool Simulator::MustLookUp() const { return (done_ != nullptr && *done_) || IsDeadlocked(); }

bool Simulator::IsDeadlocked() const {
  if (!cycle_.empty()) return true;
  // So many searches in vain in a row that each worker has looked at each victim,
  // and not because all wait for one that computes.
  return fruitless_ > static_cast<std::int64_t>(virtual_.size() * virtual_.size() * 64 + 10'000) &&
         !DoesAnyRun();
}

void Simulator::RunUntil(const bool& done) {
  CheckContract(!is_running_.exchange(true),
                "a simulated pool runs for one caller at a time: this one runs for another OS "
                "thread, or for a call of Run that this one comes from");
  struct End {
    std::atomic<bool>& is_running;
    ~End() { is_running = false; }
  } const end{is_running_};
  if (is_dead_) throw Deadlock(pool_.BlockedThreads());
  main_flow_.CreateForOsThread();
  outer_ = Scheduler::Current();
  done_ = &done;
  fruitless_ = 0;
  while (!done && !IsDeadlocked()) Resume(Next());
  done_ = nullptr;
  if (done) return;
  is_dead_ = true;
  throw Deadlock((cycle_.empty() ? "" : "threads wait for each other in a circle.\n" + cycle_) +
                 pool_.BlockedThreads());
}

void Simulator::EndWorkers() {
  main_flow_.CreateForOsThread();
  for (int next = Next(); next >= 0; next = Next()) {
    Virtual& one = *virtual_[static_cast<std::size_t>(next)];
    if (one.flow == nullptr || is_dead_) {
      // It never ran; or who waits on it has variables that are gone.
      one.ended = true;
    } else {
      Resume(next);
    }
  }
}

}  // namespace lwt
