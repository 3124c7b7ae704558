#include "llcl/start/output_sink.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace llcl {
namespace {

// -1 where it is neither a pipe nor a terminal: a file opened once more would be written from its
// start.
int OpenedOnceMore(int fd) {
  struct stat file = {};
  if (fstat(fd, &file) != 0 || (!S_ISFIFO(file.st_mode) && isatty(fd) == 0)) return -1;
  const std::string name = "/proc/self/fd/" + std::to_string(fd);
  return open(name.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

}  // namespace

OutputSink::OutputSink(int to) : own_(OpenedOnceMore(to)), to_(own_.get() >= 0 ? own_.get() : to) {}

void OutputSink::Add(std::string_view line) {
  if (error_ == 0) pending_ += line;
}

bool OutputSink::Write() {
  std::size_t done = 0;
  while (done < pending_.size()) {
    // Where `to` could not be opened once more: a pipe that poll reports has room for so many
    // bytes.
    pollfd room = {to_, POLLOUT, 0};
    if (poll(&room, 1, 0) <= 0) break;
    // Whole lines, where they are short, so that another process's do not break them.
    std::size_t piece = std::min<std::size_t>(pending_.size() - done, PIPE_BUF);
    const std::size_t end = pending_.rfind('\n', done + piece - 1);
    if (end != std::string::npos && end >= done) piece = end + 1 - done;
    const ssize_t wrote = write(to_, &pending_[done], piece);
    if (wrote > 0) done += static_cast<std::size_t>(wrote);
    if (wrote >= 0 || errno == EINTR) continue;
    if (errno == EAGAIN) break;
    error_ = errno;
    done = pending_.size();
  }
  pending_.erase(0, done);
  return done > 0;
}

bool AreTheSame(int one, int other) {
  struct stat files[2] = {};
  return fstat(one, &files[0]) == 0 && fstat(other, &files[1]) == 0 &&
         files[0].st_dev == files[1].st_dev && files[0].st_ino == files[1].st_ino;
}

}  // namespace llcl
