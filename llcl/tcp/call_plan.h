// The order and the times of the calls at the addresses of a rank, and the sentence after calls in
// vain.
//
// A call follows a quarter of a second after the call before, or at once after a failed call; what
// was called before is still waited for, as a rank may be slow to answer. An address at which
// somebody has hung up is called again.
//
// Source: RFC 8305, Happy Eyeballs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace llcl {

// Times are in milliseconds since the plan began, and do not go back. A value.
class CallPlan {
 public:
  static constexpr std::int64_t kBeforeNextMs = 250;
  static constexpr std::int64_t kBeforeAgainMs = 10;

  // `first`: the position of the address to be called first; the others follow in their order.
  CallPlan(std::vector<std::string> addresses, std::size_t first);

  const std::string& address(std::size_t position) const { return calls_[position].address; }

  // The position of an address to be called now; it is taken for called.
  std::optional<std::size_t> Next(std::int64_t now_ms);
  // The time of the next call, if nothing is reported before; nothing: never.
  std::optional<std::int64_t> NextAtMs() const;

  // For a called address.
  void Connected(std::size_t position) { calls_[position].is_connected = true; }
  // The call has ended, and may do better next time. `reason`, here and below: as "refused".
  void CallAgain(std::size_t position, std::string reason, std::int64_t now_ms);
  // The call has ended for good.
  void Failed(std::size_t position, std::string reason, std::int64_t now_ms);

  // All have failed for good.
  bool IsOver() const;

  // "rank 1 was not reached at 10.0.0.1:4 (refused) nor at ...: set LLCL_ADDRESS ...".
  std::string Sentence(int rank) const;

 private:
  enum class State { kNotCalled, kCalled, kAgain, kFailed };
  struct ACall {
    std::string address;
    State state = State::kNotCalled;
    bool is_connected = false;
    std::int64_t again_at_ms = 0;
    std::string reason = {};
  };
  static std::string ReasonOf(const ACall& call);
  std::optional<std::size_t> FirstNotCalled() const;

  std::vector<ACall> calls_;
  std::size_t first_;
  std::int64_t next_at_ms_ = 0;
};

// "10.0.0.1:4 (refused) nor at 10.0.0.2:4" of two items; and the advice that ends such a sentence,
// for the machine that was not reached, as "its machine".
std::string NorAt(const std::vector<std::string>& items);
std::string AddressAdvice(const std::string& machine);

}  // namespace llcl
