// What can go wrong while threads wait for I/O: descriptors are closed, signals
// arrive, memory and descriptors run out.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

#include "lwt/lwt.h"
#include "lwt/tests/descriptors.h"

namespace {

// How many allocations still succeed; below 0: all do.
std::atomic<int> allocations_left{-1};

bool MayAllocate() {
  int left = allocations_left.load();
  while (left > 0 && !allocations_left.compare_exchange_weak(left, left - 1)) {
  }
  return left != 0;
}

void* Allocate(std::size_t bytes) noexcept {
  return MayAllocate() ? std::malloc(bytes == 0 ? 1 : bytes) : nullptr;
}
void* AllocateOrThrow(std::size_t bytes) {
  void* const memory = Allocate(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// Not inlined, where the compiler would miss the new of a delete.
[[gnu::noinline]] void* operator new(std::size_t bytes) { return AllocateOrThrow(bytes); }
[[gnu::noinline]] void* operator new[](std::size_t bytes) { return AllocateOrThrow(bytes); }
[[gnu::noinline]] void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return Allocate(bytes);
}
[[gnu::noinline]] void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return Allocate(bytes);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace lwt {
namespace {

using namespace std::chrono_literals;

class IoFailure : public WithIo {};
INSTANTIATE_TEST_SUITE_P(By, IoFailure, kWorkersAndBackends, NameOfIo);

// Only so many allocations succeed while it lives, on any thread.
class LittleMemory {
 public:
  explicit LittleMemory(int allocations) { allocations_left = allocations; }
  ~LittleMemory() { allocations_left = -1; }
};

// The process may open so many more descriptors while it lives.
class FewDescriptors {
 public:
  explicit FewDescriptors(int more) {
    getrlimit(RLIMIT_NOFILE, &before_);
    const int next = dup(0);
    close(next);
    const rlimit few = {static_cast<rlim_t>(next + more), before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_;
};

// Interrupts one OS thread again and again while it lives. The handler stays: the last signal may
// yet be on its way.
class Signals {
 public:
  explicit Signals(pthread_t target) {
    struct sigaction nothing = {};
    nothing.sa_handler = [](int) {};
    sigaction(SIGUSR1, &nothing, nullptr);
    sender_ = std::thread([this, target] {
      while (!ended_) {
        pthread_kill(target, SIGUSR1);
        std::this_thread::yield();
      }
    });
  }
  ~Signals() {
    ended_ = true;
    sender_.join();
  }

 private:
  std::atomic<bool> ended_{false};
  std::thread sender_;
};

TEST_P(IoFailure, AReadOfADescriptorThatIsClosedMeanwhileEndsByItsDeadline) {
  Pair pair = MakePipe();
  pool_->Run([&] {
    std::array<std::byte, 1> byte;
    IoResult got;
    const int fd = pair.reading.get();
    Thread reader = Spawn([&] { got = Read(fd, byte, DeadlineAfter(300ms)); });
    UntilWaiting(*pool_, 1);
    pair.reading.CloseAnyway();
    reader.Join();
    EXPECT_EQ(got.error, ETIMEDOUT);
  });
}

// Its events still come while a copy is open, but epoll cannot watch it any more. An operation of
// io_uring's has the file, whatever becomes of the descriptor.
TEST_P(IoFailure, WaitersForAClosedDescriptorAreWokenOrGetWhatTheyWaitFor) {
  Pair pair = MakeSockets();
  FillUp(pair.writing.get());
  const Fd copy(dup(pair.writing.get()));
  pool_->Run([&] {
    const int fd = pair.writing.get();
    std::array<std::byte, 1> byte;
    IoResult got, polled;
    pollfd writable = {fd, POLLOUT, 0};
    Thread reader = Spawn([&] { got = Read(fd, byte); });
    Thread writer = Spawn([&] { polled = Poll({&writable, 1}, DeadlineAfter(20s)); });
    UntilWaiting(*pool_, 2);
    pair.writing.CloseAnyway();
    EXPECT_EQ(Write(pair.reading.get(), BytesOf("x")).value, 1);
    reader.Join();
    if (backend() == IoBackend::kIoUring) Drain(pair.reading.get());
    writer.Join();
    EXPECT_EQ(polled.value, 1);
    if (backend() == IoBackend::kIoUring) {
      EXPECT_EQ(got.value, 1);
      EXPECT_EQ(writable.revents, POLLOUT);
    } else {
      EXPECT_EQ(got.error, EBADF);
      EXPECT_EQ(writable.revents, POLLNVAL);
    }
  });
}

// However many allocations it gets, the call ends, and its nodes are in no list.
TEST_P(IoFailure, WithoutMemoryAPollSaysSoAndNothingIsLost) {
  std::vector<Pair> pairs;
  std::vector<pollfd> fds;
  for (int i = 0; i < 6; ++i) {
    pairs.push_back(MakeSockets());
    fds.push_back({pairs.back().reading.get(), POLLIN, 0});
  }
  for (int allocations = 0; allocations < 8; ++allocations) {
    pool_->Run([&] {
      IoResult result;
      bool thrown = false;
      Thread starved = Spawn([&] {
        try {
          const LittleMemory little(allocations);
          result = Poll(fds, DeadlineAfter(1ms));
        } catch (const std::bad_alloc&) {
          thrown = true;
        }
      });
      starved.Join();
      EXPECT_FALSE(thrown) << allocations;
      EXPECT_TRUE(result.error == 0 || result.error == ENOMEM) << result.error;
      Thread waiting = Spawn([&] { EXPECT_EQ(Poll(fds).value, 1); });
      UntilWaiting(*pool_, 1);
      EXPECT_EQ(Write(pairs[5].writing.get(), BytesOf("x")).value, 1);
      waiting.Join();
      EXPECT_EQ(fds[5].revents, POLLIN);
      Drain(pairs[5].reading.get());
    });
  }
}

TEST_P(IoFailure, AWaitForOneDescriptorAndItsEndNeedNoMemory) {
  const Pair pair = MakeSockets();
  pool_->Run([&] {
    std::array<std::byte, 1> byte;
    const auto read = [&](Deadline deadline) { return Read(pair.reading.get(), byte, deadline); };
    // The first of all makes the watcher; so late that it is waiting by then on a busy machine too.
    EXPECT_EQ(read(DeadlineAfter(200ms)).error, ETIMEDOUT);
    IoResult late, got;
    {
      const LittleMemory none(0);
      late = read(DeadlineAfter(1ms));
    }
    EXPECT_EQ(late.error, ETIMEDOUT);
    Thread reader = Spawn([&] { got = read(Deadline::max()); });
    UntilWaiting(*pool_, 1);
    {
      const LittleMemory none(0);
      Write(pair.writing.get(), BytesOf("x"));
      reader.Join();
    }
    EXPECT_EQ(got.value, 1);
  });
}

// A pool with io_uring has its descriptor from the beginning.
TEST_P(IoFailure, WithoutDescriptorsAReadSaysSoIfItNeedsOneAndTheNextOneTriesAgain) {
  const int expected = backend() == IoBackend::kIoUring ? ETIMEDOUT : EMFILE;
  const Pair pair = MakeSockets();
  pool_->Run([&] {
    std::array<std::byte, 1> byte;
    for (int more = 0; more < 2; ++more) {
      const FewDescriptors few(more);
      EXPECT_EQ(Read(pair.reading.get(), byte, DeadlineAfter(1ms)).error, expected) << more;
    }
    IoResult got;
    Thread reader = Spawn([&] { got = Read(pair.reading.get(), byte); });
    EXPECT_EQ(Write(pair.writing.get(), BytesOf("x")).value, 1);
    reader.Join();
    EXPECT_EQ(got.value, 1);
    EXPECT_EQ(got.error, 0);
  });
}

TEST_P(IoFailure, AThreadOfAPoolIsNotToldOfSignals) {
  const Pair pair = MakeSockets();
  pool_->Run([&] {
    const Signals signals(pthread_self());
    int told = 0;
    for (int i = 0; i < 20'000; ++i) {
      pollfd one = {pair.reading.get(), POLLIN, 0};
      if (Poll({&one, 1}, Clock::now()).error != 0) ++told;
    }
    EXPECT_EQ(told, 0);
  });
}

TEST(IoSignals, OutsideOfPoolsNoneEndsAWaitBeforeItsDeadline) {
  const Pair pair = MakeSockets();
  const Signals signals(pthread_self());
  const Deadline deadline = DeadlineAfter(20ms);
  pollfd one = {pair.reading.get(), POLLIN, 0};
  const IoResult polled = Poll({&one, 1}, deadline);
  EXPECT_EQ(polled.value, 0);
  EXPECT_EQ(polled.error, 0);
  EXPECT_GE(Clock::now(), deadline);
}

// Its handshake has no answer: the listener's queue is full.
TEST_P(IoFailure, NoSignalMakesAConnectionOfAnAttempt) {
  const Fd listener(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  ASSERT_EQ(bind(listener.get(), any, size), 0);
  ASSERT_EQ(listen(listener.get(), 0), 0);
  getsockname(listener.get(), any, &size);
  std::vector<Fd> before;
  for (int i = 0; i < 4; ++i) {
    before.emplace_back(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
    connect(before.back().get(), any, size);
  }
  const auto attempt = [&] {
    const Signals signals(pthread_self());
    const Fd client(socket(AF_INET, SOCK_STREAM, 0));
    return Connect(client.get(), any, size, DeadlineAfter(20ms)).error;
  };
  EXPECT_EQ(attempt(), ETIMEDOUT);
  EXPECT_EQ(pool_->Run(attempt), ETIMEDOUT);
}

}  // namespace
}  // namespace lwt
