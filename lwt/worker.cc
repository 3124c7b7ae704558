#include "lwt/worker.h"

#include <cxxabi.h>

#include <optional>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lwt/contract.h"
#include "lwt/fatal.h"
#include "lwt/pool.h"

namespace lwt {
namespace {

// Afterwards the record may be gone.
void FinishRecord(Record& record) {
  record.ClearRunner();  // Before its thread can become another's.
  if (Descriptor* waiter = record.completion.Finish().waiter) Worker::MakeReady(*waiter);
}

// What a thread made of a record runs.
void RunPromoted(void* handoff, void* argument) {
  Descriptor& thread = *static_cast<Descriptor*>(argument);
  Worker::Resumed(thread, static_cast<Handoff*>(handoff));
  thread.drop = nullptr;
  Record& record = *static_cast<Record*>(thread.body);
  record.run(record);
  FinishRecord(record);
  Worker::End(thread);
}

// The record's thread will not run: who waits for it gets Dropped.
void DropPromoted(Descriptor& thread) {
  Record& record = *static_cast<Record*>(thread.body);
  record.error = std::make_exception_ptr(Dropped());
  FinishRecord(record);
}

}  // namespace

[[gnu::used]] constinit thread_local Worker* lwt_current_worker = nullptr;

#if !defined(__x86_64__)
[[gnu::noinline]] Worker* Worker::Current() {
  asm volatile("");  // Not a function whose value may be kept.
  return lwt_current_worker;
}
#endif

void Worker::DieOfForeignCall(const char* call) {
  DieOfBrokenContract(
      absl::StrCat(call, " was called by ",
                   Current() == nullptr ? "an OS thread outside of pools"
                                        : "a policy, or by what Suspend calls",
                   ": a call that is for lightweight threads comes from one: Pool::Run starts the "
                   "first"),
      __FILE__, __LINE__);
}

void Worker::DieOfOtherPool(const char* call) {
  DieOfBrokenContract(absl::StrCat(call,
                                   " was called on a worker of another pool: a thread is "
                                   "joined, detached and taken by its own pool's"),
                      __FILE__, __LINE__);
}

bool Worker::MakeRoomSlowly(const char* call) {
  if (current_ == nullptr) DieOfForeignCall(call);
  return queue_.Grow();
}

// From here on no thread runs here.
void Worker::LeaveThreads() {
  current_ = nullptr;
  queue_.HideRoom();
}

// Not inlined: nothing else orders this write before what reads it in Current.
[[gnu::noinline]] Worker* Worker::BecomeCurrent(Worker* worker) {
  return std::exchange(lwt_current_worker, worker);
}

Worker::Worker(Pool& pool, int index, std::uint64_t seed)
    : cache_(pool), idle_(pool.idle_), pool_(pool), index_(index), random_(seed), queue_(256) {}

int Worker::workers() const { return pool_.workers(); }

int Worker::RandomPeer() {
  const int others = workers() - 1;
  if (others == 0) return index_;
  const int chosen = static_cast<int>(Random(static_cast<std::uint32_t>(others)));
  return chosen < index_ ? chosen : chosen + 1;
}

void Worker::NotifySlowly() {
  if (simulator_ != nullptr) {
    Spend(&CostModel::spawn_ns, &SimulatedTime::threads_ns);
  } else {
    idle_.WakeOne();
  }
}

// Starting, suspending, ending.

StackPointer Worker::Enter(Descriptor& thread) {
  current_ = &thread;
  ++thread.turns;
  return thread.sp;
}

void Worker::Resumed(Descriptor& thread, Handoff* handoff) {
  Worker& self = *Current();
  thread.stack->flow.Arrive(&self.loop_flow_);
  if (thread.exceptions.any()) *self.exceptions_ = std::exchange(thread.exceptions, {});
  thread.waits_for = nullptr;
  if (handoff != nullptr) handoff->run(*handoff);
}

void Worker::Suspend(Handoff& handoff, const char* why) {
  Worker& self = OfThread(why);
  self.Spend(&CostModel::switch_ns, &SimulatedTime::threads_ns);
  self.SwitchFrom(self.PopReady(), handoff, why);
}

// Runs `next`, or the loop, in place of the running thread.
inline void Worker::SwitchFrom(Descriptor* next, Handoff& handoff, const char* why) {
  Descriptor& thread = *current_;
  handoff.thread = &thread;
  thread.waits_for = why;
  thread.last = this;
  // Whoever runs next finds none.
  if (exceptions_->any()) thread.exceptions = std::exchange(*exceptions_, {});
  StackPointer to = loop_;
  if (next != nullptr) {
    to = Enter(*next);
    thread.stack->flow.Leave(next->stack->flow);
  } else {
    LeaveThreads();
    thread.stack->flow.Leave(loop_flow_);
  }
  void* const arrived = SwitchTo(thread.sp, to, &handoff);
  Resumed(thread, static_cast<Handoff*>(arrived));
}

bool Worker::Yield() {
  Worker& self = OfThread();
  // Not pops_: with both in turn, the one would never see the other's multiples.
  if (++self.yields_ % kPopsPerLook == 0) self.FireDueTimers();
  if (self.queue_.SizeSeenByThief() <= 0) {
    // Who yields until another has done something must let that one's time pass.
    self.Spend(&CostModel::look_ns, &SimulatedTime::looking_ns);
    return false;
  }
  struct Rotation : Handoff {
    Worker* worker = nullptr;
  } rotation;
  rotation.worker = &self;
  constexpr const char* kWhy = "its turn";
  Descriptor& thread = *self.current_;
  thread.entry = EntryOf(thread);
  Entry next;
  if (self.simulator_ == nullptr && self.queue_.StartRotation(thread, next)) {
    rotation.run = [](Handoff& base) {
      Worker& worker = *static_cast<Rotation&>(base).worker;
      worker.queue_.FinishRotation();  // From here on the thread may be gone.
      worker.NotifyOthers();
    };
    self.SwitchFrom(&ThreadOf(next.item), rotation, kWhy);
  } else {
    rotation.run = [](Handoff& base) {
      Worker& worker = *static_cast<Rotation&>(base).worker;
      worker.queue_.Put(*base.thread);
      worker.NotifyOthers();
    };
    Suspend(rotation, kWhy);
  }
  return true;
}

void Worker::SuspendCounted(Handoff& handoff, const char* why, WokenBy by) {
  OfThread(why).waits_[static_cast<int>(by)].Add(1);
  Suspend(handoff, why);
  Here().waits_[static_cast<int>(by)].Add(-1);  // Maybe of another: only all together count.
}

void Worker::End(Descriptor& thread) {
  Worker& self = *Current();
  Stack& stack = *std::exchange(thread.stack, nullptr);
  thread.is_known = false;
  const auto found = thread.completion.Finish();
  if (found.detached) {
    ForgetDetached(thread, self.pool_);
    self.cache_.Free(thread);
  }
  self.LeaveEnded(found.waiter != nullptr ? found.waiter : self.PopReady(), stack);
}

void Worker::ForgetDetached(Descriptor& thread, Pool& pool) {
  if (thread.error != nullptr) {
    DieOfDetachedException(thread.error, thread.shown_name(), thread.depth);
  }
  if (std::exchange(thread.pool_waits, false)) pool.CountDetached(-1);
}

StackPointer* Worker::EndChildSlowly(Descriptor& child, Descriptor& parent,
                                     std::uint64_t parent_turns) {
  Worker& self = *Current();
  if (child.is_known || !self.queue_.PopIf(parent.item)) End(child);
  // Perhaps on another worker than before: somebody may have moved it in the queues.
  return self.ReturnTo(parent, parent_turns, child, true);
}

// The parent waits in the queue for another reason than the spawn of `child`; or
// it is another thread by now, that got the parent's descriptor.
void Worker::PutBackAndEnd(Descriptor& parent, Descriptor& child) {
  queue_.Push(EntryOf(parent));
  End(child);
}

void Worker::LeaveEnded(Descriptor* next, Stack& stack) {
  // The handoff lies above the stack: this function's variables are lost now.
  stack.run = [](Handoff& handoff) { Current()->cache_.Free(static_cast<Stack&>(handoff)); };
  StackPointer to = loop_;
  if (next != nullptr) {
    to = Enter(*next);
    stack.flow.LeaveForEver(next->stack->flow);
  } else {
    LeaveThreads();
    stack.flow.LeaveForEver(loop_flow_);
  }
  SwitchTo(stack.left, to, static_cast<Handoff*>(&stack));
  __builtin_unreachable();
}

void Worker::MakeReady(Descriptor& thread) {
  Worker* const self = Current();
  Worker& last = *thread.last;
  Pool& pool = last.pool_;
  if (self != nullptr && &self->pool_ == &pool) {
    self->PushOrPut(thread);
    self->NotifyOthers();
    return;
  }
  thread.entry = EntryOf(thread);
  pool.outside_wakers_.fetch_add(1);
  last.queue_.Put(thread);  // From here on the thread may be gone, and the pool wait for us.
  last.NotifyOthers();
  pool.outside_wakers_.fetch_sub(1, std::memory_order_release);
}

void Worker::PushOrPut(Descriptor& thread) {
  if (queue_.HasRoom() || queue_.Grow()) {
    queue_.Push(EntryOf(thread));
    if (current_ == nullptr) queue_.HideRoom();
  } else {
    thread.entry = EntryOf(thread);
    queue_.Put(thread);
  }
}

// What is to be scheduled here.
void Worker::CheckTaken(const Descriptor* thread, const char* call) const {
  const char* broken = nullptr;
  if (thread == nullptr) {
    broken = " was given no thread: this ReadyThread is empty, made so or moved from";
  } else if (thread->pool != &pool_) {
    broken = " was given a thread of another pool";
  }
  if (broken != nullptr) DieOfBrokenContract(absl::StrCat(call, broken), __FILE__, __LINE__);
}

void Worker::Push(ReadyThread thread) {
  CheckContract(Current() == this, "Worker::Push is for that worker: others put (Victim::Put)");
  Descriptor* const pushed = thread.Release();
  CheckTaken(pushed, "Worker::Push");
  PushOrPut(*pushed);
  NotifyOthers();
}

ReadyThread Worker::Pop() {
  CheckContract(Current() == this, "Worker::Pop is for that worker: others take (Victim::Take)");
  return ReadyThread(PopHead());
}

// Finding work.

Descriptor* Worker::Promote(const Entry& entry) {
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

Descriptor* Worker::PopHead() {
  Entry entry;
  return queue_.Pop(entry) ? ThreadOrPromoted(entry) : nullptr;
}

// What runs next here: as a rule the head.
Descriptor* Worker::PopReady() {
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
Descriptor* Worker::ThreadOrPromoted(const Entry& entry) {
  if (!IsRecord(entry.item)) return &ThreadOf(entry.item);
  Descriptor* const thread = Promote(entry);
  if (thread == nullptr) queue_.Push(entry);
  return thread;
}

void Worker::Trace(TraceEvent::Kind kind, int victim, std::uint32_t depth) {
  if (trace_.capacity() == 0) return;
  if (trace_.size() == trace_.capacity()) {
    ++lost_events_;
    return;
  }
  trace_.push_back({kind, index_, pool_.Nanoseconds(index_), victim, static_cast<int>(depth)});
}

Stack* Worker::LoopStack() {
  if (pool_.stacks_.Take({&loop_stack_, 1}) == 0) throw std::bad_alloc();
  loop_flow_ = loop_stack_->flow;
  return loop_stack_;
}

void Worker::Loop() {
  BecomeCurrent(this);
  LeaveThreads();
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
    handoff->run(*handoff);
  }
  BecomeCurrent(nullptr);
}

}  // namespace lwt
