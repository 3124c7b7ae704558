// This rank's requests without an answer, and the ends of commands for the executor.
//
// Threads: one at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "llcl/executor/command.h"
#include "llcl/executor/message.h"
#include "llcl/region.h"

namespace llcl {

// A value.
class TcpRequests {
 public:
  struct Request {
    Command command;
    std::uint64_t received = 0;  // of its bytes
    std::uint64_t end = 0;       // of the request, among all bytes to that rank
    bool is_under_way = false;
  };

  // `end`: the number of all bytes to that rank up to the end of the request.
  void Begin(const Command& command, std::uint64_t end) {
    if (command.tag >= requests_.size()) requests_.resize(command.tag + 1);
    requests_[command.tag] = {.command = command, .end = end, .is_under_way = true};
  }
  // Null: no request with this tag is under way to `rank`.
  Request* Find(Tag tag, Rank rank) {
    if (tag >= requests_.size()) return nullptr;
    Request& request = requests_[tag];
    return request.is_under_way && request.command.peer == rank ? &request : nullptr;
  }
  // Precondition: Find has it.
  Request& At(Tag tag) { return requests_[tag]; }
  void End(Tag tag, Outcome outcome) {
    requests_[tag].is_under_way = false;
    AddEnd(tag, outcome);
  }
  // Ends all requests to `rank`.
  void EndAllOf(Rank rank, Outcome outcome) {
    for (Tag tag = 0; tag < requests_.size(); ++tag) {
      if (Find(tag, rank) != nullptr) End(tag, outcome);
    }
  }

  // Of any command.
  void AddEnd(Tag tag, Outcome outcome) { ends_.push_back({tag, outcome}); }
  std::size_t ends() const { return ends_.size() - taken_; }
  std::size_t TakeEnds(std::span<Ended> ended) {
    const std::size_t count = std::min(ended.size(), ends());
    if (count == 0) return 0;
    std::copy_n(ends_.begin() + static_cast<std::ptrdiff_t>(taken_), count, ended.begin());
    taken_ += count;
    if (taken_ == ends_.size()) {
      ends_.clear();
      taken_ = 0;
    }
    return count;
  }

 private:
  std::vector<Request> requests_;  // by tag
  std::vector<Ended> ends_;
  std::size_t taken_ = 0;  // of ends_, from its beginning
};

}  // namespace llcl
