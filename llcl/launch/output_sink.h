// The common output of a job's processes: whole lines, to one descriptor, without waiting.
//
// Threads: the thread polling the descriptor.
#pragma once

#include <poll.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>

namespace llcl {

// `to` is not closed.
class OutputSink {
 public:
  explicit OutputSink(int to) : to_(to) {}

  // A whole line, for Write.
  void Add(std::string_view line);
  // So many bytes are waiting that no more are to be added.
  bool is_full() const { return pending_.size() >= kMostPending; }
  bool is_empty() const { return pending_.empty(); }

  // For poll; the descriptor is -1 while nothing is to be written.
  pollfd Writing() const { return {pending_.empty() ? -1 : to_, POLLOUT, 0}; }
  // Writes the bytes that a pipe has room for. Needs SIGPIPE to be blocked or ignored.
  void Write();

  // From here on nothing is written.
  void Drop() { error_ = ETIMEDOUT, pending_.clear(); }

  // 0, or the system's error, EPIPE where nobody reads. Then nothing more is written.
  int error() const { return error_; }

 private:
  static constexpr std::size_t kMostPending = 64 * 1024;

  const int to_;
  std::string pending_;
  int error_ = 0;
};

}  // namespace llcl
