// I/O by lightweight threads, either way to wait for it (options.h): rows of the same problems, one
// contestant each.
#pragma once

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lwt/benches/problems.h"
#include "lwt/lwt.h"

namespace problems::io {

// A resource: both ends of a pair of sockets, or of a pipe.
class Ends {
 public:
  static Ends OfSockets() {
    Ends made;
    made.made_ = socketpair(AF_UNIX, SOCK_STREAM, 0, made.fds_.data()) == 0;
    return made;
  }
  static Ends OfPipe() {
    Ends made;
    made.made_ = pipe(made.fds_.data()) == 0;
    return made;
  }
  Ends(Ends&& other) noexcept : fds_(other.fds_), made_(std::exchange(other.made_, false)) {}
  ~Ends() {
    if (!made_) return;
    close(fds_[0]);
    close(fds_[1]);
  }
  int reading() const { return fds_[0]; }
  int writing() const { return fds_[1]; }

 private:
  Ends() = default;
  std::array<int, 2> fds_ = {-1, -1};
  bool made_ = false;
};

using Message = std::array<std::byte, 64>;

// Sends or gets a whole message.
inline bool Send(int fd, std::span<const std::byte> message) {
  return lwt::Write(fd, message).value == static_cast<ssize_t>(message.size());
}
inline bool Get(int fd, std::span<std::byte> message) {
  return lwt::Read(fd, message).value == static_cast<ssize_t>(message.size());
}

// `turns` times there and back, between two threads.
inline int PingPong(const Ends& there, const Ends& back, int turns) {
  Message message = {};
  lwt::Thread echo = lwt::Spawn([&, turns] {
    Message got;
    for (int i = 0; i < turns && Get(there.reading(), got) && Send(back.writing(), got); ++i) {
    }
  });
  int done = 0;
  while (done < turns && Send(there.writing(), message) && Get(back.reading(), message)) ++done;
  echo.Join();
  return done;
}

// A client and a server thread for each connection, `turns` requests each.
inline int Echo(const std::vector<Ends>& connections, int turns) {
  std::vector<int> done(connections.size());
  {
    std::vector<lwt::Thread> threads;
    for (std::size_t i = 0; i < connections.size(); ++i) {
      const int server = connections[i].reading(), client = connections[i].writing();
      threads.push_back(lwt::Spawn([=] {
        Message got;
        for (int turn = 0; turn < turns && Get(server, got) && Send(server, got); ++turn) {
        }
      }));
      threads.push_back(lwt::Spawn([=, &done] {
        Message message = {};
        while (done[i] < turns && Send(client, message) && Get(client, message)) ++done[i];
      }));
    }
  }
  int all = 0;
  for (const int each : done) all += each;
  return all;
}

// Where a file's blocks are when they are read.
enum class Blocks { kInMemory, kNotInMemory, kNeverInMemory };

// A resource: a file, by default in memory.
class BenchFile {
 public:
  static constexpr std::size_t kBlock = 16 << 10;
  static constexpr int kBlocks = 1024;

  BenchFile() : path_(std::filesystem::temp_directory_path() / "lwt_bench_file") {
    const int fd = open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    std::vector<std::byte> block(kBlock);
    for (int i = 0; i < kBlocks; ++i) {
      block[0] = static_cast<std::byte>(i);
      if (write(fd, block.data(), kBlock) != static_cast<ssize_t>(kBlock)) break;
    }
    fsync(fd);
    close(fd);
  }
  ~BenchFile() { std::filesystem::remove(path_); }
  BenchFile(const BenchFile&) = delete;
  BenchFile& operator=(const BenchFile&) = delete;

  // Each of `threads` threads reads its blocks, each at a place of its own; how many were right.
  int ReadBy(int threads, Blocks blocks) const {
    std::vector<int> right(static_cast<std::size_t>(threads));
    {
      std::vector<lwt::Thread> all;
      for (int thread = 0; thread < threads; ++thread) {
        all.push_back(lwt::Spawn([=, this, &right] {
          right[static_cast<std::size_t>(thread)] = ReadBlocks(thread, threads, blocks);
        }));
      }
    }
    int sum = 0;
    for (const int each : right) sum += each;
    return sum;
  }

