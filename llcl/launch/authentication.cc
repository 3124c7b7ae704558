#include "llcl/launch/authentication.h"

#include <cstdint>
#include <utility>

namespace llcl {
namespace {

constexpr std::string_view kMagic = "llclrdv2";

std::uint32_t Word(std::string_view bytes, std::size_t at) {
  return static_cast<std::uint32_t>(LittleEndian(bytes.data() + at, 4));
}

// All parts of a direction are of fixed length, so that no two messages are the same bytes.
std::string Sign(const SipKey& key, std::string_view direction, const Hello& hello,
                 std::string_view nonce_of_0) {
  std::string message(direction);
  message += FormatHello(hello);
  message += nonce_of_0;
  return LittleEndianBytes(SipHash(key, message), kProofBytes);
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

bool EqualInConstantTime(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference |= static_cast<unsigned>(static_cast<unsigned char>(a[i] ^ b[i]));
  }
  return difference == 0;
}

std::string FormatHello(const Hello& hello) {
  return std::string(kMagic) + LittleEndianBytes(static_cast<std::uint32_t>(hello.rank), 4) +
         LittleEndianBytes(static_cast<std::uint32_t>(hello.size), 4) + hello.nonce;
}

std::optional<Hello> ParseHello(std::string_view bytes) {
  if (bytes.size() != kHelloBytes || !MayBecomeGreeting(bytes)) return std::nullopt;
  Hello hello;
  hello.rank = static_cast<int>(Word(bytes, 8));
  hello.size = static_cast<int>(Word(bytes, 12));
  hello.nonce = bytes.substr(16);
  if (hello.rank < 0 || hello.rank >= hello.size) return std::nullopt;
  return hello;
}

std::string FormatGreeting(const SipKey& key, const Hello& hello) {
  return FormatHello(hello) + Sign(key, "greeting:    ", hello, "");
}

bool MayBecomeGreeting(std::string_view bytes) {
  const std::string_view begin = bytes.substr(0, kMagic.size());
  return bytes.size() <= kGreetingBytes && begin == kMagic.substr(0, begin.size());
}

std::string ProofOfRank0(const SipKey& key, const Hello& hello, std::string_view nonce_of_0) {
  return Sign(key, "from rank 0: ", hello, nonce_of_0);
}

std::string ProofToRank0(const SipKey& key, const Hello& hello, std::string_view nonce_of_0) {
  return Sign(key, "to rank 0:   ", hello, nonce_of_0);
}

bool Approach::IsAnsweredByRank0() const {
  const std::string_view heard = heard_;
  return missing() == 0 &&
         EqualInConstantTime(heard.substr(kNonceBytes),
                             ProofOfRank0(key_, hello_, heard.substr(0, kNonceBytes)));
}

std::string Approach::Proof() const {
  return ProofToRank0(key_, hello_, std::string_view(heard_).substr(0, kNonceBytes));
}

std::string Interview::Hear(std::string_view bytes) {
  if (state_ == State::kRefused) return "";
  heard_ += bytes;
  if (state_ == State::kAwaitsGreeting) {
    if (!MayBecomeGreeting(heard_)) return Refuse("it does not speak as a rank does");
    if (heard_.size() < kGreetingBytes) return "";
    const std::optional<Hello> hello = ParseHello(std::string_view(heard_).substr(0, kHelloBytes));
    if (!hello) return Refuse("it names no rank that can be");
    hello_ = *hello;
    const bool is_signed = EqualInConstantTime(heard_, FormatGreeting(key_, hello_));
    heard_.clear();
    if (is_signed) {
      state_ = State::kAwaitsProof;
    } else {
      (void)Refuse("it does not know the secret");
    }
    return nonce_ + ProofOfRank0(key_, hello_, nonce_);
  }
  if (heard_.size() < kProofBytes) return "";
  // A rank sends nothing more before it has the verdict.
  if (state_ != State::kAwaitsProof ||
      !EqualInConstantTime(heard_, ProofToRank0(key_, hello_, nonce_))) {
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

}  // namespace llcl
