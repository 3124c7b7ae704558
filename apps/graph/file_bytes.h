// All bytes of a file.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace graph {

// A resource: a file mapped into memory, or a copy of what came out of a pipe or a device. A mapped
// file must not become shorter while this lives: the kernel ends a process that reads beyond.
//
// Threads: any may read.
class FileBytes {
 public:
  // "-" is standard input. Errors: those of absl::ErrnoToStatus, with the path; FailedPrecondition
  // for a directory.
  static absl::StatusOr<FileBytes> Open(const std::string& path);
  // Bytes that are in memory.
  static FileBytes Of(std::string bytes);

  FileBytes(FileBytes&& other) noexcept;
  FileBytes& operator=(FileBytes&& other) noexcept;
  ~FileBytes();

  std::string_view bytes() const { return mapped_.empty() ? std::string_view(copy_) : mapped_; }

 private:
  FileBytes() = default;

  std::string_view mapped_;  // empty where it could not be mapped
  std::string copy_;
};

}  // namespace graph
