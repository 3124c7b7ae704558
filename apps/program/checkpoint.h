// A file from which a program that was killed goes on: what it is of, then numbers.
//
//   u64     "vicinity", version, bytes of the title
//   title   filled up with zeros to whole u64
//   u64 ..  numbers, as the program gives them
//   u64     the check sum (FNV-1a, 64 bits, of words) of all before
//
// all little endian, as the machines are that this is for.
//
// Threads: one.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace program {

// A value: what --checkpoint, --checkpoint-seconds and --resume say.
struct CheckpointOptions {
  std::string file;  // empty: no checkpoints
  std::chrono::seconds every{60};
  bool resume = false;
};

// Writes a file beside where it belongs. A resource.
//
// Errors of all: Internal, with the file and what the system said.
class CheckpointWriter {
 public:
  // `title`: what the numbers are of: a run with another title does not read them. InvalidArgument
  // where the file is there and no regular one.
  static absl::StatusOr<CheckpointWriter> Open(const std::string& file, std::string_view title);

  absl::Status Add(std::span<const std::uint64_t> numbers);
  // Puts the file in the place of what was there; it is on the disk then. Without this it is
  // removed.
  absl::Status Publish();

 private:
  struct Unfinished {  // a file that is removed when it is closed, unless it has no name any more
    std::string name;
    std::FILE* stream = nullptr;
    ~Unfinished();
  };
  explicit CheckpointWriter(const std::string& file);

  std::string file_;
  std::unique_ptr<Unfinished> unfinished_;
  std::uint64_t sum_;
};

// Reads a file. A resource.
class CheckpointReader {
 public:
  // Reads it once to see that it is whole. Errors: NotFound where it cannot be opened;
  // FailedPrecondition for one of another title or version, with both titles; DataLoss for one that
  // is not whole.
  static absl::StatusOr<CheckpointReader> Open(const std::string& file, std::string_view title);

  std::uint64_t left() const { return left_; }  // numbers
  // DataLoss where fewer are left.
  absl::Status Read(std::span<std::uint64_t> numbers);

 private:
  struct Close {
    void operator()(std::FILE* stream) const { std::fclose(stream); }
  };

  std::string file_;
  std::unique_ptr<std::FILE, Close> stream_;
  std::uint64_t left_ = 0;
};

}  // namespace program
