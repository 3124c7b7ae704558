// The input of the ranks of one machine, in frames: bytes of rank 0's input, its end, and, by the
// end of the stream, that of the launcher or of the connection to it.
//
//   4 bytes: the length, the first byte the most significant; then so many bytes. Length 0: rank
//   0's input has ended.
//
// Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace llcl {

inline constexpr std::size_t kFrameHeaderBytes = 4;
inline constexpr std::size_t kMostFrameBytes = 64 * 1024;

// Precondition: at most kMostFrameBytes.
std::string FrameOf(std::string_view bytes);

// The length that a header says. Errors: InvalidArgument for more than kMostFrameBytes.
absl::StatusOr<std::size_t> LengthOfFrame(std::string_view header);

// The frames of a stream that arrives in pieces of any size.
class FrameReader {
 public:
  void Feed(std::string_view bytes) { received_ += bytes; }
  // The next whole frame; none where its end has not arrived. Errors: InvalidArgument; then all
  // later calls return it.
  absl::StatusOr<std::optional<std::string>> Next();

 private:
  std::string received_;
};

}  // namespace llcl
