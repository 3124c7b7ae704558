#include "lwt/io.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lwt/lwt.h"
#include "lwt/tests/descriptors.h"

namespace lwt {
namespace {

using namespace std::chrono_literals;

// Reads until there is nothing more.
std::string ReadAll(int fd) {
  std::string text;
  std::array<std::byte, 4096> buffer;
  while (true) {
    const IoResult got = Read(fd, buffer);
    EXPECT_EQ(got.error, 0);
    if (got.value <= 0) return text;
    text.append(reinterpret_cast<const char*>(buffer.data()), static_cast<std::size_t>(got.value));
  }
}

void WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const IoResult put = Write(fd, BytesOf(text));
    ASSERT_EQ(put.error, 0);
    text.remove_prefix(static_cast<std::size_t>(put.value));
  }
}

class Io : public WithIo {};
INSTANTIATE_TEST_SUITE_P(By, Io, kWorkersAndBackends, NameOfIo);

// With one worker a read that held it up would never end.
TEST_P(Io, AReadThatWaitsLeavesTheWorkerToWhoWrites) {
  for (Pair (*make)() : {MakePipe, MakeSockets}) {
    const Pair pair = make();
    pool_->Run([&] {
      std::array<std::byte, 16> buffer;
      IoResult got;
      Thread reader = Spawn([&] { got = Read(pair.reading.get(), buffer); });
      EXPECT_EQ(Write(pair.writing.get(), BytesOf("hello")).value, 5);
      reader.Join();
      EXPECT_EQ(got.value, 5);
      EXPECT_EQ(got.error, 0);
    });
  }
}

TEST_P(Io, AWriteThatDoesNotFitWaitsUntilTheOtherEndReads) {
  const std::string large(3'000'000, 'x');
  for (Pair (*make)() : {MakePipe, MakeSockets}) {
    Pair pair = make();
    pool_->Run([&] {
      Thread writer = Spawn([&] {
        WriteAll(pair.writing.get(), large);
        Fd done(std::move(pair.writing));
      });
      EXPECT_EQ(ReadAll(pair.reading.get()).size(), large.size());
      writer.Join();
    });
  }
}

TEST_P(Io, AThousandTurnsOfAToken) {
  const Pair there = MakeSockets();
  const Pair back = MakePipe();
  pool_->Run([&] {
    Thread echo = Spawn([&] {
      std::array<std::byte, 1> token;
      for (int i = 0; i < 1000; ++i) {
        ASSERT_EQ(Read(there.reading.get(), token).value, 1);
        ASSERT_EQ(Write(back.writing.get(), token).value, 1);
      }
    });
    std::array<std::byte, 1> token = {};
    for (int i = 0; i < 1000; ++i) {
      ASSERT_EQ(Write(there.writing.get(), token).value, 1);
      ASSERT_EQ(Read(back.reading.get(), token).value, 1);
    }
    echo.Join();
  });
}

