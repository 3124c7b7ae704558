// The ring itself, and what threads that wait for operations of it leave to others: counts, as
// far as the kernel has io_uring for us.
#include "lwt/reactor/io_uring.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "lwt/lwt.h"
#include "lwt/reactor/proactor.h"
#include "lwt/tests/descriptors.h"
#include "lwt/tests/forbid.h"

namespace lwt {
namespace {

using namespace std::chrono_literals;

// As in a container.
TEST(IoUringForbidden, APoolThatAsksForItIsRefusedAndAnAutomaticOneWaitsByEpoll) {
  for (const int call : {SYS_io_uring_setup, SYS_io_uring_register}) {
    std::string skipped;
    std::thread([&] {
      if (!Forbid(call)) {
        skipped = std::string("needs seccomp filters: ") + std::strerror(errno);
        return;
      }
      const auto refused = Pool::Create({.workers = 1, .io_backend = IoBackend::kIoUring});
      EXPECT_TRUE(absl::IsUnavailable(refused.status())) << refused.status();
      EXPECT_THAT(std::string(refused.status().message()),
                  testing::ContainsRegex("io_uring is not available: io_uring_.*: .+"));
      const auto automatic = Pool::Create({.workers = 1, .io_backend = IoBackend::kAutomatic});
      ASSERT_TRUE(automatic.ok()) << automatic.status();
      EXPECT_EQ((*automatic)->io_backend(), IoBackend::kEpoll);
      const Pair pair = MakePipe();
      EXPECT_EQ((*automatic)->Run([&] { return Write(pair.writing.get(), BytesOf("x")); }).value,
                1);
    }).join();
    if (!skipped.empty()) GTEST_SKIP() << skipped;
  }
}

class IoUringHere : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto ring = IoUring::Create(); !ring.ok()) GTEST_SKIP() << ring.status().message();
  }
};

TEST_F(IoUringHere, AnAutomaticPoolHasIt) {
  const auto pool = Pool::Create({.workers = 1, .io_backend = IoBackend::kAutomatic});
  ASSERT_TRUE(pool.ok()) << pool.status();
  EXPECT_EQ((*pool)->io_backend(), IoBackend::kIoUring);
}

// Two entries for submissions, four for completions; the rest waits in the kernel.
TEST_F(IoUringHere, MoreOperationsThanItsQueuesHoldAllCompleteOnce) {
  constexpr std::size_t kOperations = 1000;
  const auto ring = IoUring::Create({.submissions = 2, .completions = 4});
  ASSERT_TRUE(ring.ok()) << ring.status();
  const IoUring::Submitted submitted =
      (*ring)->Submit(kOperations, [](std::size_t i, io_uring_sqe& entry) {
        entry.opcode = IORING_OP_NOP;
        entry.user_data = i;
      });
  if (submitted.error == EBUSY) GTEST_SKIP() << "this kernel wants completions reaped first";
  EXPECT_EQ(submitted.error, 0);
  EXPECT_EQ(submitted.count, kOperations);
  std::vector<int> completed(kOperations);
  std::size_t all = 0;
  while (all < kOperations) {
    (*ring)->Wait();
    (*ring)->Reap([&](std::uint64_t user_data, int result) {
      EXPECT_EQ(result, 0);
      ++completed[user_data];
      ++all;
    });
  }
  for (const int times : completed) EXPECT_EQ(times, 1);
}

std::string FileOf(std::string_view name, std::string_view content) {
  const std::string path = testing::TempDir() + "/" + std::string(name);
  const Fd file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  EXPECT_EQ(write(file.get(), content.data(), content.size()), ssize_t(content.size()));
  return path;
}

// An operation that drains the ring begins when all before it have completed, and later ones when
// it has: so the file is not read before the pipe is. If the read of the file held up the worker,
// the only one, nothing would ever be written to the pipe.
TEST_F(IoUringHere, AReadOfAnOrdinaryFileLeavesTheWorkerToAnotherThread) {
  alignas(4096) static std::array<std::byte, 4096> block;
  const std::string path = FileOf("suspended", std::string(block.size(), 's'));
  const Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT));
  if (file.get() < 0) GTEST_SKIP() << "this file system has no O_DIRECT";
  const Pair pair = MakePipe();
  const auto pool = *Pool::Create({.workers = 1, .io_backend = IoBackend::kIoUring});
  std::vector<char> order;
  pool->Run([&] {
    std::array<std::byte, 1> byte;
    Thread before = Spawn([&] { EXPECT_EQ(Read(pair.reading.get(), byte).value, 1); });
    Thread drain = Spawn([&] {
      io_uring_sqe entry = {};
      entry.opcode = IORING_OP_NOP;
      entry.flags = IOSQE_IO_DRAIN;
      EXPECT_EQ(pool->proactor()->Perform(entry, Deadline::max()), 0);
    });
    Thread reader = Spawn([&] {
      EXPECT_EQ(Read(file.get(), block).value, ssize_t(block.size()));
      order.push_back('r');
    });
    UntilWaiting(*pool, 3);
    order.push_back('w');
    EXPECT_EQ(Write(pair.writing.get(), BytesOf("x")).value, 1);
    reader.Join();
  });
  EXPECT_THAT(order, testing::ElementsAre('w', 'r'));
  EXPECT_EQ(block[0], std::byte{'s'});
}

