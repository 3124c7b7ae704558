// The output of a process, line by line, with a label.
#pragma once

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <string_view>
#include <utility>

#include "llcl/owned_fd.h"

namespace llcl {

// A resource: empty before Begin. Threads: one.
class Labeled {
 public:
  void Begin(OwnedFd from, int to, std::string label) {
    from_ = std::move(from);
    to_ = to;
    label_ = std::move(label);
  }
  int fd() const { return from_.get(); }

  // Copies the lines that are there; at the end also a rest without a newline.
  void Copy() {
    char text[4096];
    const ssize_t got = read(from_.get(), text, sizeof text);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got > 0) pending_.append(text, static_cast<std::size_t>(got));
    if (got <= 0 && !pending_.empty()) pending_ += '\n';
    for (std::size_t end = pending_.find('\n'); end != std::string::npos;
         end = pending_.find('\n')) {
      const std::string line = label_ + pending_.substr(0, end + 1);
      Write(line);
      pending_.erase(0, end + 1);
    }
    if (got <= 0) Close();
  }
  void Close() { from_ = OwnedFd(); }

 private:
  // Writes the whole line, also to a pipe that does not block and is full.
  void Write(std::string_view line) {
    while (!line.empty()) {
      const ssize_t wrote = write(to_, line.data(), line.size());
      if (wrote > 0) {
        line.remove_prefix(static_cast<std::size_t>(wrote));
        continue;
      }
      if (errno != EINTR && errno != EAGAIN) return;
      pollfd room = {to_, POLLOUT, 0};
      (void)poll(&room, 1, -1);
    }
  }

  OwnedFd from_;
  int to_ = -1;
  std::string label_;
  std::string pending_;
};

}  // namespace llcl
