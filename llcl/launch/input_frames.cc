#include "llcl/launch/input_frames.h"

#include <cstdint>

#include "absl/strings/str_cat.h"

namespace llcl {

std::string FrameOf(std::string_view bytes) {
  const auto length = static_cast<std::uint32_t>(bytes.size());
  std::string frame;
  for (const int shift : {24, 16, 8, 0}) frame += static_cast<char>(length >> shift & 0xff);
  return frame.append(bytes);
}

absl::StatusOr<std::size_t> LengthOfFrame(std::string_view header) {
  std::size_t length = 0;
  for (const char byte : header.substr(0, kFrameHeaderBytes)) {
    length = length << 8 | static_cast<unsigned char>(byte);
  }
  if (length <= kMostFrameBytes) return length;
  return absl::InvalidArgumentError(
      absl::StrCat("a frame of ", length, " bytes: at most ", kMostFrameBytes, " are expected"));
}

absl::StatusOr<std::optional<std::string>> FrameReader::Next() {
  if (received_.size() < kFrameHeaderBytes) return std::nullopt;
  const absl::StatusOr<std::size_t> length = LengthOfFrame(received_);
  if (!length.ok()) return length.status();
  if (received_.size() < kFrameHeaderBytes + *length) return std::nullopt;
  std::string frame = received_.substr(kFrameHeaderBytes, *length);
  received_.erase(0, kFrameHeaderBytes + *length);
  return frame;
}

}  // namespace llcl
