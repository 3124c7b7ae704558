#include "lwt/kernel/ready_threads.h"

#include <chrono>
#include <exception>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lwt/contract.h"
#include "lwt/kernel/pool_shared.h"
#include "lwt/kernel/scheduler.h"

namespace lwt {
namespace {

// Afterwards the record may be gone.
void FinishRecord(Record& record) {
  record.ClearRunner();  // Before its thread can become another's.
  if (Descriptor* waiter = record.completion.Finish().waiter) ReadyThreads::MakeReady(*waiter);
}

// The first function on the stack of a thread that was made of a record.
void RunPromoted(void* handoff, void* argument) {
  Descriptor& thread = *static_cast<Descriptor*>(argument);
  Switcher::Resumed(thread, static_cast<Handoff*>(handoff));
  thread.drop = nullptr;
  Record& record = *static_cast<Record*>(thread.body);
  record.run(record);
  FinishRecord(record);
  Switcher::End(thread);
}

// The record's thread will not run: its waiter gets Dropped.
void DropPromoted(Descriptor& thread) {
  Record& record = *static_cast<Record*>(thread.body);
  record.error = std::make_exception_ptr(Dropped());
  FinishRecord(record);
}

}  // namespace

ReadyThreads::ReadyThreads(Scheduler& scheduler, Idle& idle)
    : scheduler_(scheduler),
      idle_(idle),
      is_simulated_(scheduler.simulator() != nullptr),
      queue_(256) {}

bool ReadyThreads::MakeRoomSlowly(const char* call) {
  return Scheduler::OfThread(call).ready().queue_.Grow();
}

void ReadyThreads::NotifySlowly() {
  Scheduler& self = *Scheduler::Current();
  if (self.simulator() != nullptr) {
    self.Spend(&CostModel::spawn_ns, &SimulatedTime::threads_ns);
  } else {
    self.ready().idle_.WakeOne();
  }
}

void ReadyThreads::MakeReady(Descriptor& thread) {
  Scheduler* const self = Scheduler::Current();
  Scheduler& last = *thread.last;
  PoolShared& pool = last.shared();
  if (self != nullptr && &self->shared() == &pool) {
    self->ready().PushOrPut(thread);
    self->ready().NotifyOthers();
    return;
  }
  thread.entry = EntryOf(thread);
  const auto counted = pool.outside.Wakes();
  // From here on the thread may be gone, and the pool wait for this one.
  last.ready().queue_.Put(thread);
  last.ready().NotifyOthers();
}

void ReadyThreads::PushOrPut(Descriptor& thread) {
  if (queue_.HasRoom() || queue_.Grow()) {
    queue_.Push(EntryOf(thread));
    if (scheduler_.current() == nullptr) queue_.HideRoom();
  } else {
    thread.entry = EntryOf(thread);
    queue_.Put(thread);
  }
}

Descriptor* ReadyThreads::Next() {
  if (is_unparked_.load(std::memory_order_relaxed)) [[unlikely]] {
    return nullptr;
  }
  if (++turns_ % kTurnsPerLook != 0) [[likely]] {
    return PopHead();
  }
  FireDueTimers();
  Entry entry;
  if (queue_.TakeOldestPut(entry)) return &ThreadOf(entry.item);
  if (turns_ % kTurnsPerOldest == 0 && queue_.Take(entry) == lwt::Take::kTaken) {
    return ThreadOrPromoted(entry);
  }
  return PopHead();
}

Descriptor* ReadyThreads::PopHead() {
  Entry entry;
  return queue_.Pop(entry) ? ThreadOrPromoted(entry) : nullptr;
}

// Null where there is no memory to make a record a thread: then it is at the head, for
// its forker.
Descriptor* ReadyThreads::ThreadOrPromoted(const Entry& entry) {
  if (!IsRecord(entry.item)) return &ThreadOf(entry.item);
  Descriptor* const thread = Promote(entry);
  if (thread == nullptr) queue_.Push(entry);
  return thread;
}

Descriptor* ReadyThreads::Promote(const Entry& entry) {
  Descriptor* const thread = scheduler_.cache().New();
  if (thread == nullptr) return nullptr;
  Record& record = RecordOf(entry.item);
  thread->completion.ResetDetached();
  thread->depth = record.forker().depth + 1;
  thread->inherited = record.forker().inherited;
  thread->last = &scheduler_;
  thread->body = &record;
  thread->drop = &DropPromoted;
  thread->exceptions = {};
  thread->name = "record";
  const std::size_t hint_bytes = HintClass(entry.item) * 4;  // never more than ride in it
  (void)thread->SetHint(std::as_bytes(std::span(&entry.hint, 1)).first(hint_bytes));
  thread->sp = PrepareFlow(thread->stack->top(), &RunPromoted, thread);
  record.SetRunner(*thread);
  scheduler_.activity().counters.promotions.Add();
  return thread;
}

void ReadyThreads::FireDueTimers() {
  Timers& timers = scheduler_.shared().timers;
  if (timers.earliest() == kNever) return;
  timers.FireDue(
      std::chrono::duration_cast<std::chrono::nanoseconds>(scheduler_.Now().time_since_epoch())
          .count());
}

// A thread that is woken runs when the child that is being started ends, before its parent.
void ReadyThreads::OnPeriodOfSpawns() {
  Scheduler& self = *Scheduler::Current();
  self.activity().counters.spawns.StartPeriod();
  self.ready().FireDueTimers();
}

void ReadyThreads::CheckGiven(const Descriptor* thread, const char* call) const {
  const char* broken = nullptr;
  if (thread == nullptr) {
    broken = " was given no thread: this ReadyThread is empty, default-made or moved from";
  } else if (thread->pool != &scheduler_.shared()) {
    broken = " was given a thread of another pool";
  }
  if (broken != nullptr) DieOfBrokenContract(absl::StrCat(call, broken), __FILE__, __LINE__);
}

// Declared in ready_thread.h.
void ReadyThread::Drop(Descriptor& thread) {
  if (thread.drop == nullptr) {
    DieOfLostThread(thread.shown_name(), thread.depth);
  }
  PoolShared& pool = *thread.pool;
  // The pool may wait for this thread's end only, and be gone with it.
  const auto counted = pool.outside.Wakes();
  std::exchange(thread.drop, nullptr)(thread);
  thread.error = std::make_exception_ptr(Dropped());
  pool.TakeBack(*std::exchange(thread.stack, nullptr));
  const auto found = thread.completion.Finish();
  if (found.waiter != nullptr) ReadyThreads::MakeReady(*found.waiter);
  if (found.detached) {
    thread.error = nullptr;
    pool.detached.Forget(thread);
    pool.TakeBack(thread);
  }
}

}  // namespace lwt
