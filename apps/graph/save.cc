#include "apps/graph/save.h"

#include "absl/status/statusor.h"
#include "apps/graph/write.h"
#include "apps/program/output_file.h"

namespace graph {

absl::Status Save(Format format, const EdgeList& list, const std::string& path) {
  auto file = program::OutputFile::Open(path);
  if (!file.ok()) return file.status();
  const auto bytes = Write(format, list);
  if (!bytes.ok()) {
    return absl::Status(bytes.status().code(), path + ": " + std::string(bytes.status().message()));
  }
  return file->Commit(*bytes);
}

}  // namespace graph