 private:
  int ReadBlocks(int first, int stride, Blocks blocks) const {
    const int flags = blocks == Blocks::kNeverInMemory ? O_DIRECT : 0;
    const int fd = open(path_.c_str(), O_RDONLY | O_CLOEXEC | flags);
    // Without reading ahead: each block has its own way to the device.
    posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
    const std::unique_ptr<void, decltype(&free)> memory(aligned_alloc(4096, kBlock), free);
    const std::span<std::byte> block(static_cast<std::byte*>(memory.get()), kBlock);
    int right = 0;
    for (int i = first; i < kBlocks; i += stride) {
      const auto place = static_cast<off_t>(kBlock) * i;
      if (blocks == Blocks::kNotInMemory) posix_fadvise(fd, place, kBlock, POSIX_FADV_DONTNEED);
      lseek(fd, place, SEEK_SET);
      right += Get(fd, block) && block[0] == static_cast<std::byte>(i);
    }
    close(fd);
    return right;
  }

  const std::filesystem::path path_;
};

// The rows of one contestant.
inline void RegisterAll(const std::string& name, lwt::IoBackend backend) {
  const auto add = [&](const std::string& problem, int iterations, auto body) {
    const auto run = [body, backend](benchmark::State& state) {
      const auto pool =
          lwt::Pool::Create({.workers = static_cast<int>(state.range(0)), .io_backend = backend});
      if (!pool.ok()) return state.SkipWithError(std::string(pool.status().message()).c_str());
      body(**pool, state);
    };
    return benchmark::RegisterBenchmark((problem + "/" + name).c_str(), run)
        ->Iterations(iterations)
        ->UseManualTime();
  };
  const auto ping_pong = [](Ends (*make)()) {
    return [make](lwt::Pool& pool, benchmark::State& state) {
      constexpr int kTurns = 5'000;
      const Ends there = make(), back = make();
      Measure(state, kTurns, kTurns,
              [&] { return pool.Run([&] { return PingPong(there, back, kTurns); }); });
    };
  };
  add("pipe_ping_pong", 5, ping_pong(&Ends::OfPipe))
      ->ArgName("workers")
      ->DenseRange(1, kMostWorkers);
  add("socket_ping_pong", 5, ping_pong(&Ends::OfSockets))
      ->ArgName("workers")
      ->DenseRange(1, kMostWorkers);
  const auto echo = [](lwt::Pool& pool, benchmark::State& state) {
    constexpr int kConnections = 400, kTurns = 50;
    std::vector<Ends> connections;
    for (int i = 0; i < kConnections; ++i) connections.push_back(Ends::OfSockets());
    Measure(state, kConnections * kTurns, kConnections * kTurns,
            [&] { return pool.Run([&] { return Echo(connections, kTurns); }); });
  };
  add("echo", 5, echo)->ArgName("workers")->DenseRange(1, kMostWorkers);
  const auto read = [&](const std::string& problem, Blocks blocks, int threads) {
    const auto body = [blocks, threads](lwt::Pool& pool, benchmark::State& state) {
      const BenchFile file;
      Measure(state, BenchFile::kBlocks, BenchFile::kBlocks,
              [&] { return pool.Run([&] { return file.ReadBy(threads, blocks); }); });
    };
    add(problem, 3, body)->ArgName("workers")->Arg(1);
  };
  read("read_in_memory", Blocks::kInMemory, 1);
  for (const int threads : {1, 32}) {
    const std::string by = "_by_" + std::to_string(threads);
    read("read_cold" + by, Blocks::kNotInMemory, threads);
    read("read_direct" + by, Blocks::kNeverInMemory, threads);
  }
}

}  // namespace problems::io
