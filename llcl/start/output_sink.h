// The common output of a job's processes: whole lines, to one descriptor, without waiting.
//
// Threads: the thread polling the descriptor.
#pragma once

#include <poll.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "llcl/owned_fd.h"

namespace llcl {

class OutputSink {
 public:
  // `to` is not closed, and keeps its mode: other processes share it. A pipe or a terminal is
  // opened once more, so that it may refuse bytes instead of waiting.
  explicit OutputSink(int to);

  // A whole line, for Write.
  void Add(std::string_view line);
  // So many bytes are waiting that no more are to be added.
  bool is_full() const { return pending_.size() >= kMostPending; }
  bool is_empty() const { return pending_.empty(); }

  // For poll; the descriptor is -1 while nothing is to be written.
  pollfd Writing() const { return {pending_.empty() ? -1 : to_, POLLOUT, 0}; }
  // Writes the bytes that there is room for. False: there was none. Needs SIGPIPE to be blocked or
  // ignored.
  bool Write();

  // 0, or the system's error, EPIPE where nobody reads. Then nothing more is written.
  int error() const { return error_; }

 private:
  static constexpr std::size_t kMostPending = 64 * 1024;

  const OwnedFd own_;
  const int to_;
  std::string pending_;
  int error_ = 0;
};

// Are the two descriptors the same file, pipe or terminal, as of "2>&1"?
bool AreTheSame(int one, int other);

}  // namespace llcl
