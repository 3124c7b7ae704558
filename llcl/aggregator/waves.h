// The end of work that makes work: a program whose handlers add records has ended when each record
// that was ever added has been handled.
//
// The ranks add up how many records they have sent and handled, again and again: one wave after the
// other. A rank's numbers are read at different moments, so that one wave with equal sums proves
// nothing: a record may be counted where it was handled and not where it was sent. Two waves in a
// row with the same sums, as many sent as handled, prove that nothing has happened between them.
//
// Source: Mattern, Algorithms for distributed termination detection, 1987 (the four counters).
//
// Pure. tests/waves_model_test.cc runs it over the orders of sends, receipts and readings.
#pragma once

#include <cstdint>
#include <optional>

#include "llcl/language.h"

namespace llcl {

// The sums of a wave. A value.
struct Wave {
  std::uint64_t sent = 0, handled = 0;
  friend bool operator==(const Wave&, const Wave&) = default;
};

// A value of a rank; equal on all ranks, as the waves are.
class Waves {
 public:
  // A wave has ended with these sums. Precondition: each rank has read its numbers of this wave
  // after the end of the wave before it.
  enum class Found : std::uint8_t { kMoves, kRests, kEnd };
  [[nodiscard]] Found Add(const Wave& wave) {
    const bool rests = last_ == wave;
    last_ = wave;
    if (!rests) return Found::kMoves;
    return wave.sent == wave.handled ? Found::kEnd : Found::kRests;
  }

 private:
  std::optional<Wave> last_;
};

}  // namespace llcl
