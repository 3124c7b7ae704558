#include "llcl/start/output_sink.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <string>

namespace llcl {
namespace {

struct Pipe {
  OwnedFd read, write;
  Pipe() {
    int fds[2];
    EXPECT_EQ(pipe2(fds, O_CLOEXEC), 0);
    read = OwnedFd(fds[0]), write = OwnedFd(fds[1]);
  }
  std::string Take() const {
    std::string bytes(1 << 20, '\0');
    const ssize_t got = ::read(read.get(), bytes.data(), bytes.size());
    bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return bytes;
  }
};

TEST(OutputSink, WritesLinesInOrderAndNeverWaitsForTheReader) {
  const Pipe pipe;
  OutputSink sink(pipe.write.get());
  EXPECT_EQ(sink.Writing().fd, -1);
  std::string added;
  for (int i = 0; !sink.is_full(); ++i) {
    const std::string line = std::to_string(i) + std::string(1000, 'x') + "\n";
    sink.Add(line);
    added += line;
    sink.Write();  // which a pipe that is full would hold up
  }
  EXPECT_GE(sink.Writing().fd, 0);
  std::string read;
  while (read.size() < added.size()) {
    read += pipe.Take();
    sink.Write();
  }
  EXPECT_EQ(read, added);
  EXPECT_TRUE(sink.is_empty());
  EXPECT_EQ(sink.error(), 0);
}

TEST(OutputSink, TellsThatNobodyReads) {
  (void)std::signal(SIGPIPE, SIG_IGN);
  Pipe pipe;
  OutputSink sink(pipe.write.get());
  pipe.read = OwnedFd();
  sink.Add("line\n");
  sink.Write();
  EXPECT_EQ(sink.error(), EPIPE);
  sink.Add("line\n");
  EXPECT_TRUE(sink.is_empty());
}

TEST(OutputSink, TellsThatADiskIsFull) {
  const OwnedFd full(open("/dev/full", O_WRONLY | O_CLOEXEC));
  ASSERT_GE(full.get(), 0);
  OutputSink sink(full.get());
  sink.Add("line\n");
  sink.Write();
  EXPECT_EQ(sink.error(), ENOSPC);
}

}  // namespace
}  // namespace llcl
