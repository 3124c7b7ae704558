// The one global pool that MassiveThreads' functions stand for, and what they do
// with it. Reads the environment, as they do.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "lwt/contract.h"
#include "lwt/lwt.h"
#include "lwt/myth.h"
#include "lwt/schedule/scheduler.h"
#include "topo/mutex.h"

namespace {

using lwt::Descriptor;
using lwt::Pool;
using lwt::ReadyThread;
using lwt::ReadyThreads;
using lwt::Scheduler;
using lwt::ThreadAccess;
using lwt::Worker;

topo::Mutex pool_mutex;
std::unique_ptr<Pool> pool ABSL_GUARDED_BY(pool_mutex);
std::atomic<Pool*> running{nullptr};  // it, once it runs
std::atomic<myth_steal_func_t> steal_function{nullptr};

Descriptor& ThreadOf(myth_thread_t th) { return *reinterpret_cast<Descriptor*>(th); }
myth_thread_t HandleOf(Descriptor* thread) { return reinterpret_cast<myth_thread_t>(thread); }
Descriptor& ThreadOrSelf(myth_thread_t th) {
  return th == nullptr ? *Scheduler::OfThread("a hint of the calling thread").current()
                       : ThreadOf(th);
}

ReadyThread ReadyOf(myth_thread_t th) {
  return th == nullptr ? ReadyThread() : ReadyThreads::Wrap(ThreadOf(th));
}

std::size_t FromEnvironment(const char* name, std::size_t otherwise) {
  const char* const text = std::getenv(name);
  const long value = text == nullptr ? 0 : std::atol(text);
  return value > 0 ? static_cast<std::size_t>(value) : otherwise;
}

// Of threads without attributes; set by the attributes that started the workers.
std::atomic<bool> children_first{true};

int Start(int workers, std::size_t stack_bytes, bool bind) {
  const topo::Lock lock(pool_mutex);
  if (pool != nullptr) return 0;
  lwt::PoolOptions options;
  options.workers =
      workers > 0 ? workers : static_cast<int>(FromEnvironment("MYTH_NUM_WORKERS", 0));
  options.stack_bytes = stack_bytes > 0 ? stack_bytes : FromEnvironment("MYTH_DEF_STKSIZE", 65536);
  if (bind) options.placement = topo::Policy::kScatter;
  auto made = Pool::Create(options);
  if (!made.ok()) return absl::IsInvalidArgument(made.status()) ? EINVAL : EAGAIN;
  pool = *std::move(made);
  running.store(pool.get());
  return 0;
}

Pool& ThePool() {
  // A thread that still runs while myth_fini waits is on a worker of the ending pool.
  if (Worker* const worker = Worker::Current(); worker != nullptr) return worker->pool();
  if (running.load() == nullptr && Start(0, 0, false) != 0) {
    std::fputs("myth: the workers cannot be started; myth_init says why.\n", stderr);
    std::abort();
  }
  return *running.load();
}

// Calls `f` on a worker: here if this is one. 0, or ENOMEM.
template <typename F>
int OnWorker(F f) {
  try {
    if (Worker::Current() != nullptr) {
      f();
    } else {
      ThePool().Run(f);
    }
    return 0;
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
}

struct Exit {
  void* result;
};

// A thread's body: runs the function and keeps what it returns.
struct Body {
  myth_func_t function;
  void* argument;
  void operator()() const {
    void* result = nullptr;
    try {
      result = function(argument);
    } catch (const Exit& exit) {
      result = exit.result;
    }
    Scheduler::Current()->current()->result = result;
  }
};

std::span<const std::byte> HintOf(const myth_thread_attr_t* attr) {
  if (attr == nullptr || attr->custom_data == nullptr) return {};
  return {static_cast<const std::byte*>(attr->custom_data), attr->custom_data_size};
}

myth_thread_t Release(lwt::Thread thread, const myth_thread_attr_t* attr) {
  Descriptor* const released = ThreadAccess::Release(thread);
  if (attr != nullptr && attr->detachstate != 0) ThreadAccess::Make(*released).Detach();
  return HandleOf(released);
}

struct CSteal {
  myth_steal_func_t function;
  ReadyThread Steal(Worker& self) const {
    const myth_thread_t stolen = function(self.index());
    return stolen == nullptr ? ReadyThread() : ReadyThreads::Wrap(ThreadOf(stolen));
  }
};

}  // namespace

extern "C" {

int myth_globalattr_init(myth_globalattr_t* attr) {
  *attr = {};
  attr->child_first = 1;
  return 0;
}
int myth_globalattr_set_n_workers(myth_globalattr_t* attr, size_t n_workers) {
  if (n_workers > static_cast<size_t>(std::numeric_limits<int>::max())) return EINVAL;
  attr->n_workers = static_cast<int>(n_workers);
  return 0;
}
int myth_globalattr_set_stacksize(myth_globalattr_t* attr, size_t stacksize) {
  attr->stacksize = stacksize;
  return 0;
}
int myth_globalattr_set_bind_workers(myth_globalattr_t* attr, int bind_workers) {
  attr->bind_workers = bind_workers;
  return 0;
}
int myth_globalattr_set_child_first(myth_globalattr_t* attr, int child_first) {
  attr->child_first = child_first;
  return 0;
}
int myth_init(void) { return Start(0, 0, false); }
int myth_init_ex(myth_globalattr_t* attr) {
  children_first = attr->child_first != 0;
  return Start(attr->n_workers, attr->stacksize, attr->bind_workers != 0);
}
void myth_fini(void) {
  std::unique_ptr<Pool> ending;
  {
    const topo::Lock lock(pool_mutex);
    ending = std::move(pool);
  }
  // Without the lock: threads that the destructor waits for may call functions that take it.
  Pool* was = ending.get();
  ending.reset();
  running.compare_exchange_strong(was, nullptr);
}

int myth_thread_attr_init(myth_thread_attr_t* attr) {
  *attr = {};
  attr->child_first = children_first ? 1 : 0;
  return 0;
}

int myth_create_ex(myth_thread_t* id, myth_thread_attr_t* attr, myth_func_t func, void* arg) {
  return OnWorker([&] {
    const bool child_first = attr == nullptr ? children_first.load() : attr->child_first != 0;
    myth_thread_t made = nullptr;
    if (child_first) {
      made = Release(ThreadAccess::OrThrow(ThreadAccess::Spawn(Body{func, arg}, {}, HintOf(attr))),
                     attr);
    } else {
      auto [thread, ready] = lwt::Create(Body{func, arg}, {}, HintOf(attr));
      made = Release(std::move(thread), attr);
      Worker::Current()->Push(std::move(ready));
    }
    if (id != nullptr) *id = made;
  });
}

myth_thread_t myth_create(myth_func_t func, void* arg) {
  myth_thread_t made = nullptr;
  return myth_create_ex(&made, nullptr, func, arg) == 0 ? made : nullptr;
}

myth_thread_t myth_create_nosched(myth_func_t func, void* arg, myth_thread_attr_t* attr) {
  myth_thread_t made = nullptr;
  (void)OnWorker([&] {
    auto [thread, ready] = lwt::Create(Body{func, arg}, {}, HintOf(attr));
    ReadyThreads::Unwrap(std::move(ready));  // The program's to schedule from here on.
    made = Release(std::move(thread), attr);
  });
  return made;
}

void myth_exit(void* ret) {
  lwt::CheckContract(Worker::Current() != nullptr,
                     "myth_exit ends the thread that calls it, and main is none");
  throw Exit{ret};
}

int myth_join(myth_thread_t th, void** result) {
  if (th == nullptr) return ESRCH;
  std::exception_ptr thrown;  // by the thread: not to be taken for what OnWorker throws
  const int error = OnWorker([&] {
    try {
      void* const joined = ThreadAccess::JoinForResult(ThreadAccess::Make(ThreadOf(th)));
      if (result != nullptr) *result = joined;
    } catch (...) {
      thrown = std::current_exception();
    }
  });
  if (thrown != nullptr) std::rethrow_exception(thrown);
  return error;
}

int myth_tryjoin(myth_thread_t th, void** result) {
  if (th == nullptr) return ESRCH;
  if (ThreadOf(th).completion.IsRunning()) return EBUSY;
  return myth_join(th, result);
}

int myth_detach(myth_thread_t th) {
  if (th == nullptr) return ESRCH;
  return OnWorker([&] { ThreadAccess::Make(ThreadOf(th)).Detach(); });
}

void myth_yield(void) {
  if (Worker::Current() != nullptr) lwt::Yield();
}

myth_thread_t myth_self(void) {
  const Scheduler* const scheduler = Scheduler::Current();
  if (scheduler == nullptr || scheduler->current() == nullptr) return nullptr;
  Descriptor& self = *scheduler->current();
  if (!self.is_known) {
    // Its handle is known from here on: the extra turn makes EndChild look at is_known.
    self.is_known = true;
    ++self.turns;
  }
  return HandleOf(&self);
}
int myth_equal(myth_thread_t t1, myth_thread_t t2) { return t1 == t2; }
int myth_is_myth_worker(void) { return Worker::Current() != nullptr; }
int myth_get_worker_num(void) { return lwt::WorkerIndex(); }
int myth_get_num_workers(void) { return ThePool().workers(); }

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
    ThePool().SetPolicy(lwt::RandomVictim());
  } else {
    ThePool().SetPolicy(CSteal{fn});
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
                     "myth_wsapi_randarr gives as many different workers as there are, or fewer");
  int count = 0;
  for (int last = workers - n; last < workers; ++last) {
    const int chosen = myth_wsapi_rand2(0, last + 1);
    const bool taken = std::find(ret, ret + count, chosen) != ret + count;
    ret[count++] = taken ? last : chosen;
  }
}

}  // extern "C"
