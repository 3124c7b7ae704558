#include "lwt/kernel/owner.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "lwt/kernel/pool_shared.h"
#include "lwt/kernel/scheduler.h"
#include "lwt/kernel/simulator.h"
#include "lwt/machine/os_stack.h"
#include "lwt/threads/descriptor.h"
#include "lwt/threads/descriptor_store.h"
#include "lwt/wait/deadlock_report.h"
#include "topo/mutex.h"
#include "topo/spin_lock.h"

namespace lwt {

template class BasicOwner<Atomic, PoolThreads>;

namespace {

std::string NameOf(const Descriptor& thread) {
  return absl::StrCat(thread.shown_name(), " (depth ", static_cast<std::uint32_t>(thread.depth),
                      ")");
}

// A lwt::Mutex begins with its owner, so the edge is its address; of a C program's it is inside.
std::string Describe(const Descriptor& waiter, const Descriptor& awaited) {
  const std::uintptr_t edge = waiter.awaits.Load(std::memory_order_relaxed);
  if (edge % 4 == 1) {
    return absl::StrCat(NameOf(waiter), " waits for the end of ", NameOf(awaited), "\n");
  }
  if (edge % 4 == 2) {
    return absl::StrCat(NameOf(waiter), " waits for a forked call that ", NameOf(awaited),
                        " runs\n");
  }
  const std::string waits =
      absl::StrCat(NameOf(waiter), " waits for the mutex at 0x", absl::Hex(edge));
  if (&waiter == &awaited) return absl::StrCat(waits, " that it holds itself\n");
  return absl::StrCat(waits, " that ", NameOf(awaited), " holds\n");
}

}  // namespace

void PoolThreads::CheckOutsider(std::uintptr_t mark) {
  if (mark == 0 || Worker::Current() != nullptr) return;
  if (ThisOsStack().Has(mark)) {
    DieOfCycle("an OS thread outside of pools waits for a mutex that it holds itself\n");
  }
}

Descriptor* PoolThreads::Self() {
  const Scheduler* const scheduler = Scheduler::Current();
  return scheduler == nullptr ? nullptr : scheduler->current();
}

topo::BasicSpinLock<Atomic>& PoolThreads::Graph(const Descriptor& thread) {
  return thread.pool->wait_graph.lock;
}

Atomic<std::int64_t>& PoolThreads::MutexWaits(const Descriptor& thread) {
  return thread.pool->wait_graph.mutex_waits;
}

Descriptor* PoolThreads::Marked(std::uintptr_t mark, const Descriptor& asker) {
  const Stack* const stack = asker.pool->stacks.StackOf(reinterpret_cast<const void*>(mark));
  return stack == nullptr ? nullptr : static_cast<Descriptor*>(stack->thread);
}

const Descriptor* PoolThreads::EndedHolder(const Descriptor& waiter) {
  const topo::Lock lock(Graph(waiter));
  const std::uintptr_t edge = waiter.awaits.Load(std::memory_order_acquire);
  if (edge == 0 || edge % 4 != 0) return nullptr;
  auto& mutex = *reinterpret_cast<BasicOwner<Atomic, PoolThreads>*>(edge);
  const std::uintptr_t mark = mutex.word().Load(std::memory_order_acquire);
  const Descriptor* const holder = mark == 0 ? nullptr : Marked(mark, waiter);
  return holder != nullptr && holder->completion.HasEnded() ? holder : nullptr;
}

std::string EndedHolders(const DescriptorStore& threads) {
  std::string report;
  threads.ForEach([&](const Descriptor& thread) {
    const Descriptor* const holder = PoolThreads::EndedHolder(thread);
    if (holder == nullptr) return;
    absl::StrAppend(&report, NameOf(thread),
                    " waits for a mutex whose holder has ended: ", NameOf(*holder),
                    ", or one before it on the same stack\n");
  });
  return report;
}

void PoolThreads::OnCycle(const Descriptor& self, std::span<Descriptor* const> cycle) {
  std::string report;
  const Descriptor* waiter = &self;
  for (const Descriptor* const awaited : cycle) {
    report += Describe(*waiter, *awaited);
    waiter = awaited;
  }
  if (Simulator* const simulator = self.pool->simulator; simulator != nullptr) {
    simulator->OnCycle(report);
  } else {
    DieOfCycle(report);
  }
}

}  // namespace lwt
