#include "apps/graph/files/tar.h"

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"

namespace graph {
namespace {

constexpr std::size_t kRecord = 512;

// Up to the first byte of zero.
std::string_view Text(std::string_view header, std::size_t at, std::size_t size) {
  const std::string_view text = header.substr(at, size);
  return text.substr(0, text.find('\0'));
}

// The bytes of the file after the header: octal digits, or 95 bits after a first one; none where
// it is neither.
std::optional<std::uint64_t> SizeOf(std::string_view header) {
  const std::string_view field = header.substr(124, 12);
  std::uint64_t size = 0;
  if ((static_cast<unsigned char>(field[0]) & 0x80) != 0) {
    for (std::size_t i = 4; i < field.size(); ++i) {
      size = size << 8 | static_cast<unsigned char>(field[i]);
    }
    return size;
  }
  for (const char c : Text(header, 124, 12)) {
    if (c == ' ') continue;
    if (c < '0' || c > '7') return std::nullopt;
    size = size * 8 + static_cast<std::uint64_t>(c - '0');
  }
  return size;
}

// The value of `path` in the records "length path=value\n" of a pax header; empty where it has
// none.
std::string PaxPath(std::string_view records) {
  constexpr std::string_view kKey = " path=";
  const std::size_t at = records.find(kKey);
  if (at == std::string_view::npos) return "";
  const std::string_view value = records.substr(at + kKey.size());
  return std::string(value.substr(0, value.find('\n')));
}

// Of the file after the header; `longer`: a name that a header before it has.
std::string NameOf(std::string_view header, const std::string& longer) {
  if (!longer.empty()) return longer;
  const std::string_view prefix = Text(header, 345, 155);
  std::string name(Text(header, 0, 100));
  return prefix.empty() ? name : std::string(prefix) + "/" + name;
}

}  // namespace

bool IsTar(std::string_view bytes) {
  return bytes.size() >= kRecord && bytes.substr(257, 5) == "ustar";
}

absl::StatusOr<TarFile> LargestFile(std::string_view archive, std::string_view bytes) {
  std::optional<TarFile> largest;
  std::string longer;
  for (std::size_t at = 0; bytes.size() - at >= kRecord;) {
    const std::string_view header = bytes.substr(at, kRecord);
    if (header.find_first_not_of('\0') == std::string_view::npos) break;
    const std::optional<std::uint64_t> size = SizeOf(header);
    if (!size || *size > bytes.size() - at - kRecord) {
      return absl::InvalidArgumentError(std::string(archive) + ": byte " + std::to_string(at) +
                                        ": found the header of a file that does not end here, "
                                        "expected a whole tar archive");
    }
    const char type = header[156];
    const std::string_view contents = bytes.substr(at + kRecord, *size);
    if (type == 'L') {
      longer = std::string(contents.substr(0, contents.find('\0')));
    } else if (type == 'x') {
      longer = PaxPath(contents);
    } else {
      const bool is_file = type == '0' || type == '\0';
      if (is_file && (!largest || *size > largest->bytes.size())) {
        largest = TarFile{NameOf(header, longer), contents};
      }
      longer.clear();
    }
    at += kRecord + (*size + kRecord - 1) / kRecord * kRecord;
    if (at > bytes.size()) break;
  }
  if (largest) return *largest;
  return absl::InvalidArgumentError(std::string(archive) + ": it is a tar archive without a file");
}

}  // namespace graph
