// How a rank and rank 0 prove to each other that they know the job's secret, without sending it.
//
//   rank r           rank 0
//   Hello       ->                 the rank, the job's size, and a nonce
//               <-   Answer        a nonce, and the MAC of both "from rank 0"
//   proof       ->                 the MAC of both "to rank 0"
//               <-   a Verdict
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
// Is it the beginning of a Hello? If not, the rest need not be waited for.
bool MayBecomeHello(std::string_view bytes);

inline constexpr std::size_t kProofBytes = 8;
inline constexpr std::size_t kAnswerBytes = kNonceBytes + kProofBytes;
std::string ProofOfRank0(const SipKey& key, const Hello& hello, std::string_view nonce_of_0);
std::string ProofToRank0(const SipKey& key, const Hello& hello, std::string_view nonce_of_0);

// Rank 0's answer to a rank that has proved itself.
enum class Verdict : char { kWelcome = 'w', kTaken = 't', kOtherSize = 's' };

// Rank 0's side of one such exchange, whatever the other side sends. A value.
class Interview {
 public:
  // `size`: of the job.
  Interview(const SipKey& key, int size, std::string nonce)
      : key_(key), size_(size), nonce_(std::move(nonce)) {}

  // Takes bytes that have come, returns bytes to send.
  std::string Hear(std::string_view bytes);

  // Proved: it is rank() of a job of this size or (is_of_other_size()) of another size.
  bool is_proved() const { return state_ == State::kProved; }
  bool is_refused() const { return state_ == State::kRefused; }
  bool is_of_other_size() const { return hello_.size != size_; }
  int rank() const { return hello_.rank; }
  int size() const { return hello_.size; }
  const std::string& why() const { return why_; }

 private:
  enum class State { kAwaitsHello, kAwaitsProof, kProved, kRefused };
  std::string Refuse(std::string why);

  SipKey key_;
  int size_;
  std::string nonce_;
  State state_ = State::kAwaitsHello;
  std::string heard_;
  Hello hello_;
  std::string why_;
};

}  // namespace llcl
