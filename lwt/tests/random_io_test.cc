// Random programs of I/O, on pools that wait for it either way, against what each must result in:
// a reader gets its writer's bytes in order, each once, whatever deadlines end its reads; of a
// file that many read or write at its one position, each part is read or written once.
// tools/random/seeds.h says how to run others.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "lwt/lwt.h"
#include "lwt/tests/descriptors.h"
#include "lwt/tests/random_program.h"
#include "tools/random/seeds.h"

namespace lwt {
namespace {

using random_program::Random;

// Ends the test program, with the seed, should a program never end.
class Watchdog {
 public:
  Watchdog(Pool& pool, std::uint64_t seed) : watcher_([this, &pool, seed] { Watch(pool, seed); }) {}
  ~Watchdog() {
    done_.store(true);
    watcher_.join();
  }

 private:
  void Watch(Pool& pool, std::uint64_t seed) const {
    for (int i = 0; i < 12'000 && !done_.load(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    if (done_.load()) return;
    std::fprintf(stderr, "random program %llu of I/O does not end; its threads:\n%s",
                 static_cast<unsigned long long>(seed), pool.BlockedThreads().c_str());
    std::abort();
  }

  std::atomic<bool> done_{false};
  std::thread watcher_;
};

// Most often none.
Deadline RandomDeadline(Random& random) {
  if (!random.OneIn(3)) return Deadline::max();
  return DeadlineAfter(std::chrono::microseconds(random.Between(0, 60)));
}

std::byte ByteOf(std::size_t stream, std::size_t at) {
  return static_cast<std::byte>(stream * 31 + at * 7 + at / 251);
}

// A pipe or a pair of sockets, a thread that writes to it and one that reads.
struct Stream {
  std::size_t number;
  Pair pair;
  std::size_t bytes;       // that the writer has
  std::size_t read_bytes;  // after which the reader closes; `bytes` or more: it reads to the end
  std::size_t written = 0;
  std::size_t read = 0;