TEST_P(Io, AServerAndManyClientsInOnePool) {
  constexpr int kClients = 50;
  const Fd listener(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ASSERT_EQ(bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(listen(listener.get(), kClients), 0);
  socklen_t size = sizeof address;
  getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size);
  std::atomic<int> answered{0};
  pool_->Run([&] {
    Thread server = Spawn([&] {
      std::vector<Thread> connections;
      for (int i = 0; i < kClients; ++i) {
        const IoResult accepted = Accept(listener.get());
        ASSERT_EQ(accepted.error, 0);
        connections.push_back(Spawn([fd = static_cast<int>(accepted.value)] {
          const Fd connection(fd);
          WriteAll(connection.get(), ReadAll(connection.get()) + "!");
        }));
      }
    });
    std::vector<Thread> clients;
    for (int i = 0; i < kClients; ++i) {
      clients.push_back(Spawn([&, i] {
        const Fd connection(socket(AF_INET, SOCK_STREAM, 0));
        const IoResult connected =
            Connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
        ASSERT_EQ(connected.error, 0);
        const std::string text = "client " + std::to_string(i);
        WriteAll(connection.get(), text);
        shutdown(connection.get(), SHUT_WR);
        if (ReadAll(connection.get()) == text + "!") ++answered;
      }));
    }
    clients.clear();
    server.Join();
  });
  EXPECT_EQ(answered, kClients);
}

TEST_P(Io, ADeadlineEndsTheWaitAndTheNextReadStillGetsTheBytes) {
  const Pair pair = MakeSockets();
  pool_->Run([&] {
    std::array<std::byte, 8> buffer;
    const IoResult late = Read(pair.reading.get(), buffer, DeadlineAfter(5ms));
    EXPECT_EQ(late.value, -1);
    EXPECT_EQ(late.error, ETIMEDOUT);
    WriteAll(pair.writing.get(), "abc");
    EXPECT_EQ(Read(pair.reading.get(), buffer).value, 3);
  });
}

TEST_P(Io, PollWaitsForWhicheverIsReadyFirst) {
  std::vector<Pair> pairs;
  for (int i = 0; i < 6; ++i) pairs.push_back(MakePipe());
  pool_->Run([&] {
    std::vector<pollfd> fds;
    for (const Pair& pair : pairs) fds.push_back({pair.reading.get(), POLLIN, 0});
    EXPECT_EQ(Poll(fds, DeadlineAfter(2ms)).value, 0);
    Thread waiting = Spawn([&] { EXPECT_EQ(Poll(fds).value, 1); });
    WriteAll(pairs[4].writing.get(), "x");
    waiting.Join();
    for (std::size_t i = 0; i < fds.size(); ++i) EXPECT_EQ(fds[i].revents != 0, i == 4) << i;
  });
}

TEST_P(Io, AReaderAndAWriterMayWaitForTheSameSocket) {
  const Pair pair = MakeSockets();
  const std::string large(1'000'000, 'y');
  pool_->Run([&] {
    std::array<std::byte, 4> answer;
    Thread reader = Spawn([&] { EXPECT_EQ(Read(pair.writing.get(), answer).value, 4); });
    Thread writer = Spawn([&] {
      WriteAll(pair.writing.get(), large);
      shutdown(pair.writing.get(), SHUT_WR);
    });
    EXPECT_EQ(ReadAll(pair.reading.get()).size(), large.size());
    WriteAll(pair.reading.get(), "done");
    writer.Join();
    reader.Join();
  });
}

TEST_P(Io, OfTwoWhoWaitForOneSocketEachIsWokenByItsOwnEvent) {
  const Pair pair = MakeSockets();
  FillUp(pair.writing.get());
  pool_->Run([&] {
    pollfd readable = {pair.writing.get(), POLLIN, 0};
    pollfd writable = {pair.writing.get(), POLLOUT, 0};
    Thread reader = Spawn([&] { EXPECT_EQ(Poll({&readable, 1}).value, 1); });
    Thread writer = Spawn([&] { EXPECT_EQ(Poll({&writable, 1}).value, 1); });
    UntilWaiting(*pool_, 2);
    Drain(pair.reading.get());
    writer.Join();
    EXPECT_EQ(writable.revents, POLLOUT);
    UntilWaiting(*pool_, 1);
    WriteAll(pair.reading.get(), "x");
    reader.Join();
    EXPECT_EQ(readable.revents, POLLIN);
  });
}

// More than a ring has room for completions.
TEST_P(Io, AllOfVeryManyWhoWaitForOneByteAreWoken) {
  constexpr int kThreads = 5000;
  const Pair pair = MakeSockets();
  std::atomic<int> woken{0};
  pool_->Run([&] {
    std::vector<Thread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.push_back(Spawn([&] {
        pollfd one = {pair.reading.get(), POLLIN, 0};
        woken += Poll({&one, 1}).value == 1 && one.revents == POLLIN;
      }));
    }
    EXPECT_EQ(Write(pair.writing.get(), BytesOf("x")).value, 1);
  });
  EXPECT_EQ(woken, kThreads);
}

TEST_P(Io, ACallMayNameADescriptorTwice) {
  const Pair pair = MakeSockets();
  pool_->Run([&] {
    std::array<pollfd, 2> both = {
        {{pair.reading.get(), POLLIN, 0}, {pair.reading.get(), POLLIN, 0}}};
    Thread waiting = Spawn([&] { EXPECT_EQ(Poll(both).value, 2); });
    UntilWaiting(*pool_, 1);
    WriteAll(pair.writing.get(), "x");
    waiting.Join();
    for (const pollfd& one : both) EXPECT_EQ(one.revents, POLLIN);
  });
}

// Each event comes about when the deadline does.
TEST_P(Io, NoByteIsLostBetweenItsEventAndADeadline) {
  constexpr int kBytes = 2000;
  const Pair there = MakeSockets();
  const Pair back = MakeSockets();
  pool_->Run([&] {
    Thread echo = Spawn([&] {
      std::array<std::byte, 1> byte;
      for (int i = 0; i < kBytes;) {
        const IoResult got = Read(there.reading.get(), byte, DeadlineAfter(20us));
        if (got.error == ETIMEDOUT) continue;
        ASSERT_EQ(got.value, 1);
        ASSERT_EQ(Write(back.writing.get(), byte).value, 1);
        ++i;
      }
    });
    for (int i = 0; i < kBytes; ++i) {
      std::array<std::byte, 1> byte = {std::byte(i)};
      ASSERT_EQ(Write(there.writing.get(), byte).value, 1);
      ASSERT_EQ(Read(back.reading.get(), byte).value, 1);
      ASSERT_EQ(byte[0], std::byte(i));
    }
    echo.Join();
  });
}

TEST_P(Io, WhenThePeerClosesTheOneWhoWaitsReadsTheEnd) {
  for (Pair (*make)() : {MakePipe, MakeSockets}) {
    Pair pair = make();
    pool_->Run([&] {
      std::array<std::byte, 8> buffer;
      IoResult got = {-1, 0};
      Thread reader = Spawn([&] { got = Read(pair.reading.get(), buffer); });
      UntilWaiting(*pool_, 1);
      pair.writing.Close();
      reader.Join();
      EXPECT_EQ(got.value, 0);
      EXPECT_EQ(got.error, 0);
    });
  }
}

