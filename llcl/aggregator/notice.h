// The messages of aggregators about their buffers.
//
// Pure.
#pragma once

#include <cstdint>

#include "llcl/language.h"

namespace llcl {

// The hops of a record to its rank (router.h).
enum class Hop : std::uint8_t {
  kLast,   // to its rank
  kFirst,  // to a rank that passes it on
};

// A value, of the same bytes on all ranks.
struct BufferNotice {
  enum class Kind : std::uint8_t {
    kFilled,    // records lie in the receiver's buffer
    kReturned,  // the receiver has handled the records of the sender's buffer
    kFailed,    // the aggregator has failed there; `entries` is the Outcome
  };

  std::uint64_t aggregator = 0;
  std::uint32_t entries = 0;
  std::uint32_t epoch = 0;
  Kind kind = Kind::kFilled;
  Hop hop = Hop::kLast;
  std::uint8_t buffer = 0;
  std::uint8_t unused[5] = {};
};
static_assert(sizeof(BufferNotice) == 24);

}  // namespace llcl
