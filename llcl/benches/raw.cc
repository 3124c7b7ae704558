// What a round trip takes at least: of a word by a TCP connection, both of whose ends poll it and
// have a processor each; and of a rank that sleeps, by a connection and by a futex in memory that
// is shared. llcl serves only to exchange addresses.
#include <arpa/inet.h>
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include "llcl/benches/problems.h"
#include "llcl/launch/launch.h"

namespace {

void Check(bool is_done, const char* what) {
  if (is_done) return;
  std::fprintf(stderr, "llcl_bench_raw: %s: %s\n", what, std::strerror(errno));
  std::_Exit(1);
}

bool IsFirst(const llcl::Launch& launch) { return ToInt(launch.rank()) == 0; }

std::string FromFirst(llcl::Launch& launch, const std::string& mine) {
  const auto all = launch.Allgather(mine);
  if (!all.ok()) std::_Exit(1);
  return all->front();
}

int Connect(llcl::Launch& launch) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  socklen_t bytes = sizeof address;
  if (IsFirst(launch)) {
    Check(bind(socket, generic, bytes) == 0 && listen(socket, 1) == 0, "listening");
    Check(getsockname(socket, generic, &bytes) == 0, "the port");
  }
  const std::string port = FromFirst(launch, std::to_string(ntohs(address.sin_port)));
  int connection = socket;
  if (IsFirst(launch)) {
    connection = accept(socket, nullptr, nullptr);
    close(socket);
  } else {
    address.sin_port = htons(static_cast<std::uint16_t>(std::stoi(port)));
    Check(connect(socket, generic, bytes) == 0, "connecting");
  }
  const int at_once = 1;
  Check(setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once) == 0, "options");
  return connection;
}

// A word each way. False: the other has closed it.
bool Receive(int connection, bool polls) {
  char word[8];
  for (int looks = 0;; ++looks) {
    const ssize_t got = recv(connection, word, sizeof word, polls ? MSG_DONTWAIT : 0);
    if (got == sizeof word) return true;
    if (got == 0 || errno != EAGAIN) return false;
    if (looks % 100 == 99) sched_yield();
  }
}
void Send(int connection) {
  const char word[8] = {};
  Check(send(connection, word, sizeof word, MSG_NOSIGNAL) == sizeof word, "sending");
}

struct Futex {
  static constexpr std::uint32_t kNoMore = ~std::uint32_t{0};
  std::atomic<std::uint32_t> asked{0}, answered{0};

  static void Wait(std::atomic<std::uint32_t>& word, std::uint32_t old) {
    while (word.load(std::memory_order_acquire) == old) {
      (void)syscall(SYS_futex, &word, FUTEX_WAIT, old, nullptr, nullptr, 0);
    }
  }
  static void Set(std::atomic<std::uint32_t>& word, std::uint32_t value) {
    word.store(value, std::memory_order_release);
    (void)syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  }
};

// The same memory in both ranks.
Futex& Share(llcl::Launch& launch) {
  int memory = IsFirst(launch) ? memfd_create("llcl_bench_raw", MFD_CLOEXEC) : -1;
  if (IsFirst(launch)) Check(memory >= 0 && ftruncate(memory, sizeof(Futex)) == 0, "memory");
  const std::string path =
      FromFirst(launch, "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(memory));
  if (memory < 0) memory = open(path.c_str(), O_RDWR | O_CLOEXEC);
  void* const at = mmap(nullptr, sizeof(Futex), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  Check(at != MAP_FAILED, "mapping memory");
  return *static_cast<Futex*>(at);
}

// For RegisterWakeUp.
struct Sleeper {
  int connection = -1;
  Futex* futex = nullptr;
};
class Raw {
 public:
  Raw(Sleeper& sleeper, int /*thread*/) : sleeper_(sleeper) {}

  void Ask() {
    if (sleeper_.futex == nullptr) {
      Send(sleeper_.connection);
      (void)Receive(sleeper_.connection, false);
      return;
    }
    Futex& futex = *sleeper_.futex;
    const std::uint32_t before = futex.answered.load(std::memory_order_relaxed);
    Futex::Set(futex.asked, before + 1);
    Futex::Wait(futex.answered, before);
  }

 private:
  Sleeper& sleeper_;
};

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  auto launch = llcl::FindLaunch();
  if (!launch.ok() || (*launch)->size() != 2) {
    std::fprintf(stderr, "the bench is for two ranks: llclrun -n 2 llcl_bench_raw\n");
    return 2;
  }
  const int polled = Connect(**launch), slept = Connect(**launch);
  Sleeper by_tcp = {.connection = slept}, by_memory = {.futex = &Share(**launch)};
  if (IsFirst(**launch)) {
    for (const vicinity::Op op : {vicinity::Op::kRead, vicinity::Op::kWrite, vicinity::Op::kAdd}) {
      const std::string name = vicinity::NameOf(op) + std::string("_latency/socket/tcp/bytes:8");
      benchmark::RegisterBenchmark(name.c_str(),
                                   [polled](benchmark::State& state) {
                                     for (auto _ : state) {
                                       Send(polled);
                                       (void)Receive(polled, true);
                                     }
                                   })
          ->ThreadRange(1, 1)
          ->UseRealTime()
          ->MinTime(0.05);
    }
    vicinity::RegisterWakeUp<Raw>(by_tcp, "socket", "tcp");
    vicinity::RegisterWakeUp<Raw>(by_memory, "futex", "shared_memory");
    vicinity::RunAll();
    close(polled);
    close(slept);
    Futex::Set(by_memory.futex->asked, Futex::kNoMore);
    return (*launch)->Allgather("").ok() ? 0 : 1;
  }
  // The polling end takes its processor only while it is asked: the other rows' ranks sleep.
  std::thread poller([polled] {
    while (Receive(polled, false)) {
      Send(polled);
      for (int looks = 0; looks < 2000;) {
        char word[8];
        const ssize_t got = recv(polled, word, sizeof word, MSG_DONTWAIT);
        if (got == 0) return;
        if (got < 0) {
          ++looks;
          continue;
        }
        Send(polled);
        looks = 0;
      }
    }
  });
  std::thread sleeper([slept] {
    while (Receive(slept, false)) Send(slept);
  });
  for (std::uint32_t asked = 0;;) {
    Futex::Wait(by_memory.futex->asked, asked);
    asked = by_memory.futex->asked.load(std::memory_order_acquire);
    if (asked == Futex::kNoMore) break;
    Futex::Set(by_memory.futex->answered, asked);
  }
  poller.join();
  sleeper.join();
  return (*launch)->Allgather("").ok() ? 0 : 1;
}
