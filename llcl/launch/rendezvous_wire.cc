#include "llcl/launch/rendezvous_wire.h"

#include <cstdint>
#include <utility>

#include "llcl/launch/siphash.h"

namespace llcl {

std::optional<HostAndPort> ParseAddress(std::string_view address) {
  const std::size_t colon = address.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  std::string_view host = address.substr(0, colon);
  const std::string_view port = address.substr(colon + 1);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return std::nullopt;  // Which colon is before the port is a guess.
  }
  int number = 0;
  for (const char digit : port) {
    if (digit < '0' || digit > '9' || number > 65535) return std::nullopt;
    number = 10 * number + (digit - '0');
  }
  if (host.empty() || number < 1 || number > 65535) return std::nullopt;
  return HostAndPort{std::string(host), std::string(port)};
}

std::string FormatFrame(FrameKind kind, std::string_view bytes) {
  return LittleEndianBytes(bytes.size(), 8) + static_cast<char>(kind) + std::string(bytes);
}

std::optional<Frame> FrameReader::Next() {
  constexpr std::size_t kHead = 9;
  if (is_bad_ || received_.size() < kHead) return std::nullopt;
  const std::uint64_t length = LittleEndian(received_.data(), 8);
  const char kind = received_[8];
  if (length > most_bytes_ || std::string_view("male").find(kind) == std::string_view::npos) {
    is_bad_ = true;
    return std::nullopt;
  }
  if (received_.size() - kHead < length) return std::nullopt;
  Frame frame{static_cast<FrameKind>(kind), received_.substr(kHead, length)};
  received_.erase(0, kHead + length);
  return frame;
}

std::string FormatAll(const std::vector<std::string>& all) {
  std::string bytes;
  for (const std::string& one : all) bytes += LittleEndianBytes(one.size(), 8) + one;
  return bytes;
}

std::optional<std::vector<std::string>> ParseAll(std::string_view bytes, int size) {
  std::vector<std::string> all;
  for (int rank = 0; rank < size; ++rank) {
    if (bytes.size() < 8) return std::nullopt;
    const std::uint64_t length = LittleEndian(bytes.data(), 8);
    bytes.remove_prefix(8);
    if (length > bytes.size()) return std::nullopt;
    all.emplace_back(bytes.substr(0, length));
    bytes.remove_prefix(length);
  }
  if (!bytes.empty()) return std::nullopt;
  return all;
}

}  // namespace llcl
