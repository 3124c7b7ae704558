#include "llcl/launch/output_sink.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

namespace llcl {

void OutputSink::Add(std::string_view line) {
  if (error_ == 0) pending_ += line;
}

void OutputSink::Write() {
  std::size_t done = 0;
  while (done < pending_.size()) {
    // A pipe that poll reports has room for so many bytes: write() does not wait.
    pollfd room = {to_, POLLOUT, 0};
    if (poll(&room, 1, 0) <= 0) break;
    const std::size_t piece = std::min<std::size_t>(pending_.size() - done, PIPE_BUF);
    const ssize_t wrote = write(to_, &pending_[done], piece);
    if (wrote > 0) done += static_cast<std::size_t>(wrote);
    if (wrote >= 0 || errno == EINTR || errno == EAGAIN) continue;
    error_ = errno;
    done = pending_.size();
  }
  pending_.erase(0, done);
}

}  // namespace llcl
