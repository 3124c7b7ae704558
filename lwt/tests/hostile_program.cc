// A program for hostile_host_test: threads wait for input and for time, by the backend in the
// argument. Whatever Pool::Create refuses is one sentence, and exit code 1.
//
// usage: hostile_program epoll|automatic|io_uring|bound
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

#include "lwt/lwt.h"

namespace {

constexpr long kRounds = 300, kBytes = 1000;

// Returns how many bytes went through a pipe, or -1 for an error.
long Carry(int from, int to) {
  long got = 0;
  lwt::Thread reader = lwt::Spawn([&] {
    std::array<std::byte, 99> bytes;
    for (;;) {
      const auto result = lwt::Read(from, bytes);
      if (result.value <= 0) break;
      got += result.value;
    }
  });
  bool failed = false;
  const std::array<std::byte, kBytes> bytes = {};
  for (long round = 0; round < kRounds && !failed; ++round) {
    for (std::size_t at = 0; at < bytes.size() && !failed;) {
      const auto result = lwt::Write(to, std::span(bytes).subspan(at));
      failed = result.value < 0;
      if (failed) std::printf("error %d\n", result.error);
      if (!failed) at += static_cast<std::size_t>(result.value);
    }
    if (round % 100 == 0) lwt::SleepFor(std::chrono::milliseconds(1));
  }
  close(to);
  reader.Join();
  return failed ? -1 : got;
}

}  // namespace

int main(int argc, char** argv) {
  setvbuf(stdout, nullptr, _IONBF, 0);
  const std::string_view how = argc > 1 ? argv[1] : "automatic";
  lwt::PoolOptions options;
  options.workers = 2;
  if (how == "epoll") options.io_backend = lwt::IoBackend::kEpoll;
  if (how == "automatic") options.io_backend = lwt::IoBackend::kAutomatic;
  if (how == "io_uring") options.io_backend = lwt::IoBackend::kIoUring;
  if (how == "bound") options.placement = topo::Policy::kScatter;
  const auto pool = lwt::Pool::Create(options);
  if (!pool.ok()) return std::printf("refused: %s\n", pool.status().ToString().c_str()), 1;
  std::array<int, 2> ends;
  if (pipe(ends.data()) != 0) return std::puts("refused: no pipe"), 1;
  const long got = (*pool)->Run([&] { return Carry(ends[0], ends[1]); });
  std::printf("%s: %ld of %ld\n",
              (*pool)->io_backend() == lwt::IoBackend::kEpoll ? "epoll" : "io_uring", got,
              kRounds * kBytes);
  return got == kRounds * kBytes ? 0 : 3;
}
