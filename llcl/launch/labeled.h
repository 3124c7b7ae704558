// The output of a process, line by line, with a label.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "llcl/launch/output_sink.h"
#include "llcl/owned_fd.h"

namespace llcl {

// A resource: empty before Begin. Threads: one.
class Labeled {
 public:
  // `to` outlives this.
  void Begin(OwnedFd from, OutputSink& to, std::string label) {
    from_ = std::move(from);
    to_ = &to;
    label_ = std::move(label);
  }
  int fd() const { return from_.get(); }
  // For poll; the descriptor is -1 while nothing can be taken.
  pollfd Reading() const { return {to_ == nullptr || to_->is_full() ? -1 : fd(), POLLIN, 0}; }

  // Takes the lines that are there; at the end also a rest without a newline.
  void Copy() {
    char text[4096];
    const ssize_t got = read(from_.get(), text, sizeof text);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (got > 0) pending_.append(text, static_cast<std::size_t>(got));
    if (got <= 0 && !pending_.empty()) pending_ += '\n';
    for (std::size_t end = pending_.find('\n'); end != std::string::npos;
         end = pending_.find('\n')) {
      to_->Add(label_ + pending_.substr(0, end + 1));
      pending_.erase(0, end + 1);
    }
    to_->Write();
    if (got <= 0) from_ = OwnedFd();
  }

 private:
  OwnedFd from_;
  OutputSink* to_ = nullptr;
  std::string label_;
  std::string pending_;
};

}  // namespace llcl
