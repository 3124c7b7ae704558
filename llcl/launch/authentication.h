// How a rank and rank 0 prove to each other that they know the job's secret, without sending it.
//
//   rank r           rank 0
//   greeting    ->                 a Hello: the rank, the job's size, and a nonce; and its MAC
//               <-   Answer        a nonce, and the MAC of both "from rank 0"
//   proof       ->                 the MAC of both "to rank 0"
//               <-   a Verdict
//
// The greeting's MAC shows from the first bytes, without a round trip, that their author knows the
// secret, so that a crowd of strangers cannot push a rank out. It proves no more: who has seen a
// greeting can repeat it. The proofs after it are over a nonce that is new on both sides.
//
// The MAC is SipHash over the direction, rank, size and both nonces: no message of one
// side is of use as the other side's, or for another rank, or a second time. It proves
// the connecting rank; later frames are neither encrypted nor signed, so a network
// whose packets strangers can change needs another launcher.
//
// Source: ISO/IEC 9798-4, mutual authentication in three passes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "llcl/launch/siphash.h"

namespace llcl {

// 32 hexadecimal digits; nullopt where it is something else.
std::optional<SipKey> ParseSecret(std::string_view digits);

// As ==, in a time that does not depend on where they differ: it reveals nothing of a secret.
bool EqualInConstantTime(std::string_view a, std::string_view b);

// A value. Each side draws a nonce of its own for each connection.
inline constexpr std::size_t kNonceBytes = 32;
struct Hello {
  int rank = 0;
  int size = 0;
  std::string nonce;
};
inline constexpr std::size_t kHelloBytes = 16 + kNonceBytes;
std::string FormatHello(const Hello& hello);
// nullopt: `bytes` are not the kHelloBytes of a Hello.
std::optional<Hello> ParseHello(std::string_view bytes);

inline constexpr std::size_t kProofBytes = 8;
inline constexpr std::size_t kGreetingBytes = kHelloBytes + kProofBytes;
// The Hello and its MAC.
std::string FormatGreeting(const SipKey& key, const Hello& hello);
// Is it the beginning of a greeting? If not, the rest need not be waited for.
bool MayBecomeGreeting(std::string_view bytes);

inline constexpr std::size_t kAnswerBytes = kNonceBytes + kProofBytes;
std::string ProofOfRank0(const SipKey& key, const Hello& hello, std::string_view nonce_of_0);
std::string ProofToRank0(const SipKey& key, const Hello& hello, std::string_view nonce_of_0);

// The answer of who was called to a rank that has proved itself. kCallsItself: the rank that was
// called calls the other at the same time, and its call counts (tcp/acquaintance.h).
enum class Verdict : char {
  kWelcome = 'w',
  kTaken = 't',
  kOtherSize = 's',
  kCallsItself = 'c',
};

// The calling rank's side of one such exchange, up to its proof. A value.
class Approach {
 public:
  Approach(const SipKey& key, Hello hello) : key_(key), hello_(std::move(hello)) {}

  std::string Greeting() const { return FormatGreeting(key_, hello_); }
  // Takes bytes that have come, missing() at most.
  void Hear(std::string_view bytes) { heard_ += bytes; }
  std::size_t missing() const { return kAnswerBytes - heard_.size(); }
  // Once nothing is missing: the other side knows the secret, and Proof() is for it.
  bool IsAnsweredByRank0() const;
  std::string Proof() const;

 private:
  SipKey key_;
  Hello hello_;
  std::string heard_;
};

// Rank 0's side of one such exchange, whatever the other side sends. A value.
class Interview {
 public:
  // `size`: of the job.
  Interview(const SipKey& key, int size, std::string nonce)
      : key_(key), size_(size), nonce_(std::move(nonce)) {}

  // Takes bytes that have come, returns bytes to send, also to who is refused for a wrong greeting:
  // a rank of another secret hears by them that this side has another one.
  std::string Hear(std::string_view bytes);

  // A greeting has come that only who knows the secret can have made, at this time or earlier.
  bool has_greeted() const { return state_ == State::kAwaitsProof || state_ == State::kProved; }
  // Proved: it is rank() of a job of this size or (is_of_other_size()) of another size.
  bool is_proved() const { return state_ == State::kProved; }
  bool is_refused() const { return state_ == State::kRefused; }
  bool is_of_other_size() const { return hello_.size != size_; }
  int rank() const { return hello_.rank; }
  int size() const { return hello_.size; }
  const std::string& why() const { return why_; }

 private:
  enum class State { kAwaitsGreeting, kAwaitsProof, kProved, kRefused };
  std::string Refuse(std::string why);

  SipKey key_;
  int size_;
  std::string nonce_;
  State state_ = State::kAwaitsGreeting;
  std::string heard_;
  Hello hello_;
  std::string why_;
};

}  // namespace llcl
