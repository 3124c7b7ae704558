// The output of a process, line by line, with a label.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "llcl/owned_fd.h"
#include "llcl/start/output_sink.h"

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

  // Takes the lines that are there; at the end also a rest without a newline. A longer line than
  // 64 KiB becomes several.
  void Copy() {
    char text[4096];
    const ssize_t got = read(from_.get(), text, sizeof text);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) return;
    const std::string_view bytes(text, static_cast<std::size_t>(got > 0 ? got : 0));
    std::size_t begin = 0;
    for (std::size_t end = bytes.find('\n'); end != std::string_view::npos;
         end = bytes.find('\n', begin)) {
      AddLine(bytes.substr(begin, end - begin));
      begin = end + 1;
    }
    line_ += bytes.substr(begin);
    // A process that writes no end of a line must not fill the memory.
    if (line_.size() >= MostBytesOfALine() || (got <= 0 && !line_.empty())) AddLine("");
    to_->Write();
    if (got <= 0) from_ = OwnedFd();
  }

 private:
  // More than a proxy's, whose lines have labels already.
  std::size_t MostBytesOfALine() const { return label_.empty() ? 128 * 1024 : 64 * 1024; }

  void AddLine(std::string_view rest) {
    to_->Add(label_);
    to_->Add(line_);
    to_->Add(rest);
    to_->Add("\n");
    line_.clear();
  }

  OwnedFd from_;
  OutputSink* to_ = nullptr;
  std::string label_;
  std::string line_;  // of which the end has not come
};

}  // namespace llcl
