// The input of the ranks of one machine, in frames: the bytes of rank 0's input, and the end of the
// input. The end of the stream means the end of the launcher, or of the connection.
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

// The length in a header. Errors: InvalidArgument for more than kMostFrameBytes.
absl::StatusOr<std::size_t> LengthOfFrame(std::string_view header);

// The frames of a stream that arrives in pieces of any size.
class FrameReader {
 public:
  void Feed(std::string_view bytes) { received_ += bytes; }
  // The next whole frame; none before the end of the frame has arrived. Errors: InvalidArgument,
  // also from every later call.
  absl::StatusOr<std::optional<std::string>> Next();

 private:
  std::string received_;
};

}  // namespace llcl
