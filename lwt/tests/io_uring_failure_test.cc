// Pools that wait by io_uring, where the kernel takes none of their operations, or cancels them by
// itself.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <thread>

#include "lwt/lwt.h"
#include "lwt/reactor/proactor.h"
#include "lwt/tests/descriptors.h"
#include "lwt/tests/forbid.h"

namespace lwt {
namespace {

using namespace std::chrono_literals;

class IoUringFailure : public testing::Test {
 protected:
  void SetUp() override {
    auto pool = Pool::Create({.workers = 1, .io_backend = IoBackend::kIoUring});
    if (absl::IsUnavailable(pool.status())) GTEST_SKIP() << pool.status().message();
    ASSERT_TRUE(pool.ok()) << pool.status();
    pool_ = *std::move(pool);
  }
  // From now on the only worker's OS thread, which calls this, hands no operation over.
  bool RefuseOperations(int error) {
    if (Forbid(SYS_io_uring_enter, error)) return true;
    skipped_ = std::string("needs seccomp filters: ") + std::strerror(errno);
    return false;
  }
  std::int64_t operations() const { return pool_->proactor()->operations(); }

  std::unique_ptr<Pool> pool_;
  std::string skipped_;
};

// It bypasses the page cache, so that its reads and writes are operations.
Fd DirectFile(const std::string& name) {
  const std::string path = testing::TempDir() + "/" + name;
  return Fd(open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_DIRECT, 0600));
}

constexpr std::size_t kBlock = 4096;
alignas(kBlock) std::array<std::byte, kBlock> block;

TEST_F(IoUringFailure, WithoutMemoryForOperationsAFileIsReadAndWrittenAllTheSame) {
  const Fd file = DirectFile("in_place");
  if (file.get() < 0) GTEST_SKIP() << "this file system has no O_DIRECT";
  const Pair pair = MakeSockets();
  pool_->Run([&] {
    if (!RefuseOperations(EAGAIN)) return;
    for (const char letter : {'a', 'b'}) {
      block.fill(static_cast<std::byte>(letter));
      EXPECT_EQ(Write(file.get(), block).value, ssize_t(kBlock));
    }
    EXPECT_EQ(lseek(file.get(), 0, SEEK_CUR), off_t(2 * kBlock));
    lseek(file.get(), 0, SEEK_SET);
    for (const char letter : {'a', 'b'}) {
      EXPECT_EQ(Read(file.get(), block).value, ssize_t(kBlock));
      EXPECT_EQ(block[0], static_cast<std::byte>(letter));
    }
    EXPECT_EQ(Read(file.get(), block).value, 0);
    EXPECT_EQ(Read(pair.reading.get(), block).error, ENOMEM);
    EXPECT_EQ(operations(), 0);
  });
  if (!skipped_.empty()) GTEST_SKIP() << skipped_;
}

// So older kernels do until completions are reaped.
TEST_F(IoUringFailure, AKernelThatTakesNoOperationsForNowIsTriedUntilTheDeadline) {
  const Fd file = DirectFile("busy");
  const Pair pair = MakeSockets();
  pool_->Run([&] {
    if (!RefuseOperations(EBUSY)) return;
    EXPECT_EQ(Read(pair.reading.get(), block, DeadlineAfter(5ms)).error, ETIMEDOUT);
    std::array<pollfd, 2> both = {
        {{pair.reading.get(), POLLIN, 0}, {pair.writing.get(), POLLIN, 0}}};
    const IoResult polled = Poll(both, DeadlineAfter(5ms));
    EXPECT_EQ(polled.value, 0);
    EXPECT_EQ(polled.error, 0);
    if (file.get() < 0) return;  // This file system has no O_DIRECT.
    EXPECT_EQ(Read(file.get(), block, DeadlineAfter(5ms)).error, ETIMEDOUT);
  });
  if (!skipped_.empty()) GTEST_SKIP() << skipped_;
}

// Of two that are waited for, the first to be ready ends the call.
TEST_F(IoUringFailure, AnOperationThatCannotBeCancelledIsAwaited) {
  const Pair ready = MakeSockets(), left = MakeSockets();
  pool_->Run([&] {
    std::array<pollfd, 2> both = {
        {{ready.reading.get(), POLLIN, 0}, {left.reading.get(), POLLIN, 0}}};
    bool has_ended = false;
    Thread poller = Spawn([&] {
      EXPECT_EQ(Poll(both).error, 0);
      has_ended = true;
    });
    UntilWaiting(*pool_, 1);
    const bool is_refused = RefuseOperations(EAGAIN);
    EXPECT_EQ(Write(ready.writing.get(), BytesOf("x")).value, 1);
    SleepFor(50ms);
    EXPECT_FALSE(is_refused && has_ended);
    EXPECT_EQ(Write(left.writing.get(), BytesOf("x")).value, 1);
    poller.Join();
    for (const pollfd& one : both) EXPECT_TRUE(!is_refused || one.revents == POLLIN);
  });
  if (!skipped_.empty()) GTEST_SKIP() << skipped_;
}

TEST_F(IoUringFailure, AReadThatIsCancelledFromOutsideIsNotAndAPollGoesOn) {
  const Pair pair = MakeSockets();
  int cancelled = 0;
  pool_->Run([&] {
    IoResult got, polled;
    pollfd readable = {pair.reading.get(), POLLIN, 0};
    Thread reader = Spawn([&] { got = Read(pair.reading.get(), block); });
    Thread poller = Spawn([&] { polled = Poll({&readable, 1}); });
    UntilWaiting(*pool_, 2);
    io_uring_sqe entry = {};
    entry.opcode = IORING_OP_ASYNC_CANCEL;
    entry.fd = pair.reading.get();
    entry.cancel_flags = IORING_ASYNC_CANCEL_FD | IORING_ASYNC_CANCEL_ALL;
    cancelled = pool_->proactor()->Perform(entry, Deadline::max());
    if (cancelled >= 0) reader.Join();
    EXPECT_EQ(Write(pair.writing.get(), BytesOf("x")).value, 1);
    if (cancelled < 0) return;
    EXPECT_EQ(got.error, ENOMEM);
    poller.Join();
    EXPECT_EQ(polled.value, 1);
  });
  if (cancelled == -EINVAL) GTEST_SKIP() << "this kernel cancels by address only";
  EXPECT_EQ(cancelled, 2);
}

// The process may have no further thread while it lives, as far as this binds its user.
class NoMoreThreads {
 public:
  NoMoreThreads() {
    getrlimit(RLIMIT_NPROC, &before_);
    const rlimit none = {0, before_.rlim_max};
    setrlimit(RLIMIT_NPROC, &none);
  }
  ~NoMoreThreads() { setrlimit(RLIMIT_NPROC, &before_); }

