// The input of a proxy, which runs the ranks of one machine, in frames. The end of the stream means
// the end of the job, of the launcher, or of the connection.
//
//   4 bytes: the length, the first byte the most significant; then so many bytes.
//   Or 2^31 and the number of a signal for the ranks.
//
// The first frame is the job's secret. The next, up to one of length 0, are the variables that the
// ranks get: "NAME=VALUE", each with a zero byte behind it. So neither is in a list of processes.
// The rest is rank 0's input, and a frame of length 0 is its end.
//
// Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace llcl {

inline constexpr std::size_t kFrameHeaderBytes = 4;
inline constexpr std::size_t kMostFrameBytes = 64 * 1024;

// Precondition: at most kMostFrameBytes.
std::string FrameOf(std::string_view bytes);

// Precondition: a signal of the system's.
std::string FrameOfSignal(int signal);

// The length in a header. Errors: InvalidArgument for more than kMostFrameBytes.
absl::StatusOr<std::size_t> LengthOfFrame(std::string_view header);

// The frames that a stream begins with. A value.
struct ProxyStart {
  std::string secret;
  std::vector<std::pair<std::string, std::string>> environment;  // names and values
};
std::string FramesOf(const ProxyStart& start);

// The variables of the frames, joined. Errors: InvalidArgument.
absl::StatusOr<std::vector<std::pair<std::string, std::string>>> ParseVariables(
    std::string_view bytes);

// A value: bytes, or a signal.
struct InputFrame {
  std::string bytes = {};
  int signal = 0;
};

// The frames of a stream that arrives in pieces of any size.
class InputFrameReader {
 public:
  void Feed(std::string_view bytes) { received_ += bytes; }
  // The next whole frame; none before the end of the frame has arrived. Errors: InvalidArgument,
  // also from every later call.
  absl::StatusOr<std::optional<InputFrame>> Next();

 private:
  std::string received_;
};

}  // namespace llcl
