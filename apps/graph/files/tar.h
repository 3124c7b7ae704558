// The files in a tar archive, as collections of graphs are downloaded. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace graph {

// Are these the first bytes of an archive?
bool IsTar(std::string_view bytes);

// A view of the bytes.
struct TarFile {
  std::string name;
  std::string_view bytes;
};

// The largest file of the archive: collections put their graph beside pages about it.
// InvalidArgument, with the archive's name, where it is cut short or has no file.
//
// Source: POSIX.1-2017, pax, ustar interchange format; GNU tar's base-256 sizes.
absl::StatusOr<TarFile> LargestFile(std::string_view archive, std::string_view bytes);

}  // namespace graph
