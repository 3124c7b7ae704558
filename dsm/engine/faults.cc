#include "dsm/engine/faults.h"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "absl/base/thread_annotations.h"
#include "topo/mutex.h"

namespace dsm {
namespace {

// Read by the handler without a lock: `listener` last.
struct Watched {
  std::atomic<std::uintptr_t> begin{0}, end{0};
  std::atomic<int> signal{0};
  std::atomic<FaultListener*> listener{nullptr};
};
constexpr std::size_t kMost = 16;
std::array<Watched, kMost> watched;

// One in the process that watches, zero in a child that it has forked, whatever way: there the
// memory is not mapped, and nobody is left to bring pages. The kernel makes it so
// (MADV_WIPEONFORK). Null: this kernel does not.
std::atomic<int>* WatchesHere() {
  static std::atomic<int>* const watches = [] {
    const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* const at =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return static_cast<std::atomic<int>*>(nullptr);
    if (madvise(at, bytes, MADV_WIPEONFORK) != 0) {
      munmap(at, bytes);
      return static_cast<std::atomic<int>*>(nullptr);
    }
    return new (at) std::atomic<int>(1);
  }();
  return watches;
}
// Set before the first watch, read by the handler.
std::atomic<std::atomic<int>*> watches_here{nullptr};

bool IsForked() {
  const std::atomic<int>* const watches = watches_here.load(std::memory_order_acquire);
  return watches != nullptr && watches->load(std::memory_order_relaxed) == 0;
}

// Held while watches come and go, never by the handler.
topo::Mutex mutex;
// By signal (IndexOf). The actions before ours are read by the handler without the mutex: they are
// written when no handler of ours can run yet.
constexpr std::size_t kSignals = 2;
std::array<struct sigaction, kSignals> actions_before;
std::array<int, kSignals> watch_counts ABSL_GUARDED_BY(mutex);

constexpr std::size_t IndexOf(int signal) { return signal == SIGSEGV ? 0 : 1; }

bool IsWrite(const void* context) {
#if defined(__x86_64__)
  constexpr greg_t kWrite = 2;  // of the processor's error code
  return (static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & kWrite) != 0;
#elif defined(__aarch64__)
  // The exception syndrome lies behind the registers; WnR is its bit 6.
  const auto* const machine = &static_cast<const ucontext_t*>(context)->uc_mcontext;
  const auto* record = reinterpret_cast<const _aarch64_ctx*>(machine->__reserved);
  for (; record->magic != 0 && record->size != 0;
       record = reinterpret_cast<const _aarch64_ctx*>(reinterpret_cast<const char*>(record) +
                                                      record->size)) {
    if (record->magic == ESR_MAGIC) {
      return (reinterpret_cast<const esr_context*>(record)->esr >> 6 & 1) != 0;
    }
  }
  return true;
#else
#error "how does this processor say whether a fault was a write?"
#endif
}

// Not of the thread that came in, as a compiler might think.
[[gnu::noinline]] void SetErrno(int value) {
  asm volatile("" ::: "memory");
  errno = value;
}

void OnSignal(int signal, siginfo_t* info, void* context) {
  const int saved = errno;
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  const bool is_forked = IsForked();
  for (Watched& one : watched) {
    if (is_forked) break;
    FaultListener* const listener = one.listener.load(std::memory_order_acquire);
    if (listener == nullptr || one.signal.load(std::memory_order_relaxed) != signal) continue;
    const std::uintptr_t begin = one.begin.load(std::memory_order_relaxed);
    if (address < begin || address >= one.end.load(std::memory_order_relaxed)) continue;
    if (!listener->OnFault(address - begin,
                           IsWrite(context) ? FaultKind::kWrite : FaultKind::kRead))
      break;
    // The kernel restores what was the alternate stack of the thread that came in.
    if (listener->MaySwitch()) {
      sigaltstack(nullptr, &static_cast<ucontext_t*>(context)->uc_stack);
    }
    SetErrno(saved);
    return;
  }
  SetErrno(saved);
  const struct sigaction& before = actions_before[IndexOf(signal)];
  if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(signal, info, context);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    return before.sa_handler(signal);
  }
  // The access is repeated when we return, and ends the process.
  struct sigaction end = {};
  end.sa_handler = SIG_DFL;
  sigaction(signal, &end, nullptr);
}

}  // namespace

SignalWatch::SignalWatch(int signal, std::span<const std::byte> view, FaultListener& listener)
    : signal_(signal) {
  const topo::Lock lock(mutex);
  while (place_ < kMost && watched[place_].listener.load() != nullptr) ++place_;
  if (place_ == kMost) {
    std::fputs("dsm: more than 16 spaces in a process\n", stderr);
    std::abort();
  }
  std::atomic<int>* const here = WatchesHere();
  if (here != nullptr && here->load(std::memory_order_relaxed) == 0) {
    // A child that makes a space of its own: of those of its parent it watches none.
    for (Watched& one : watched) {
      one.begin.store(0, std::memory_order_relaxed);
      one.end.store(0, std::memory_order_relaxed);
    }
    here->store(1, std::memory_order_release);
  }
  watches_here.store(here, std::memory_order_release);
  int& watches = watch_counts[IndexOf(signal)];
  if (watches++ == 0) sigaction(signal, nullptr, &actions_before[IndexOf(signal)]);
  if (watches == 1 || listener.MaySwitch()) {
    struct sigaction ours = {};
    ours.sa_sigaction = &OnSignal;
    // A handler of others, called by ours, may fault in its turn.
    ours.sa_flags = SA_SIGINFO | SA_NODEFER | (listener.MaySwitch() ? 0 : SA_ONSTACK);
    sigaction(signal, &ours, nullptr);
  }
  Watched& mine = watched[place_];
  mine.begin.store(reinterpret_cast<std::uintptr_t>(view.data()), std::memory_order_relaxed);
  mine.end.store(reinterpret_cast<std::uintptr_t>(view.data() + view.size()),
                 std::memory_order_relaxed);
  mine.signal.store(signal, std::memory_order_relaxed);
  mine.listener.store(&listener, std::memory_order_release);
}

SignalWatch::~SignalWatch() {
  const topo::Lock lock(mutex);
  watched[place_].listener.store(nullptr, std::memory_order_release);
  const std::size_t index = IndexOf(signal_);
  if (--watch_counts[index] == 0) sigaction(signal_, &actions_before[index], nullptr);
}

}  // namespace dsm
