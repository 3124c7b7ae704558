#include "lwt/schedule/scheduler.h"

#include <cxxabi.h>

#include <optional>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lwt/contract.h"
#include "lwt/machine/overflow_watch.h"
#include "lwt/pool.h"

namespace lwt {
namespace {

// Afterwards the record may be gone.
void FinishRecord(Record& record) {
  record.ClearRunner();  // Before its thread can become another's.
  if (Descriptor* waiter = record.completion.Finish().waiter) Scheduler::MakeReady(*waiter);
}

// What a thread made of a record runs.
void RunPromoted(void* handoff, void* argument) {
  Descriptor& thread = *static_cast<Descriptor*>(argument);
  Scheduler::Resumed(thread, static_cast<Handoff*>(handoff));
  thread.drop = nullptr;
  Record& record = *static_cast<Record*>(thread.body);
  record.run(record);
  FinishRecord(record);
  Scheduler::End(thread);
}

// The record's thread will not run: who waits for it gets Dropped.
void DropPromoted(Descriptor& thread) {
  Record& record = *static_cast<Record*>(thread.body);
  record.error = std::make_exception_ptr(Dropped());
  FinishRecord(record);
}

}  // namespace

void Scheduler::DieOfOtherPool(const char* call) {
  DieOfBrokenContract(absl::StrCat(call,
                                   " was called on a worker of another pool: a thread is "
                                   "joined, detached and taken by its own pool's"),
                      __FILE__, __LINE__);
}

bool Scheduler::MakeRoomSlowly(const char* call) {
  if (current_ == nullptr) DieOfForeignCall(call);
  return queue_.Grow();
}

// From here on no thread runs here.
void Scheduler::LeaveThreads() {
  current_ = nullptr;
  queue_.HideRoom();
}

// Not inlined: nothing else orders this write before what reads it in Current.
[[gnu::noinline]] Scheduler* Scheduler::BecomeCurrent(Scheduler* scheduler) {
  return static_cast<Scheduler*>(std::exchange(lwt_current_worker, scheduler));
}

Scheduler::Scheduler(Pool& pool, int index, std::uint64_t seed, const PoolOptions& options,
                     Simulator* simulator)
    : Worker(pool, index, seed),
      cache_(pool),
      idle_(pool.idle_),
      simulator_(simulator),
      thief_(*this, options.policy),
      queue_(256) {
  trace_.Reserve(options.trace_events);
}

void Scheduler::Trace(TraceEvent::Kind kind, int victim, std::uint32_t depth) {
  if (!trace_.is_on()) return;
  trace_.Add({kind, index_, pool_.Nanoseconds(index_), victim, static_cast<int>(depth)});
}

void Scheduler::NotifySlowly() {
  if (simulator_ != nullptr) {
    Spend(&CostModel::spawn_ns, &SimulatedTime::threads_ns);
  } else {
    idle_.WakeOne();
  }
}

// Starting, suspending, ending.

StackPointer Scheduler::Enter(Descriptor& thread) {
  current_ = &thread;
  ++thread.turns;
  return thread.sp;
}

void Scheduler::Resumed(Descriptor& thread, Handoff* handoff) {
  Scheduler& self = *Current();
  thread.stack->flow.Arrive(&self.loop_.flow);
  if (thread.exceptions.any()) *self.exceptions_ = std::exchange(thread.exceptions, {});
  thread.waits_for = nullptr;
  if (handoff != nullptr) handoff->run(*handoff);
}

void Scheduler::Suspend(Handoff& handoff, const char* why) {
  Scheduler& self = OfThread(why);
  self.Spend(&CostModel::switch_ns, &SimulatedTime::threads_ns);
  self.SwitchFrom(self.PopReady(), handoff, why);
}

// Runs `next`, or the loop, in place of the running thread.
inline void Scheduler::SwitchFrom(Descriptor* next, Handoff& handoff, const char* why) {
  Descriptor& thread = *current_;
  handoff.thread = &thread;
  thread.waits_for = why;
  thread.last = this;
  // The thread that runs next finds none.
  if (exceptions_->any()) thread.exceptions = std::exchange(*exceptions_, {});
  StackPointer to = loop_.sp;
  if (next != nullptr) {
    to = Enter(*next);
    thread.stack->flow.Leave(next->stack->flow);
  } else {
    LeaveThreads();
    thread.stack->flow.Leave(loop_.flow);
  }
  void* const arrived = SwitchTo(thread.sp, to, &handoff);
  Resumed(thread, static_cast<Handoff*>(arrived));
}

bool Scheduler::Yield() {
  Scheduler& self = OfThread();
  // Not pops_: with both in turn, the one would never see the other's multiples.
  if (++self.yields_ % kPopsPerLook == 0) self.FireDueTimers();
  if (self.queue_.SizeSeenByThief() <= 0) {
    // A thread that yields until another has done something must let that one's time pass.
    self.Spend(&CostModel::look_ns, &SimulatedTime::looking_ns);
    return false;
  }
  struct Rotation : Handoff {
    Scheduler* worker = nullptr;
  } rotation;
  rotation.worker = &self;
  constexpr const char* kWhy = "its turn";
  Descriptor& thread = *self.current_;
  thread.entry = EntryOf(thread);
  Entry next;
  if (self.simulator_ == nullptr && self.queue_.StartRotation(thread, next)) {
    rotation.run = [](Handoff& base) {
      Scheduler& worker = *static_cast<Rotation&>(base).worker;
      worker.queue_.FinishRotation();  // From here on the thread may be gone.
      worker.NotifyOthers();
    };
    self.SwitchFrom(&ThreadOf(next.item), rotation, kWhy);
  } else {
    rotation.run = [](Handoff& base) {
      Scheduler& worker = *static_cast<Rotation&>(base).worker;
      worker.queue_.Put(*base.thread);
      worker.NotifyOthers();
    };
    Suspend(rotation, kWhy);
  }
  return true;
}

void Scheduler::SuspendCounted(Handoff& handoff, const char* why, WokenBy by) {
  OfThread(why).waits_[static_cast<int>(by)].Add(1);
  Suspend(handoff, why);
  Here().waits_[static_cast<int>(by)].Add(-1);  // Maybe of another: only all together count.
}

void Scheduler::End(Descriptor& thread) {
  Scheduler& self = *Current();
  Stack& stack = *std::exchange(thread.stack, nullptr);
  thread.is_known = false;
  const auto found = thread.completion.Finish();
  if (found.detached) {
    ForgetDetached(thread, self.pool_);
    self.cache_.Free(thread);
  }
  self.LeaveEnded(found.waiter != nullptr ? found.waiter : self.PopReady(), stack);
}

void Scheduler::ForgetDetached(Descriptor& thread, Pool& pool) {
  if (thread.error != nullptr) {
    DieOfDetachedException(thread.error, thread.shown_name(), thread.depth);
  }
  if (std::exchange(thread.pool_waits, false)) pool.detached_.Remove();
}

StackPointer* Scheduler::EndChildSlowly(Descriptor& child, Descriptor& parent,
                                        std::uint64_t parent_turns) {
  Scheduler& self = *Current();
  if (child.is_known || !self.queue_.PopIf(parent.item)) End(child);
  // Perhaps on another worker than before: somebody may have moved it in the queues.
  return self.ReturnTo(parent, parent_turns, child, true);
}

// The parent waits in the queue for another reason than the spawn of `child`; or
// it is another thread by now, that got the parent's descriptor.
void Scheduler::PutBackAndEnd(Descriptor& parent, Descriptor& child) {
  queue_.Push(EntryOf(parent));
  End(child);
}

void Scheduler::LeaveEnded(Descriptor* next, Stack& stack) {
  // The handoff lies above the stack: this function's variables are lost now.
  stack.run = [](Handoff& handoff) { Current()->cache_.Free(static_cast<Stack&>(handoff)); };
  StackPointer to = loop_.sp;
  if (next != nullptr) {
    to = Enter(*next);
    stack.flow.LeaveForEver(next->stack->flow);
  } else {
    LeaveThreads();
    stack.flow.LeaveForEver(loop_.flow);
  }
  SwitchTo(stack.left, to, static_cast<Handoff*>(&stack));
  __builtin_unreachable();
}

void Scheduler::MakeReady(Descriptor& thread) {
  Scheduler* const self = Current();
  Scheduler& last = *thread.last;
  Pool& pool = last.pool_;
  if (self != nullptr && &self->pool_ == &pool) {
    self->PushOrPut(thread);
    self->NotifyOthers();
    return;
  }
  thread.entry = EntryOf(thread);
  const auto counted = pool.outside_.Wakes();
  last.queue_.Put(thread);  // From here on the thread may be gone, and the pool wait for this one.
  last.NotifyOthers();
}

void Scheduler::PushOrPut(Descriptor& thread) {
  if (queue_.HasRoom() || queue_.Grow()) {
    queue_.Push(EntryOf(thread));
    if (current_ == nullptr) queue_.HideRoom();
  } else {
    thread.entry = EntryOf(thread);
    queue_.Put(thread);
  }
}

// What is to be scheduled here.
void Scheduler::CheckTaken(const Descriptor* thread, const char* call) const {
  const char* broken = nullptr;
  if (thread == nullptr) {
    broken = " was given no thread: this ReadyThread is empty, made so or moved from";
  } else if (thread->pool != &pool_) {
    broken = " was given a thread of another pool";
  }
  if (broken != nullptr) DieOfBrokenContract(absl::StrCat(call, broken), __FILE__, __LINE__);
}

// Finding work.

Descriptor* Scheduler::Promote(const Entry& entry) {
  Descriptor* const thread = cache_.New();
  if (thread == nullptr) return nullptr;
  Record& record = RecordOf(entry.item);
  thread->completion.ResetDetached();
  thread->depth = record.forker().depth + 1;
  thread->inherited = record.forker().inherited;
  thread->last = this;
  thread->body = &record;
  thread->drop = &DropPromoted;
  thread->exceptions = {};
  thread->name = "record";
  const std::size_t hint_bytes = HintClass(entry.item) * 4;  // never more than ride in it
  (void)thread->SetHint(std::as_bytes(std::span(&entry.hint, 1)).first(hint_bytes));
  thread->sp = PrepareFlow(thread->stack->top(), &RunPromoted, thread);
  record.SetRunner(*thread);
  counters_.promotions.Add();
  return thread;
}

Descriptor* Scheduler::PopHead() {
  Entry entry;
  return queue_.Pop(entry) ? ThreadOrPromoted(entry) : nullptr;
}

// What runs next here: as a rule the head.
Descriptor* Scheduler::PopReady() {
  if (++pops_ % kPopsPerLook != 0) [[likely]] {
    return PopHead();
  }
  FireDueTimers();
  Entry entry;
  if (queue_.TakeOldestPut(entry)) return &ThreadOf(entry.item);
  if (pops_ % kPopsPerOldest == 0 && queue_.Take(entry) == lwt::Take::kTaken) {
    return ThreadOrPromoted(entry);
  }
  return PopHead();
}

// Null where a record lacks the memory to become a thread: then it is at the head,
// for who forked it.
Descriptor* Scheduler::ThreadOrPromoted(const Entry& entry) {
  if (!IsRecord(entry.item)) return &ThreadOf(entry.item);
  Descriptor* const thread = Promote(entry);
  if (thread == nullptr) queue_.Push(entry);
  return thread;
}

Stack* Scheduler::LoopStack() {
  if (pool_.stacks_.Take({&loop_.stack, 1}) == 0) throw std::bad_alloc();
  loop_.flow = loop_.stack->flow;
  return loop_.stack;
}

// With what the sanitizers know of them: the stacks go with the slabs.
void Scheduler::GiveBackStacks() {
  cache_.GiveBackStacks();
  if (loop_.stack != nullptr) pool_.TakeBack(*loop_.stack);
}

void Scheduler::Loop() {
  BecomeCurrent(this);
  LeaveThreads();
  exceptions_ = reinterpret_cast<ExceptionGlobals*>(abi::__cxa_get_globals());
  std::optional<OverflowWatch> watch;
  if (simulator_ == nullptr) {
    loop_.flow.CreateForOsThread();
    watch.emplace();
  }
  Handoff nothing;
  nothing.run = [](Handoff&) {};
  while (true) {
    Descriptor* next = PopReady();
    if (next == nullptr) next = thief_.Search();
    if (next == nullptr) break;
    const StackPointer to = Enter(*next);
    loop_.flow.Leave(next->stack->flow);
    auto* const handoff = static_cast<Handoff*>(SwitchTo(loop_.sp, to, &nothing));
    loop_.flow.Arrive(nullptr);
    handoff->run(*handoff);
  }
  BecomeCurrent(nullptr);
}

}  // namespace lwt
