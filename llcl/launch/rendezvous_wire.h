// What follows a welcome (authentication.h) at a rendezvous: frames, lengths first, that ranks
// exchange with rank 0; and how rank 0's address is written.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace llcl {

// "host:port", or "[host]:port" where the host has colons.
struct HostAndPort {
  std::string host;
  std::string port;
};
std::optional<HostAndPort> ParseAddress(std::string_view address);

// The frames that follow a welcome. A value.
enum class FrameKind : char {
  kMine = 'm',  // to rank 0: the bytes of one rank
  kAll = 'a',   // from rank 0: the bytes of all, as FormatAll writes them
  kLost = 'l',  // from rank 0: the number of the rank that is gone
  kEnd = 'e',   // the job is to end: a sentence that names the rank and the reason
};
struct Frame {
  FrameKind kind = FrameKind::kMine;
  std::string bytes;
};
std::string FormatFrame(FrameKind kind, std::string_view bytes);

// Cuts received bytes into frames. A value.
class FrameReader {
 public:
  explicit FrameReader(std::size_t most_bytes) : most_bytes_(most_bytes) {}
  void Append(std::string_view bytes) { received_.append(bytes); }
  // The next whole frame.
  std::optional<Frame> Next();
  // A frame claims more than `most_bytes`, or an unknown kind; nothing more is read.
  bool is_bad() const { return is_bad_; }

 private:
  std::size_t most_bytes_;
  std::string received_;
  bool is_bad_ = false;
};

// The bytes of all ranks in one string.
std::string FormatAll(const std::vector<std::string>& all);
std::optional<std::vector<std::string>> ParseAll(std::string_view bytes, int size);

}  // namespace llcl
