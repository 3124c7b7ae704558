#include "llcl/launch/rendezvous_wire.h"

#include <utility>

namespace llcl {
namespace {

constexpr std::string_view kMagic = "llclrdv1";

std::string Bytes(std::uint64_t word, std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(word >> (8 * i) & 0xff);
  return bytes;
}

std::uint32_t Word(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint32_t>(LittleEndian(bytes.data() + at, 4));
}

// All parts are of fixed length, so that no two messages are the same bytes.
std::string Sign(const SipKey& key, std::string_view direction, const Hello& hello,
                 std::string_view nonce_of_0) {
  std::string message(direction);
  message += FormatHello(hello);
  message += nonce_of_0;
  return Bytes(SipHash(key, message), kProofBytes);
}

int DigitOf(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
  return -1;
}

}  // namespace

std::optional<SipKey> ParseSecret(std::string_view digits) {
  SipKey key = {};
  if (digits.size() != 2 * key.size()) return std::nullopt;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const int high = DigitOf(digits[2 * i]), low = DigitOf(digits[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    key[i] = static_cast<std::uint8_t>(16 * high + low);
  }
  return key;
}

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

std::string FormatHello(const Hello& hello) {
  return std::string(kMagic) + Bytes(static_cast<std::uint32_t>(hello.rank), 4) +
         Bytes(static_cast<std::uint32_t>(hello.size), 4) + hello.nonce;
}

std::optional<Hello> ParseHello(std::string_view bytes) {
  if (bytes.size() != kHelloBytes || !MayBecomeHello(bytes)) return std::nullopt;
  Hello hello;
  hello.rank = static_cast<int>(Word(bytes, 8));
  hello.size = static_cast<int>(Word(bytes, 12));
  hello.nonce = bytes.substr(16);
  // Rank 0 is the answering side.
  if (hello.rank < 1 || hello.rank >= hello.size) return std::nullopt;
  return hello;
}

bool MayBecomeHello(std::string_view bytes) {
  const std::string_view begin = bytes.substr(0, kMagic.size());
  return bytes.size() <= kHelloBytes && begin == kMagic.substr(0, begin.size());
}

std::string ProofOfRank0(const SipKey& key, const Hello& hello, std::string_view nonce_of_0) {
  return Sign(key, "from rank 0: ", hello, nonce_of_0);
}

std::string ProofToRank0(const SipKey& key, const Hello& hello, std::string_view nonce_of_0) {
  return Sign(key, "to rank 0:   ", hello, nonce_of_0);
}

std::string Interview::Hear(std::string_view bytes) {
  if (state_ == State::kRefused) return "";
  heard_ += bytes;
  if (state_ == State::kAwaitsHello) {
    if (!MayBecomeHello(heard_)) return Refuse("it does not speak as a rank does");
    if (heard_.size() < kHelloBytes) return "";
    const std::optional<Hello> hello = ParseHello(heard_);
    if (!hello) return Refuse("it names no rank that can be");
    hello_ = *hello;
    heard_.clear();
    state_ = State::kAwaitsProof;
    return nonce_ + ProofOfRank0(key_, hello_, nonce_);
  }
  if (heard_.size() < kProofBytes) return "";
  // A rank sends nothing more before it has the verdict.
  if (state_ != State::kAwaitsProof || heard_ != ProofToRank0(key_, hello_, nonce_)) {
    return Refuse("it does not know the secret");
  }
  state_ = State::kProved;
  return "";
}

std::string Interview::Refuse(std::string why) {
  state_ = State::kRefused;
  why_ = std::move(why);
  return "";
}

std::string FormatFrame(FrameKind kind, std::string_view bytes) {
  return Bytes(bytes.size(), 8) + static_cast<char>(kind) + std::string(bytes);
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
  for (const std::string& one : all) bytes += Bytes(one.size(), 8) + one;
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