  static Stream Make(std::size_t number, Random& random) {
    Pair pair = random.OneIn(2) ? MakePipe() : MakeSockets();
    for (const int fd : {pair.reading.get(), pair.writing.get()}) {
      if (random.OneIn(3)) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    }
    const auto bytes = static_cast<std::size_t>(random.Between(0, 200'000));
    const std::size_t read_bytes = random.OneIn(4) ? bytes / 2 : bytes + 1;
    return {number, std::move(pair), bytes, read_bytes};
  }

  void WriteAll(Random random) {
    std::vector<std::byte> some;
    while (written < bytes) {
      some.resize(std::min<std::size_t>(bytes - written, std::size_t(random.Between(1, 30'000))));
      for (std::size_t i = 0; i < some.size(); ++i) some[i] = ByteOf(number, written + i);
      const IoResult put = Write(pair.writing.get(), some, RandomDeadline(random));
      if (put.error == EPIPE || put.error == ECONNRESET) break;
      if (put.error == ETIMEDOUT) continue;
      ASSERT_EQ(put.error, 0);
      ASSERT_GT(put.value, 0);
      written += static_cast<std::size_t>(put.value);
      if (random.OneIn(8)) Yield();
    }
    pair.writing.Close();
  }

  void ReadAll(Random random) {
    std::vector<std::byte> some;
    while (read < read_bytes) {
      if (random.OneIn(4)) {
        pollfd one = {pair.reading.get(), POLLIN, 0};
        ASSERT_EQ(Poll({&one, 1}, RandomDeadline(random)).error, 0);
      }
      some.resize(std::size_t(random.Between(1, 30'000)));
      const IoResult got = Read(pair.reading.get(), some, RandomDeadline(random));
      if (got.error == ETIMEDOUT) continue;
      ASSERT_EQ(got.error, 0);
      if (got.value == 0) break;
      for (std::size_t i = 0; i < std::size_t(got.value); ++i) {
        ASSERT_EQ(some[i], ByteOf(number, read + i)) << "byte " << read + i;
      }
      read += static_cast<std::size_t>(got.value);
    }
    pair.reading.Close();
  }

  void Check() const {
    if (read_bytes > bytes) {
      EXPECT_EQ(read, bytes);
      EXPECT_EQ(written, bytes);
    } else {
      EXPECT_GE(read, read_bytes);
    }
  }
};

// A file of equal parts that threads write, and then read, at its one position.
class SharedFile {
 public:
  SharedFile(const std::string& path, Random& random)
      : path_(path), is_direct_(random.OneIn(2)), parts_(random.Between(1, 40)) {
    unlink(path.c_str());
    next_ = 0;
  }

  void Write(int threads, Random& random) {
    const Fd file(Open(O_WRONLY | O_CREAT));
    Each(threads, random, [&](std::span<std::byte> memory, Random&) {
      const int part = next_.fetch_add(1);
      if (part >= parts_) return false;
      std::fill(memory.begin(), memory.end(), static_cast<std::byte>(part));
      EXPECT_EQ(lwt::Write(file.get(), memory).value, ssize_t(kBytes));
      return true;
    });
  }

  void ReadAndCheck(int threads, Random& random) {
    const Fd file(Open(O_RDONLY));
    posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
    std::vector<std::atomic<int>> seen(static_cast<std::size_t>(parts_));
    Each(threads, random, [&](std::span<std::byte> memory, Random& own) {
      const IoResult got = Read(file.get(), memory, RandomDeadline(own));
      if (got.error == ETIMEDOUT) return true;
      EXPECT_EQ(got.error, 0);
      if (got.value != ssize_t(kBytes)) return false;
      for (const std::byte one : memory) EXPECT_EQ(one, memory[0]);
      const auto part = std::to_integer<std::size_t>(memory[0]);
      if (part < seen.size()) ++seen[part];
      return true;
    });
    for (const std::atomic<int>& times : seen) EXPECT_EQ(times.load(), 1);
  }

 private:
  static constexpr std::size_t kBytes = 4096;

  int Open(int flags) const {
    int fd = is_direct_ ? open(path_.c_str(), flags | O_CLOEXEC | O_DIRECT, 0600) : -1;
    if (fd < 0) fd = open(path_.c_str(), flags | O_CLOEXEC, 0600);
    EXPECT_GE(fd, 0);
    return fd;
  }
  // Each thread calls `step(memory, own)` while it returns true.
  template <typename Step>
  static void Each(int threads, Random& random, Step step) {
    std::vector<Thread> all;
    for (int i = 0; i < threads; ++i) {
      all.push_back(Spawn([&step, own = Random(random.Next())]() mutable {
        const std::unique_ptr<void, decltype(&free)> memory(aligned_alloc(4096, kBytes), free);
        while (step(std::span(static_cast<std::byte*>(memory.get()), kBytes), own)) Yield();
      }));
    }
  }

  const std::string path_;
  const bool is_direct_;
  const int parts_;
  std::atomic<int> next_;
};

void RunProgram(Pool& pool, std::uint64_t seed) {
  const Watchdog watchdog(pool, seed);
  Random random(seed);
  std::vector<Stream> streams;
  const int count = random.Between(1, 8);
  for (int i = 0; i < count; ++i) streams.push_back(Stream::Make(std::size_t(i), random));
  SharedFile file(testing::TempDir() + "/random_io", random);
  const int file_threads = random.Between(1, 6);
  pool.Run([&] {
    std::vector<Thread> threads;
    for (Stream& stream : streams) {
      threads.push_back(Spawn([&stream, own = Random(random.Next())] { stream.WriteAll(own); }));
      threads.push_back(Spawn([&stream, own = Random(random.Next())] { stream.ReadAll(own); }));
    }
    file.Write(file_threads, random);
    file.ReadAndCheck(file_threads, random);
  });
  for (const Stream& stream : streams) stream.Check();
}

class RandomIo : public WithIo {};
INSTANTIATE_TEST_SUITE_P(By, RandomIo, kWorkersAndBackends, NameOfIo);

TEST_P(RandomIo, ProgramsReadWhatTheyWrite) {
  signal(SIGPIPE, SIG_IGN);
  const std::uint64_t first = random_programs::FirstSeed();
  const std::uint64_t programs = random_programs::Programs(25);
  std::printf("%llu programs from seed %llu\n", static_cast<unsigned long long>(programs),
              static_cast<unsigned long long>(first));
  for (std::uint64_t seed = first; seed < first + programs && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RunProgram(*pool_, seed);
  }
}

}  // namespace
}  // namespace lwt