TEST_P(Io, APollOfNothingIsASleep) {
  pool_->Run([] {
    const Deadline deadline = DeadlineAfter(5ms);
    const IoResult slept = Poll({}, deadline);
    EXPECT_EQ(slept.value, 0);
    EXPECT_EQ(slept.error, 0);
    EXPECT_GE(Clock::now(), deadline);
  });
}

TEST_P(Io, PollIgnoresNegativeDescriptors) {
  const Pair pair = MakePipe();
  pool_->Run([&] {
    std::array<pollfd, 3> fds = {
        {{-1, POLLIN, POLLIN}, {pair.reading.get(), POLLIN, 0}, {-7, POLLOUT, 0}}};
    const IoResult late = Poll(fds, DeadlineAfter(2ms));
    EXPECT_EQ(late.value, 0);
    EXPECT_EQ(late.error, 0);
    Thread waiting = Spawn([&] { EXPECT_EQ(Poll(fds).value, 1); });
    UntilWaiting(*pool_, 1);
    WriteAll(pair.writing.get(), "x");
    waiting.Join();
    EXPECT_EQ(fds[0].revents, 0);
    EXPECT_EQ(fds[1].revents, POLLIN);
  });
}

TEST_P(Io, AFileThatHasNoSuchEventNeverHasIt) {
  const std::string path = testing::TempDir() + "/plain";
  const Fd file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  pool_->Run([&] {
    pollfd urgent = {file.get(), POLLPRI, 0};
    const IoResult late = Poll({&urgent, 1}, DeadlineAfter(2ms));
    EXPECT_EQ(late.value, 0);
    EXPECT_EQ(late.error, 0);
  });
}

TEST_P(Io, ErrorsAreInTheResult) {
  pool_->Run([&] {
    std::array<std::byte, 1> byte;
    EXPECT_EQ(Read(-1, byte).error, EBADF);
    const Fd reading(open("/dev/null", O_RDONLY | O_CLOEXEC));
    EXPECT_EQ(Read(reading.get(), byte).value, 0);
    EXPECT_EQ(Write(reading.get(), byte).error, EBADF);
    const Fd unbound(socket(AF_INET, SOCK_STREAM, 0));
    sockaddr_in nobody = {};
    nobody.sin_family = AF_INET;
    nobody.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    nobody.sin_port = htons(1);
    EXPECT_EQ(
        Connect(unbound.get(), reinterpret_cast<const sockaddr*>(&nobody), sizeof nobody).error,
        ECONNREFUSED);
  });
}

TEST_P(Io, OrdinaryFilesAreReadAndWritten) {
  const std::string path = testing::TempDir() + "/ordinary";
  pool_->Run([&] {
    {
      const Fd file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
      WriteAll(file.get(), "some text");
    }
    const Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    EXPECT_EQ(ReadAll(file.get()), "some text");
  });
}

TEST_P(Io, AnOrdinaryFileTakesAllInOneCall) {
  const std::string path = testing::TempDir() + "/large";
  const std::string large(1'000'000, 'z');
  pool_->Run([&] {
    const Fd file(open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    EXPECT_EQ(Write(file.get(), BytesOf(large)).value, 1'000'000);
  });
}

// The system cannot do either without blocking, and poll(2) calls both ready.
TEST_P(Io, OrdinaryFilesThatAreNotInMemoryAreWaitedFor) {
  const std::string path = testing::TempDir() + "/cold";
  const Fd file(open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_DIRECT, 0600));
  if (file.get() < 0) GTEST_SKIP() << "this file system has no O_DIRECT";
  constexpr std::size_t kBytes = 1 << 16;
  const std::unique_ptr<void, decltype(&free)> memory(aligned_alloc(4096, kBytes), free);
  const std::span<std::byte> block(static_cast<std::byte*>(memory.get()), kBytes);
  std::fill(block.begin(), block.end(), std::byte{7});
  pool_->Run([&] {
    EXPECT_EQ(Write(file.get(), block).value, kBytes);
    const Fd buffered(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    posix_fadvise(buffered.get(), 0, 0, POSIX_FADV_DONTNEED);
    std::vector<std::byte> read(kBytes);
    EXPECT_GT(Read(buffered.get(), read).value, 0);
    EXPECT_EQ(read[0], std::byte{7});
  });
}

TEST(IoOutside, OfPoolsTheyAreTheSystemCalls) {
  const Pair pair = MakePipe();
  WriteAll(pair.writing.get(), "abc");
  std::array<std::byte, 8> buffer;
  EXPECT_EQ(Read(pair.reading.get(), buffer).value, 3);
  EXPECT_EQ(Read(pair.reading.get(), buffer, DeadlineAfter(2ms)).error, ETIMEDOUT);
}

}  // namespace
}  // namespace lwt
