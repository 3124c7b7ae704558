// The paper's way (section 2.3), to compare ours with: memory has one view, where pages are
// received, so that all other threads of the program are suspended while one comes.
//
// What is the same as ours: the fault comes as a signal, is handled in the thread that
// faulted, and the page is one read of its home's memory. What is kinder than the paper:
//
//   - the faulting thread receives the page itself; there it wakes a thread, which asks another
//     thread that receives
//   - threads register themselves; there pthread_create is hooked, and /proc is read
//
// All other threads are stopped, those that wait for pages themselves too, as the paper says. To
// spare them was tried: nothing is gained, since who is stopped is mostly on its way to a page.
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "dsm/benches/problems.h"
#include "dsm/engine/faults.h"
#include "llcl/endpoint.h"
#include "llcl/job.h"
#include "llcl/smp/conduit.h"

namespace {

using vicinity::Words;

[[noreturn]] void Fail(const char* what, const std::string& why) {
  std::fprintf(stderr, "dsm_bench_suspend: %s: %s\n", what, why.c_str());
  std::_Exit(1);
}
template <typename T>
T Value(const char* what, absl::StatusOr<T> value) {
  if (!value.ok()) Fail(what, value.status().ToString());
  return *std::move(value);
}

// Waits without spinning: who holds it needs the processor that others would spin on.
class Lock {
 public:
  void Take() {
    for (int now = 0; !state_.compare_exchange_strong(now, 1); now = 0) state_.wait(1);
  }
  void Release() {
    state_.store(0);
    state_.notify_one();
  }

 private:
  std::atomic<int> state_{0};
};

// The program's threads, and the signal that stops them. A thread that stops the others holds the
// lock, with which threads come and go too.
constexpr int kSignal = SIGUSR2;
using UserThread = std::atomic<pid_t>;  // zero: nobody
std::array<UserThread, 64> user_threads;
Lock lock;
std::atomic<int> stopped{0};
std::atomic<int> resumptions{0};
thread_local UserThread* me = nullptr;

void OnStop(int) {
  const int saved = errno;
  const int before = resumptions.load();
  stopped.fetch_add(1);
  stopped.notify_one();
  while (resumptions.load() == before) resumptions.wait(before);
  errno = saved;
}

void SuspendOthers() {
  stopped.store(0);
  int expected = 0;
  const pid_t process = getpid();
  for (UserThread& thread : user_threads) {
    if (thread.load() == 0 || &thread == me) continue;
    if (syscall(SYS_tgkill, process, thread.load(), kSignal) != 0) {
      Fail("cannot stop a thread", std::strerror(errno));
    }
    ++expected;
  }
  for (int now = stopped.load(); now < expected; now = stopped.load()) stopped.wait(now);
}
void ResumeOthers() {
  resumptions.fetch_add(1);
  resumptions.notify_all();
}

// This thread is one of the program's, as long as it lives.
class Entered {
 public:
  Entered() {
    lock.Take();
    for (UserThread& thread : user_threads) {
      if (thread.load() != 0) continue;
      me = &thread;
      break;
    }
    if (me == nullptr) Fail("too many threads", "64");
    me->store(static_cast<pid_t>(syscall(SYS_gettid)));
    lock.Release();
  }
  ~Entered() {
    lock.Take();
    me->store(0);
    lock.Release();
    me = nullptr;
  }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;
};

// Memory of the second rank, page by page.
class SuspendingCopies final : public dsm::FaultListener {
 public:
  SuspendingCopies(llcl::Endpoint& endpoint, llcl::RemoteRegion home, std::uint64_t page_bytes)
      : endpoint_(endpoint),
        home_(home),
        page_bytes_(page_bytes),
        here_(vicinity::kMissBytes / page_bytes) {
    void* const at = mmap(nullptr, vicinity::kMissBytes, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) Fail("mmap", std::strerror(errno));
    view_ = {static_cast<std::byte*>(at), vicinity::kMissBytes};
    region_ = Value("register", endpoint.Register(view_));
    watch_ = std::make_unique<dsm::SignalWatch>(SIGSEGV, view_, *this);
  }

  Words words() const { return {reinterpret_cast<std::uint64_t*>(view_.data()), view_.size() / 8}; }
  void Drop() {
    std::fill(here_.begin(), here_.end(), char{0});
    Protect(view_, PROT_NONE);
  }
  std::unique_ptr<Entered> Enter() const { return std::make_unique<Entered>(); }

 private:
  bool OnFault(std::uint64_t offset, dsm::FaultKind) override {
    const std::uint64_t page = offset / page_bytes_;
    lock.Take();
    if (here_[page] == 0) {
      SuspendOthers();
      const auto memory = view_.subspan(page * page_bytes_, page_bytes_);
      Protect(memory, PROT_READ | PROT_WRITE);
      Receive(page);
      // So that the first write is seen.
      Protect(memory, PROT_READ);
      here_[page] = 1;
      ResumeOthers();
    }
    lock.Release();
    return true;
  }
  void Receive(std::uint64_t page) {
    const std::uint64_t at = page * page_bytes_;
    llcl::Counter done;
    if (endpoint_.TryRead({.from = {home_, at},
                           .to = {region_.local(), at},
                           .bytes = page_bytes_,
                           .then = done.completion()}) != llcl::Posted::kPosted) {
      Fail("a page is refused", "");
    }
    done.SleepUntilDone(1);
  }
  static void Protect(std::span<std::byte> memory, int protection) {
    if (mprotect(memory.data(), memory.size(), protection) != 0) {
      Fail("mprotect", std::strerror(errno));
    }
  }

  llcl::Endpoint& endpoint_;
  const llcl::RemoteRegion home_;
  const std::uint64_t page_bytes_;
  std::vector<char> here_;  // under lock
  std::span<std::byte> view_;
  llcl::Region region_;
  std::unique_ptr<dsm::SignalWatch> watch_;
};

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  auto launch = Value("launch", llcl::FindLaunch());
  if (launch->size() != 2) Fail("the bench is for two ranks", "llclrun -n 2 dsm_bench_suspend");
  llcl::EndpointOptions options;
  options.executor.mode = llcl::Mode::kOffload;
  {
    llcl::Endpoint endpoint(Value("conduit", llcl::MakeSmpConduit(*launch)), options);
    const auto memory = Value("allocate", endpoint.Allocate(vicinity::kMissBytes));
    vicinity::Fill(
        {reinterpret_cast<std::uint64_t*>(memory.local().start), vicinity::kMissBytes / 8});
    const auto homes = Value("exchange", llcl::Exchange(endpoint, memory));
    std::vector<std::unique_ptr<SuspendingCopies>> contestants;
    if (ToInt(launch->rank()) == 0) {
      struct sigaction stop = {};
      stop.sa_handler = &OnStop;
      sigaction(kSignal, &stop, nullptr);
      for (const std::uint64_t page_bytes : vicinity::kPageBytes) {
        contestants.push_back(std::make_unique<SuspendingCopies>(endpoint, homes[1], page_bytes));
        vicinity::RegisterReadMisses(*contestants.back(), "suspend", "shared_memory", page_bytes);
      }
      benchmark::RunSpecifiedBenchmarks();
    }
    // The other rank's thread makes the progress, and this sleeps.
    Value("the end", launch->Allgather(""));
  }
  return launch->Allgather("").ok() ? 0 : 1;
}
