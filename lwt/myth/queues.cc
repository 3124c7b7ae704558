#include "lwt/myth/queues.h"

#include <algorithm>
#include <atomic>
#include <span>
#include <utility>
#include <vector>

#include "lwt/c/workers.h"
#include "lwt/contract.h"
#include "lwt/lwt.h"

namespace {

using lwt::Descriptor;
using lwt::ReadyThread;
using lwt::ReadyThreads;
using lwt::Scheduler;
using lwt::Worker;

std::atomic<myth_steal_func_t> steal_function{nullptr};

Descriptor& ThreadOf(myth_thread_t th) { return *reinterpret_cast<Descriptor*>(th); }
myth_thread_t HandleOf(Descriptor* thread) { return reinterpret_cast<myth_thread_t>(thread); }
Descriptor& ThreadOrSelf(myth_thread_t th) {
  return th == nullptr ? *Scheduler::OfThread("a function for the calling thread").current()
                       : ThreadOf(th);
}

ReadyThread ReadyOf(myth_thread_t th) {
  return th == nullptr ? ReadyThread() : ReadyThreads::Wrap(ThreadOf(th));
}

struct CSteal {
  myth_steal_func_t function;
  ReadyThread Steal(Worker& self) const { return ReadyOf(function(self.index())); }
};

}  // namespace

extern "C" {

size_t myth_wsapi_get_hint_size(myth_thread_t th) { return ThreadOrSelf(th).hint.bytes(); }
void* myth_wsapi_get_hint_ptr(myth_thread_t th) { return ThreadOrSelf(th).hint.data(); }

void myth_wsapi_set_hint(myth_thread_t th, void** data, size_t* size) {
  Descriptor& thread = ThreadOrSelf(th);
  thread_local std::vector<std::byte> old;
  std::vector<std::byte> before(thread.hint.bytes());
  std::size_t bytes = 0;
  (void)thread.hint.TryRead(before, bytes);
  if (!thread.SetHint({static_cast<const std::byte*>(*data), *size})) return;
  old = std::move(before);
  *data = old.data();
  *size = old.size();
}

myth_steal_func_t myth_wsapi_set_stealfunc(myth_steal_func_t fn) {
  const myth_steal_func_t before = steal_function.exchange(fn);
  if (fn == nullptr) {
    lwt::c::ThePool().SetPolicy(lwt::RandomVictim());
  } else {
    lwt::c::ThePool().SetPolicy(CSteal{fn});
  }
  return before;
}

void myth_wsapi_runqueue_push(myth_thread_t th) {
  Worker::Here("myth_wsapi_runqueue_push").Push(ReadyOf(th));
}
myth_thread_t myth_wsapi_runqueue_pop(void) {
  return HandleOf(ReadyThreads::Unwrap(Worker::Here("myth_wsapi_runqueue_pop").Pop()));
}
myth_thread_t myth_wsapi_runqueue_take(int victim, myth_wsapi_decidefn_t decidefn, void* udata) {
  const lwt::Victim from = Worker::Here("myth_wsapi_runqueue_take").victim(victim);
  return HandleOf(ReadyThreads::Unwrap(from.TakeIf([&](Descriptor& thread) {
    return decidefn == nullptr || decidefn(HandleOf(&thread), udata) != 0;
  })));
}
int myth_wsapi_runqueue_pass(int target, myth_thread_t th) {
  Worker::Here("myth_wsapi_runqueue_pass").victim(target).Put(ReadyOf(th));
  return 1;
}
myth_thread_t myth_wsapi_runqueue_peek(int victim, void* ptr, size_t* psize) {
  const std::span<std::byte> space(static_cast<std::byte*>(ptr),
                                   ptr == nullptr || psize == nullptr ? 0 : *psize);
  std::size_t bytes = 0;
  Descriptor* const thread =
      Worker::Here("myth_wsapi_runqueue_peek").victim(victim).PeekThread(space, bytes);
  if (psize != nullptr) *psize = thread == nullptr ? 0 : std::min(bytes, space.size());
  return HandleOf(thread);
}

int myth_wsapi_rand(void) { return myth_wsapi_rand2(0, Worker::Here("myth_wsapi_rand").workers()); }
int myth_wsapi_rand2(int min, int max) {
  lwt::CheckContract(min < max, "myth_wsapi_rand2 gives a number from min to max - 1");
  return min + static_cast<int>(
                   Worker::Here("myth_wsapi_rand2").Random(static_cast<std::uint32_t>(max - min)));
}
void myth_wsapi_randarr(int* ret, int n) {
  // Floyd's: each set of n workers is as likely as any other.
  const int workers = Worker::Here("myth_wsapi_randarr").workers();
  lwt::CheckContract(n >= 0 && n <= workers,
                     "myth_wsapi_randarr gives at most as many different workers as there are");
  int count = 0;
  for (int last = workers - n; last < workers; ++last) {
    const int chosen = myth_wsapi_rand2(0, last + 1);
    const bool taken = std::find(ret, ret + count, chosen) != ret + count;
    ret[count++] = taken ? last : chosen;
  }
}

myth_thread_t myth_steal(void) {
  Worker& worker = Worker::Here("myth_steal");
  if (worker.workers() == 1) return nullptr;
  int victim = myth_wsapi_rand2(0, worker.workers() - 1);
  if (victim >= worker.index()) ++victim;
  return myth_wsapi_runqueue_take(victim, nullptr, nullptr);
}
void myth_import(myth_thread_t th) { myth_wsapi_runqueue_push(th); }

void myth_log_start(void) {}
void myth_log_pause(void) {}
void myth_log_flush(void) {}
void myth_log_reset(void) {}
void myth_sched_prof_start(void) {}
void myth_sched_prof_pause(void) {}
void myth_log_annotate_thread(myth_thread_t /*th*/, char* /*name*/) {}

}  // extern "C"
