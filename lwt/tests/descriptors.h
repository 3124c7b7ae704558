// Pipes and sockets for tests, and pools that wait for them either way.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "lwt/io.h"
#include "lwt/pool.h"
#include "lwt/thread.h"

namespace lwt {

inline std::span<const std::byte> BytesOf(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

// Tests that hold with any number of workers and with both ways to wait for I/O. Those with
// io_uring are skipped where the kernel has none for us, and only there.
class WithIo : public testing::TestWithParam<std::tuple<int, IoBackend>> {
 protected:
  void SetUp() override {
    auto pool = Pool::Create({.workers = workers(), .io_backend = backend()});
    if (backend() == IoBackend::kIoUring && absl::IsUnavailable(pool.status())) {
      GTEST_SKIP() << pool.status().message();
    }
    ASSERT_TRUE(pool.ok()) << pool.status();
    ASSERT_EQ((*pool)->io_backend(), backend());
    pool_ = *std::move(pool);
  }
  static int workers() { return std::get<0>(GetParam()); }
  static IoBackend backend() { return std::get<1>(GetParam()); }

  std::unique_ptr<Pool> pool_;
};
inline const auto kWorkersAndBackends = testing::Combine(
    testing::Values(1, 2), testing::Values(IoBackend::kEpoll, IoBackend::kIoUring));
inline std::string NameOfIo(const testing::TestParamInfo<std::tuple<int, IoBackend>>& info) {
  const bool is_ring = std::get<1>(info.param) == IoBackend::kIoUring;
  return (is_ring ? "IoUring" : "Epoll") + std::to_string(std::get<0>(info.param));
}

class Fd {
 public:
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  ~Fd() { Close(); }
  int get() const { return fd_; }
  void Close() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }
  // While others use it. ThreadSanitizer knows that one should not.
  void CloseAnyway() { syscall(SYS_close, std::exchange(fd_, -1)); }

 private:
  int fd_;
};

struct Pair {
  Fd reading, writing;
};
inline Pair MakePipe() {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  return {Fd(ends[0]), Fd(ends[1])};
}
inline Pair MakeSockets() {
  int ends[2];
  EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  return {Fd(ends[0]), Fd(ends[1])};
}

// So that a write to it would block.
inline void FillUp(int socket) {
  const std::array<std::byte, 4096> bytes = {};
  while (send(socket, bytes.data(), bytes.size(), MSG_DONTWAIT) > 0) {
  }
}
// What is there.
inline void Drain(int socket) {
  std::array<std::byte, 4096> bytes;
  while (recv(socket, bytes.data(), bytes.size(), MSG_DONTWAIT) > 0) {
  }
}

// Returns once so many threads of the pool wait for I/O; on a thread of it.
inline void UntilWaiting(Pool& pool, int threads) {
  const Deadline deadline = DeadlineAfter(std::chrono::seconds(20));
  for (int waiting = 0; waiting < threads; Yield()) {
    if (Clock::now() > deadline) {
      ADD_FAILURE() << waiting << " threads wait for I/O, not " << threads;
      return;
    }
    const std::string report = pool.BlockedThreads();
    waiting = 0;
    for (std::size_t at = report.find("I/O"); at != report.npos; at = report.find("I/O", at + 1)) {
      ++waiting;
    }
  }
}

}  // namespace lwt
