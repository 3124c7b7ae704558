#include "llcl/start/input_frames.h"

#include <cstdint>

#include "absl/strings/str_cat.h"

namespace llcl {
namespace {

constexpr std::uint32_t kSignal = std::uint32_t{1} << 31;

std::string HeaderOf(std::uint32_t number) {
  std::string header;
  for (const int shift : {24, 16, 8, 0}) header += static_cast<char>(number >> shift & 0xff);
  return header;
}

std::uint32_t NumberOf(std::string_view header) {
  std::uint32_t number = 0;
  for (const char byte : header.substr(0, kFrameHeaderBytes)) {
    number = number << 8 | static_cast<unsigned char>(byte);
  }
  return number;
}

}  // namespace

std::string FrameOf(std::string_view bytes) {
  return HeaderOf(static_cast<std::uint32_t>(bytes.size())).append(bytes);
}

std::string FrameOfSignal(int signal) {
  return HeaderOf(kSignal | static_cast<std::uint32_t>(signal));
}

absl::StatusOr<std::size_t> LengthOfFrame(std::string_view header) {
  const std::size_t length = NumberOf(header);
  if (length <= kMostFrameBytes) return length;
  return absl::InvalidArgumentError(
      absl::StrCat("a frame of ", length, " bytes: at most ", kMostFrameBytes, " are expected"));
}

std::string FramesOf(const ProxyStart& start) {
  std::string variables;
  for (const auto& [name, value] : start.environment) {
    variables += absl::StrCat(name, "=", value) + '\0';
  }
  std::string frames = FrameOf(start.secret);
  for (std::size_t at = 0; at < variables.size(); at += kMostFrameBytes) {
    frames += FrameOf(std::string_view(variables).substr(at, kMostFrameBytes));
  }
  return frames + FrameOf("");
}

absl::StatusOr<std::vector<std::pair<std::string, std::string>>> ParseVariables(
    std::string_view bytes) {
  std::vector<std::pair<std::string, std::string>> variables;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\0');
    const std::size_t equals = bytes.substr(0, end).find('=');
    if (end == std::string_view::npos || equals == std::string_view::npos || equals == 0) {
      return absl::InvalidArgumentError("the variables for the ranks are not NAME=VALUE");
    }
    variables.emplace_back(bytes.substr(0, equals), bytes.substr(equals + 1, end - equals - 1));
    bytes.remove_prefix(end + 1);
  }
  return variables;
}

absl::StatusOr<std::optional<InputFrame>> InputFrameReader::Next() {
  constexpr std::uint32_t kMostSignals = 64;
  if (received_.size() < kFrameHeaderBytes) return std::nullopt;
  InputFrame frame;
  const std::uint32_t signal = NumberOf(received_) ^ kSignal;
  if (signal > 0 && signal <= kMostSignals) {
    frame.signal = static_cast<int>(signal);
    received_.erase(0, kFrameHeaderBytes);
    return frame;
  }
  const absl::StatusOr<std::size_t> length = LengthOfFrame(received_);
  if (!length.ok()) return length.status();
  if (received_.size() < kFrameHeaderBytes + *length) return std::nullopt;
  frame.bytes = received_.substr(kFrameHeaderBytes, *length);
  received_.erase(0, kFrameHeaderBytes + *length);
  return frame;
}

}  // namespace llcl
