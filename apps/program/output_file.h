// Files that appear whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace program {

// A resource. Open comes before the work, so that a path that cannot be written
// is an error before hours are spent; Commit once the contents are verified.
// Until then, and where the program ends or is killed without it, the path keeps
// what it had, and nothing lies beside it.
class OutputFile {
 public:
  // "-" is standard output. A symbolic link is followed; a device or a pipe is
  // written in place. InvalidArgument, NotFound or PermissionDenied name the
  // path and the reason.
  static absl::StatusOr<OutputFile> Open(std::string path);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  // Writes all of it and puts it in place. Once.
  absl::Status Commit(std::string_view contents);

 private:
  OutputFile() = default;

  std::string path_;     // as the user wrote it, for messages
  std::string target_;   // the file that is replaced; empty: written in place
  unsigned mode_ = 0;    // the permissions of the new file
  int descriptor_ = -1;  // of a file that is written in place
};

}  // namespace program