TEST_F(IoUringHere, WhatThePageCacheHasIsReadWithoutIt) {
  const std::string path = FileOf("cached", "text");
  const Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<std::byte, 4> text;
  const iovec piece = {text.data(), text.size()};
  if (preadv2(file.get(), &piece, 1, 0, RWF_NOWAIT) < 0 && errno != EAGAIN) {
    GTEST_SKIP() << "this file system does not say what is cached: " << std::strerror(errno);
  }
  const auto pool = *Pool::Create({.workers = 1, .io_backend = IoBackend::kIoUring});
  pool->Run([&] {
    // Whether a read was handed over. It may always be if others need the memory.
    const auto is_handed_over = [&] {
      const std::int64_t before = pool->proactor()->operations();
      lseek(file.get(), 0, SEEK_SET);
      EXPECT_EQ(Read(file.get(), text).value, ssize_t(text.size()));
      return pool->proactor()->operations() > before;
    };
    int tries = 0;
    while (is_handed_over() && tries < 100) ++tries;
    EXPECT_LT(tries, 100);
  });
}

// What waits, and what bypasses the page cache.
TEST_F(IoUringHere, AReadIsHandedToItWhereItWouldHoldUpTheWorker) {
  const auto pool = *Pool::Create({.workers = 1, .io_backend = IoBackend::kIoUring});
  const auto operations = [&] { return pool->proactor()->operations(); };
  const Pair pair = MakeSockets();
  alignas(4096) static std::array<std::byte, 4096> block;
  const std::string path = FileOf("bypassed", std::string(block.size(), 'b'));
  const Fd direct(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT));
  pool->Run([&] {
    EXPECT_EQ(Write(pair.writing.get(), BytesOf("x")).value, 1);
    EXPECT_EQ(Read(pair.reading.get(), block).value, 1);
    EXPECT_EQ(operations(), 0);
    EXPECT_EQ(Read(pair.reading.get(), block, DeadlineAfter(1ms)).error, ETIMEDOUT);
    EXPECT_EQ(operations(), 1);
    if (direct.get() < 0) return;  // This file system has none.
    EXPECT_EQ(Read(direct.get(), block).value, ssize_t(block.size()));
    EXPECT_EQ(operations(), 2);
    EXPECT_EQ(block[0], std::byte{'b'});
  });
}

// With epoll it is EAGAIN, as for any non-blocking socket.
TEST_F(IoUringHere, AConnectionToALocalListenerWhoseQueueIsFullIsWaitedFor) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const auto* const any = reinterpret_cast<const sockaddr*>(&address);
  // A name of the system's choice, in no folder.
  const Fd listener(socket(AF_UNIX, SOCK_STREAM, 0));
  ASSERT_EQ(bind(listener.get(), any, sizeof address.sun_family), 0);
  ASSERT_EQ(listen(listener.get(), 0), 0);
  socklen_t size = sizeof address;
  getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size);
  const Fd first(socket(AF_UNIX, SOCK_STREAM, 0)), second(socket(AF_UNIX, SOCK_STREAM, 0));
  const auto pool = *Pool::Create({.workers = 1, .io_backend = IoBackend::kIoUring});
  pool->Run([&] {
    EXPECT_EQ(Connect(first.get(), any, size).error, 0);
    EXPECT_EQ(Connect(second.get(), any, size, DeadlineAfter(5ms)).error, ETIMEDOUT);
    IoResult connected = {-1, 0};
    Thread waiting = Spawn([&] { connected = Connect(second.get(), any, size); });
    UntilWaiting(*pool, 1);
    const Fd accepted(static_cast<int>(Accept(listener.get()).value));
    EXPECT_GE(accepted.get(), 0);
    waiting.Join();
    EXPECT_EQ(connected.value, 0);
    EXPECT_EQ(connected.error, 0);
  });
}

// Each thread reads a part at the position that all share.
TEST_F(IoUringHere, ThreadsThatReadOneFileAtItsPositionGetEachByteOnce) {
  constexpr int kParts = 64, kThreads = 8;
  constexpr std::size_t kBytes = 4096;
  std::string content;
  for (int i = 0; i < kParts; ++i) content.append(kBytes, static_cast<char>(i));
  const std::string path = FileOf("shared", content);
  const Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_DIRECT));
  if (file.get() < 0) GTEST_SKIP() << "this file system has no O_DIRECT";
  std::vector<int> seen(kParts);
  const auto pool = *Pool::Create({.workers = 2, .io_backend = IoBackend::kIoUring});
  pool->Run([&] {
    Mutex mutex;
    std::vector<Thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.push_back(Spawn([&] {
        const std::unique_ptr<void, decltype(&free)> memory(aligned_alloc(4096, kBytes), free);
        const std::span<std::byte> part(static_cast<std::byte*>(memory.get()), kBytes);
        while (true) {
          const IoResult got = Read(file.get(), part);
          if (got.value <= 0) {
            EXPECT_EQ(got.error, 0);
            return;
          }
          const topo::Lock lock(mutex);
          ++seen[std::to_integer<std::size_t>(part[0])];
        }
      }));
    }
  });
  for (int i = 0; i < kParts; ++i) EXPECT_EQ(seen[std::size_t(i)], 1) << i;
}

}  // namespace
}  // namespace lwt
