#include "apps/graph/read.h"

#include "apps/graph/file_bytes.h"

namespace graph {

absl::StatusOr<EdgeList> Read(const std::string& path, ReadOptions options) {
  const auto file = FileBytes::Open(path);
  if (!file.ok()) return file.status();
  if (!options.format) {
    const auto format = GuessFormat(path, file->bytes());
    if (!format.ok()) return format.status();
    options.format = *format;
  }
  return Parse(*options.format, path, file->bytes(), options.parse);
}

}  // namespace graph