 private:
  rlimit before_;
};

// Of the calling OS thread alone: nobody's, where it is root's, whom no limit binds.
void BecomeOrdinary() {
  if (getuid() != 0) return;
  constexpr int kNobody = 65534;
  syscall(SYS_setresuid, kNobody, kNobody, kNobody);
  prctl(PR_SET_DUMPABLE, 1);  // For the sanitizers.
}
bool CanStartThread() {
  try {
    std::thread([] {}).join();
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

// The kernel reads it by a thread of its own, or cancels the read.
TEST_F(IoUringFailure, AFileIsReadAlsoWhereTheKernelMayStartNoThread) {
  const Fd file(open("/proc/self/status", O_RDONLY | O_CLOEXEC));
  pool_->Run([&] {
    const NoMoreThreads none;
    BecomeOrdinary();
    if (CanStartThread()) {
      skipped_ = "this user's threads are not limited";
      return;
    }
    const IoResult got = Read(file.get(), block);
    EXPECT_EQ(got.error, 0);
    EXPECT_GT(got.value, 0);
    EXPECT_GT(operations(), 0);
    EXPECT_EQ(lseek(file.get(), 0, SEEK_CUR), got.value);
  });
  if (!skipped_.empty()) GTEST_SKIP() << skipped_;
}

}  // namespace
}  // namespace lwt
