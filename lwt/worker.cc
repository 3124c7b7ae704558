#include "lwt/worker.h"

#include <cxxabi.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include "lwt/contract.h"
#include "lwt/fatal.h"
#include "lwt/pool.h"

namespace lwt {
namespace {

thread_local Worker* current_worker = nullptr;

// A worker without work tries so often, some tens of microseconds, before it
// sleeps; and sleeps so long at the most, in case that nobody thought of waking it.
constexpr int kTries = 100;
constexpr int kPausesATry = 8;
// A loop that creates and joins leaves its continuation in the queue for some
// nanoseconds at a time. A thief that takes it moves the loop to another core for
// nothing, and the other takes it back. So a steal whose work was over within
// kWorthwhile makes the thief wait before its next, twice as long each time; one
// that was worth it halves that.
constexpr std::int64_t kWorthwhileNanoseconds = 20'000;
constexpr std::int64_t kLeastPatienceNanoseconds = 2'000;
constexpr std::int64_t kMostPatienceNanoseconds = 128'000;

std::int64_t NowNanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

constexpr std::int64_t kShortestSleepNanoseconds = 2'000'000;
constexpr std::int64_t kLongestSleepNanoseconds = 64'000'000;

// What a thread made of a record runs.
void RunPromoted(void* handoff, void* argument) {
  Descriptor& thread = *static_cast<Descriptor*>(argument);
  Worker::Resumed(thread, static_cast<Handoff*>(handoff));
  Record& record = *static_cast<Record*>(thread.body);
  record.run(record);
  // From here on the record may be gone.
  if (Descriptor* waiter = record.completion.Finish().waiter) Worker::MakeReady(*waiter);
  Worker::End(thread);
}

}  // namespace

Worker* Worker::Current() {
  asm volatile("");  // Not a function whose value may be kept.
  return current_worker;
}

Worker& Worker::Here() {
  asm volatile("");
  CheckContract(
      current_worker != nullptr,
      "a call that is for lightweight threads comes from one: Pool::Run starts the first");
  return *current_worker;
}

Worker* Worker::BecomeCurrent(Worker* worker) { return std::exchange(current_worker, worker); }

Worker::Worker(Pool& pool, int index, std::uint64_t seed)
    : idle_(pool.idle_), pool_(pool), index_(index), random_(seed), queue_(256) {}

int Worker::workers() const { return pool_.workers(); }

Victim Worker::victim(int worker) const { return Victim(pool_.worker(worker)); }

int Worker::RandomPeer() {
  const int others = workers() - 1;
  if (others == 0) return index_;
  const int chosen = static_cast<int>(Random(static_cast<std::uint32_t>(others)));
  return chosen < index_ ? chosen : chosen + 1;
}

// Memory of threads.

Descriptor* Worker::NewThreadSlowly() {
  constexpr int kBatch = 32;
  if (cold_threads_ == nullptr) {
    for (Descriptor* thread : pool_.TakeDescriptors(kBatch)) {
      thread->next_free = cold_threads_;
      cold_threads_ = thread;
      ++cold_thread_count_;
    }
  }
  if (free_stacks_ == nullptr) {
    Stack* stacks[kBatch];
    const std::size_t got = pool_.stacks_.Take(stacks);
    for (std::size_t i = got; i-- > 0;) {
      stacks[i]->next_free = free_stacks_;
      free_stacks_ = stacks[i];
      ++free_stack_count_;
    }
  }
  if (cold_threads_ == nullptr || free_stacks_ == nullptr) return nullptr;
  Descriptor* const thread = cold_threads_;
  cold_threads_ = thread->next_free;
  --cold_thread_count_;
  thread->stack = free_stacks_;
  free_stacks_ = free_stacks_->next_free;
  --free_stack_count_;
  return thread;
}

void Worker::FreeColdThread(Descriptor& thread) {
  thread.next_free = cold_threads_;
  cold_threads_ = &thread;
  if (++cold_thread_count_ > kMostFree) GiveBackHalf();
}

// Of each list that is too long the older half goes back to the pool: the newest
// is in the cache, and may be the stack that its last user is just leaving.
void Worker::GiveBackHalf() {
  // Cuts the list after its newer half; returns the older.
  const auto cut = [](auto* list) {
    for (int i = 1; i < kMostFree / 2; ++i) list = list->next_free;
    return std::exchange(list->next_free, nullptr);
  };
  if (warm_thread_count_ > kMostFree) {
    for (Descriptor* thread = cut(warm_threads_); thread != nullptr;) {
      Descriptor* const next = thread->next_free;
      pool_.TakeBack(*std::exchange(thread->stack, nullptr));
      pool_.TakeBack(*thread);
      thread = next;
    }
    warm_thread_count_ = kMostFree / 2;
  }
  if (cold_thread_count_ > kMostFree) {
    pool_.GiveBackDescriptors(cut(cold_threads_));
    cold_thread_count_ = kMostFree / 2;
  }
  if (free_stack_count_ > kMostFree) {
    for (Stack* stack = cut(free_stacks_); stack != nullptr;) {
      Stack* const next = stack->next_free;
      pool_.TakeBack(*stack);
      stack = next;
    }
    free_stack_count_ = kMostFree / 2;
  }
}

void Worker::NotifySlowly() {
  if (simulator_ != nullptr) {
    Spend(&CostModel::spawn_ns);
  } else {
    idle_.WakeOne();
  }
}

// Starting, suspending, ending.

StackPointer Worker::Enter(Descriptor& thread) {
  current_ = &thread;
  ++thread.resumed;
  return thread.sp;
}

void Worker::Resumed(Descriptor& thread, Handoff* handoff) {
  Worker& self = *Current();
  thread.stack->flow.Arrive(&self.loop_flow_);
  *self.exceptions_ = std::exchange(thread.exceptions, ExceptionGlobals());
  thread.waits_for = nullptr;
  if (handoff != nullptr) handoff->run(*handoff);
}

void Worker::Suspend(Handoff& handoff, const char* why) {
  Worker& self = Here();
  Descriptor& thread = *self.current_;
  handoff.thread = &thread;
  self.Spend(&CostModel::switch_ns);
  thread.waits_for = why;
  thread.last = &self;
  thread.exceptions = *self.exceptions_;
  Descriptor* const next = self.PopReady();
  StackPointer to = self.loop_;
  if (next != nullptr) {
    to = self.Enter(*next);
    thread.stack->flow.Leave(next->stack->flow);
  } else {
    self.current_ = nullptr;
    thread.stack->flow.Leave(self.loop_flow_);
  }
  void* const arrived = SwitchTo(thread.sp, to, &handoff);
  Resumed(thread, static_cast<Handoff*>(arrived));
}

void Worker::SuspendCounted(Handoff& handoff, const char* why, WokenBy by) {
  Pool& pool = Here().pool_;
  std::atomic<int>& waits = by == WokenBy::kSystem ? pool.system_waits_ : pool.outside_waits_;
  waits.fetch_add(1);
  Suspend(handoff, why);
  waits.fetch_sub(1);
}

void Worker::End(Descriptor& thread) {
  Worker& self = *Current();
  Stack& stack = *std::exchange(thread.stack, nullptr);
  const auto found = thread.completion.Finish();
  if (found.detached) {
    thread.error = nullptr;
    if (std::exchange(thread.pool_waits, false)) self.pool_.CountDetached(-1);
    self.FreeThread(thread);
  }
  self.LeaveEnded(found.waiter != nullptr ? found.waiter : self.PopReady(), stack);
}

void Worker::EndSlowly(Descriptor& child) { End(child); }

void Worker::LeaveEnded(Descriptor* next, Stack& stack) {
  // The handoff lies above the stack: this function's variables are lost now.
  stack.run = [](Handoff& handoff) { Current()->FreeStack(static_cast<Stack&>(handoff)); };
  StackPointer to = loop_;
  if (next != nullptr) {
    to = Enter(*next);
    stack.flow.LeaveForEver(next->stack->flow);
  } else {
    current_ = nullptr;
    stack.flow.LeaveForEver(loop_flow_);
  }
  SwitchTo(stack.left, to, static_cast<Handoff*>(&stack));
  __builtin_unreachable();
}

void Worker::MakeReady(Descriptor& thread) {
  Worker* const self = Current();
  if (self != nullptr && &self->pool_ == &thread.last->pool_) {
    self->PushOrPut(thread);
    self->NotifyOthers();
    return;
  }
  thread.entry = EntryOf(thread);
  Worker& last = *thread.last;
  last.queue_.Put(thread);  // From here on the thread may be gone.
  last.NotifyOthers();
}

void Worker::PushOrPut(Descriptor& thread) {
  if (MakeRoom()) {
    queue_.Push(EntryOf(thread));
  } else {
    thread.entry = EntryOf(thread);
    queue_.Put(thread);
  }
}

void Worker::Push(ReadyThread thread) {
  PushOrPut(*thread.Release());
  NotifyOthers();
}

ReadyThread Worker::Pop() { return ReadyThread(PopReady()); }

// Finding work.

Descriptor* Worker::Promote(Record& record) {
  Descriptor* const thread = NewThread();
  if (thread == nullptr) return nullptr;
  thread->completion.ResetDetached();
  thread->depth = record.depth;
  thread->body = &record;
  thread->drop = nullptr;
  thread->exceptions = {};
  thread->name = "record";
  thread->hint.Clear();
  thread->sp = PrepareFlow(thread->stack->top(), &RunPromoted, thread);
  counters_.promotions.Add();
  return thread;
}

Descriptor* Worker::PopReady() {
  LookAtTimers();
  Entry entry;
  if (!queue_.Pop(entry)) return nullptr;
  if (!IsRecord(entry.item)) return &ThreadOf(entry.item);
  Descriptor* const thread = Promote(RecordOf(entry.item));
  // Without memory it stays where it was, for who forked it.
  if (thread == nullptr) queue_.Push(entry);
  return thread;
}

bool Worker::AnyWork() {
  if (policy_.HasWork(*this)) return true;
  for (int i = 0; i < pool_.workers(); ++i) {
    if (pool_.worker(i).queue_.SizeSeenByThief() > 0) return true;
  }
  return false;
}

void Worker::Trace(TraceEvent::Kind kind, int victim, std::uint32_t depth) {
  if (trace_.capacity() == 0) return;
  if (trace_.size() == trace_.capacity()) {
    ++lost_events_;
    return;
  }
  trace_.push_back({kind, index_, pool_.Nanoseconds(index_), victim, static_cast<int>(depth)});
}

// Before the first steal of a search: see kWorthwhile. What comes to the own queue
// meanwhile is returned.
Descriptor* Worker::BePatient() {
  const std::int64_t now = NowNanoseconds();
  if (stolen_at_ns_ != 0) {
    const bool worthwhile = now - stolen_at_ns_ > kWorthwhileNanoseconds;
    patience_ns_ = worthwhile ? patience_ns_ / 2
                              : std::clamp(patience_ns_ * 2, kLeastPatienceNanoseconds,
                                           kMostPatienceNanoseconds);
    stolen_at_ns_ = 0;
  }
  Descriptor* mine = nullptr;
  while (mine == nullptr && NowNanoseconds() < now + patience_ns_ && !pool_.stopping()) {
    for (int pause = 0; pause < kPausesATry; ++pause) Pause();
    mine = PopReady();
  }
  return mine;
}

Descriptor* Worker::Search() {
  if (simulator_ == nullptr) idle_.StartSearch();
  Trace(TraceEvent::Kind::kIdle);
  if (simulator_ == nullptr) {
    if (Descriptor* const mine = BePatient()) {
      counters_.finds.Add();
      idle_.EndSearch();
      Trace(TraceEvent::Kind::kBusy);
      return mine;
    }
  }
  std::int64_t sleep = kShortestSleepNanoseconds;
  while (true) {
    for (int i = 0; i < kTries; ++i) {
      if (AnyPolicy* next = next_policy_.exchange(nullptr, std::memory_order_acq_rel)) {
        policy_ = std::move(*next);
        delete next;
      }
      if (simulator_ != nullptr) FireDueTimers();
      Descriptor* found = PopReady();
      if (found == nullptr) {
        found = policy_.Steal(*this).Release();
        if (found != nullptr && simulator_ == nullptr) stolen_at_ns_ = NowNanoseconds();
      }
      if (simulator_ != nullptr) {
        simulator_->Searched(*this, found != nullptr);
        if (found == nullptr) Spend(&CostModel::look_ns);
      }
      if (found != nullptr || pool_.stopping()) {
        counters_.finds.Add();
        if (simulator_ == nullptr) idle_.EndSearch();
        Trace(TraceEvent::Kind::kBusy);
        return found;
      }
      if (simulator_ != nullptr) continue;
      for (int pause = 0; pause < kPausesATry; ++pause) Pause();
    }
    if (simulator_ != nullptr) continue;
    counters_.parks.Add();
    Trace(TraceEvent::Kind::kPark);
    SleepUntilWorkOrTimer(sleep);
    Trace(TraceEvent::Kind::kIdle);
    sleep = std::min(sleep * 2, kLongestSleepNanoseconds);
  }
}

Stack* Worker::LoopStack() {
  if (pool_.stacks_.Take({&loop_stack_, 1}) == 0) throw std::bad_alloc();
  loop_flow_ = loop_stack_->flow;
  return loop_stack_;
}

void Worker::Loop() {
  current_worker = this;
  exceptions_ = reinterpret_cast<ExceptionGlobals*>(abi::__cxa_get_globals());
  std::optional<OverflowWatch> watch;
  if (simulator_ == nullptr) {
    loop_flow_.CreateForOsThread();
    watch.emplace();
  }
  Handoff nothing;
  nothing.run = [](Handoff&) {};
  while (true) {
    Descriptor* next = PopReady();
    if (next == nullptr) next = Search();
    if (next == nullptr) break;
    const StackPointer to = Enter(*next);
    loop_flow_.Leave(next->stack->flow);
    auto* const handoff = static_cast<Handoff*>(SwitchTo(loop_, to, &nothing));
    loop_flow_.Arrive(nullptr);
    *exceptions_ = {};
    handoff->run(*handoff);
  }
  current_worker = nullptr;
}

// As a victim.

void Victim::Put(ReadyThread thread) const {
  Descriptor& put = *Worker::Unwrap(std::move(thread));
  put.entry = EntryOf(put);
  worker_->queue_.Put(put);
  worker_->NotifyOthers();
}

ReadyThread Victim::Take() const {
  Worker& thief = *Worker::Current();
  // A record needs a thread, and cannot be put back.
  Descriptor* const spare = thief.NewThread();
  if (spare != nullptr) thief.FreeThread(*spare);
  Entry entry;
  const lwt::Take result = worker_->queue_.TakeIf(
      entry, [&](const Entry& found) { return spare != nullptr || !IsRecord(found.item); });
  return Taken(result, entry);
}

// Counts what a take brought.
ReadyThread Victim::Taken(lwt::Take result, const Entry& entry) const {
  Worker& thief = *Worker::Current();
  if (result != lwt::Take::kTaken) {
    (result == lwt::Take::kEmpty ? thief.counters_.empty : thief.counters_.lost).Add();
    return {};
  }
  Descriptor& thread =
      IsRecord(entry.item) ? *thief.Promote(RecordOf(entry.item)) : ThreadOf(entry.item);
  // A call from outside that has not begun was nobody's work yet.
  const bool is_new_call = thread.depth == 0 && thread.resumed == 0;
  if (worker_ != &thief && !is_new_call) {
    thief.counters_.steals.Add();
    thief.Trace(TraceEvent::Kind::kSteal, worker_->index_, thread.depth);
    thief.counters_.steals_by_depth[std::min<std::uint32_t>(thread.depth, kMostDepths - 1)].Add();
    if (thief.simulator_ != nullptr) {
      thief.simulator_->Spend(thief, thief.simulator_->StealCost(thief.index_, worker_->index_));
    }
  }
  return Worker::Wrap(thread);
}

std::int64_t Victim::size() const { return worker_->queue_.SizeSeenByThief(); }

Descriptor* Victim::PeekThread(std::span<std::byte> hint, std::size_t& bytes) const {
  Entry entry;
  if (!worker_->queue_.Peek(entry) || entry.item == 0 || IsRecord(entry.item)) return nullptr;
  Descriptor& thread = ThreadOf(entry.item);
  return thread.hint.TryRead(hint, bytes) ? &thread : nullptr;
}

bool Victim::PeekBytes(std::span<std::byte> hint) const {
  Entry entry;
  if (!worker_->queue_.Peek(entry)) return false;
  if (hint.size() <= sizeof entry.hint) {
    std::memcpy(hint.data(), &entry.hint, hint.size());
    return true;
  }
  if (entry.item == 0 || IsRecord(entry.item)) return false;
  // A descriptor is one for ever: at worst it is another thread's by now.
  std::size_t bytes = 0;
  return ThreadOf(entry.item).hint.TryRead(hint, bytes) && bytes == hint.size();
}

ReadyThread RandomVictim::Steal(Worker& self) {
  const int victim = self.RandomPeer();
  return victim == self.index() ? ReadyThread() : self.victim(victim).Take();
}

// A thread that nobody will run.
void ReadyThread::Drop(Descriptor& thread) {
  if (thread.drop == nullptr) {
    DieOfLostThread(static_cast<const char*>(thread.name), thread.depth);
  }
  std::exchange(thread.drop, nullptr)(thread);
  thread.error = std::make_exception_ptr(Dropped());
  Worker* const worker = Worker::Current();
  Stack& stack = *std::exchange(thread.stack, nullptr);
  if (worker != nullptr) {
    worker->FreeStack(stack);
  } else {
    thread.last->pool().TakeBack(stack);
  }
  const auto found = thread.completion.Finish();
  if (found.waiter != nullptr) Worker::MakeReady(*found.waiter);
  if (found.detached) {
    thread.error = nullptr;
    thread.last->pool().TakeBack(thread);
  }
}

}  // namespace lwt
