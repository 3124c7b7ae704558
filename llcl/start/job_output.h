// The output and the errors of a job: the lines of its processes, and llclrun's own.
//
// Threads: one.
#pragma once

#include <unistd.h>

#include <array>

#include "absl/strings/str_cat.h"
#include "llcl/start/output_sink.h"

namespace llcl {

class JobOutput {
 public:
  OutputSink& output() { return output_; }
  // One sink where both are the same pipe, as by "2>&1": the lines do not break each other.
  OutputSink& errors() { return are_one_ ? output_ : errors_; }
  std::array<OutputSink*, 2> sinks() { return {&output(), &errors()}; }

  bool is_written() const { return output_.is_empty() && errors_.is_empty(); }
  // 0, or the system's error.
  int error() const { return output_.error() != 0 ? output_.error() : errors_.error(); }

  // A sentence of llclrun's own.
  template <typename... Parts>
  void Say(const Parts&... parts) {
    errors().Add(absl::StrCat("llclrun: ", parts..., "\n"));
    (void)errors().Write();
  }

 private:
  OutputSink output_{STDOUT_FILENO}, errors_{STDERR_FILENO};
  const bool are_one_ = AreTheSame(STDOUT_FILENO, STDERR_FILENO);
};

}  // namespace llcl
