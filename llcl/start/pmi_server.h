// The launcher's side of PMI-1: its answers to each line of each process.
//
// Threads: one.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "llcl/launch/pmi_wire.h"

namespace llcl {

// A value.
class PmiServer {
 public:
  explicit PmiServer(int ranks) : waits_(static_cast<std::size_t>(ranks), false) {}

  struct Reply {
    int rank = 0;
    std::string line;
  };
  // Returns the lines to send, and to which ranks. A line that is malformed, or an unknown
  // command, is answered with rc=-1 and a msg. `line` is without its newline.
  std::vector<Reply> Handle(int rank, std::string_view line);

  // How many ranks wait in the barrier.
  int waiting() const { return waiting_; }

  // A rank has asked for the end of the job, with this exit code: 1 to 255.
  bool is_aborted() const { return is_aborted_; }
  int exit_code() const { return exit_code_; }
  const std::string& reason() const { return reason_; }

 private:
  std::vector<Reply> Barrier(int rank);

  std::map<std::string, std::string, std::less<>> values_;
  std::vector<bool> waits_;  // by rank: it is in the barrier
  int waiting_ = 0;
  bool is_aborted_ = false;
  int exit_code_ = 0;
  std::string reason_;
};

}  // namespace llcl
