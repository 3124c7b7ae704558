#include "apps/sdpa/files/read_bytes.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace sdpa {

absl::StatusOr<std::string> ReadBytes(const std::string& file) {
  const auto fault = [&](int error) {
    return absl::ErrnoToStatus(error, absl::StrCat(file, ": cannot be read"));
  };
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "rb"),
                                                               &std::fclose);
  if (stream == nullptr) return fault(errno);
  std::string bytes;
  std::array<char, 65536> part;
  std::size_t count = 0;
  while ((count = std::fread(part.data(), 1, part.size(), stream.get())) > 0) {
    bytes.append(part.data(), count);
  }
  if (std::ferror(stream.get()) != 0) return fault(errno);
  return bytes;
}

}  // namespace sdpa
