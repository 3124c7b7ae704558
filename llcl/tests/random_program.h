// A random program for many threads of many ranks, as a function of its seed. Each rank makes all
// of it, so that it knows what the others do: the oracle needs no messages for that.
//
// A program is a number of phases with barriers between them. In a phase each thread runs batches:
// it posts all operations of a batch, then waits for them; operations of a batch, and those of
// different threads, are in no order. All ranks have the same windows (memory that the others use),
// cut into areas by what may happen there at the same time:
//
//   own       one thread of one rank reads and writes; within a batch operations may overlap
//   atomics   any thread changes any word; in a phase a word's operations are either all fetching,
//   of any
//             kind, or all additions
//   words     any thread reads and writes whole words
//   sums      any thread adds arrays to it, of 8 bytes an element, or in its second part of one
//   byte puts      one thread writes a slot at most once a phase and signals it: the watcher there
//   looks late      one thread writes a slot at most once, within a deadline that may pass log what
//   the fetching operations of a phase saw
//
// Besides each rank has a region that it gives up in the middle of each phase, while others use it,
// and some ranks keep a stream of requests under way (random_streams.h).
// Among all these are requests that must be refused.
//
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "llcl/atomics.h"
#include "llcl/endpoint/params.h"
#include "llcl/executor/executor.h"

namespace llcl {

enum class StepKind : std::uint8_t {
  kRead,           // of the own area
  kWrite,          // of the own area
  kReadStrided,    // of the own area: `rows` rows, `stride` apart
  kWriteStrided,   // as kReadStrided
  kReadList,       // of the own area: two pieces, `stride` apart
  kWriteList,      // as kReadList
  kOwnAtomic,      // on a word of the own area that nothing else in the batch touches
  kAtomic,         // on a word of the atomics
  kReadWord,       // of the words
  kWriteWord,      // of the words
  kAccumulate,     // to the sums: `bytes` of elements of `stride` bytes
  kSend,           // a message of any size, which is answered if its number is odd
  kPutThenAtomic,  // to a slot of the puts, then its signal
  kPutThenSend,    // to a slot of the puts, then a message
  kLateWrite,      // to a slot of the late area, in a millisecond
  kReadDoomed,     // of the region that goes
  kWriteDoomed,    // of the region that goes
  kFreeDoomed,     // the own one goes
  kCollective,     // the next one of the thread's team
  kInvalid,        // must be refused
};

// The fault of a request.
enum class Wrong : std::uint8_t {
  // Refused at once.
  kOffset,
  kOverflow,
  kOwner,
  kNoRegion,
  kLocalOffset,
  kLocalGone,
  kUnaligned,
  kNoSuchAtomic,
  kHandler,
  kTooLong,
  // Refused at once, or when the fault is found.
  kGone,
  kKey,
  kBytes,
  kStart,
  kSlot,
  kGeneration,
  kMisalignment,
};
inline constexpr int kWrongs = static_cast<int>(Wrong::kMisalignment) + 1;

// A value. Which of the fields count depends on the kind.
struct Step {
  StepKind kind = StepKind::kRead;
  bool ends_batch = false;
  std::uint8_t window = 0;
  std::int32_t peer = 0;
  std::uint64_t at = 0;     // from the beginning of its area
  std::uint64_t bytes = 0;  // of each piece
  std::uint64_t rows = 1, stride = 0;
  std::uint64_t value = 0;  // written bytes are made of it; an atomic's operand
  std::uint64_t expected = 0;
  AtomicType type = AtomicType::kU64;
  AtomicOp op = AtomicOp::kAdd;
  bool fetches = false;
  Wrong wrong = Wrong::kOffset;
  StepKind wrong_kind = StepKind::kRead;  // of kInvalid: the kind of the wrong request
  Notify notify = Notify::kAlways;        // of reads, writes and atomics
  std::uint32_t number = 0;               // of a message or of a logged atomic, among its sender's
};

// What a step or a stream writes, by the words' number and by the bytes' offset.
inline std::uint64_t WordOf(std::uint64_t value, std::uint64_t number) {
  const std::uint64_t mixed = (value + number + 1) * 0x9E3779B97F4A7C15u;
  return mixed ^ mixed >> 29;
}
inline std::byte ByteOf(std::uint64_t value, std::uint64_t place) {
  return static_cast<std::byte>(WordOf(value, place / 8) >> (place % 8 * 8));
}

// Where the areas of a window are. A value.
struct WindowLayout {
  static constexpr std::uint64_t kSlots = 24, kPutBytes = 64, kDoomedBytes = 4096;
  static constexpr std::uint64_t kAtomics = 24, kWords = 16, kLogged = 64;
  static constexpr std::uint64_t kWordSums = 1024, kSums = 2 * kWordSums;  // bytes

  int ranks = 1, threads = 1;
  std::uint64_t own_bytes = 2048;

  std::uint64_t Of(int rank, int thread) const {
    return static_cast<std::uint64_t>(rank * threads + thread);
  }
  std::uint64_t members() const { return static_cast<std::uint64_t>(ranks * threads); }
  std::uint64_t Atomics() const { return 0; }
  std::uint64_t Words() const { return Atomics() + kAtomics * 8; }
  std::uint64_t Sums() const { return Words() + kWords * 8; }
  std::uint64_t Put(int rank, int thread, std::uint64_t slot) const {
    return Sums() + kSums + (Of(rank, thread) * kSlots + slot) * (kPutBytes + 8);
  }
  std::uint64_t Late(int rank, int thread) const {
    return Put(0, 0, 0) + (members() * (kPutBytes + 8) + Of(rank, thread) * 8) * kSlots;
  }
  std::uint64_t Log(int rank, int thread) const {
    return Late(0, 0) + (members() * kSlots + Of(rank, thread) * kLogged) * 8;
  }
  std::uint64_t Own(int rank, int thread) const {
    return Log(0, 0) + members() * kLogged * 8 + Of(rank, thread) * own_bytes;
  }
  // A word that only signals of refused writes would change.
  std::uint64_t Untouched() const { return Own(0, 0) + members() * own_bytes; }
  std::uint64_t bytes() const { return Untouched() + 8; }
};

// In a phase all operations on an atomic word are of its type and way.
struct AtomicWay {
  AtomicType type = AtomicType::kU64;
  bool adds_only = false;
};

enum class StreamKind : std::uint8_t { kWrites, kReads, kMessages };

// Requests of one kind that a rank keeps under way to another. A value.
struct RandomStream {
  StreamKind kind = StreamKind::kWrites;
  std::int32_t peer = 0;
  std::uint64_t slots = 0;  // at a time; 0: the rank has no stream
  std::uint64_t bytes = 0;  // of each
};

// A value.
struct RandomProgram {
  static constexpr int kWindows = 2;
  std::uint64_t seed = 0;
  WindowLayout layout;
  int phases = 1;
  bool aborts = false;  // at its end, in the middle of operations
  Mode mode = Mode::kHybrid;
  std::size_t ring = 1024, lanes = 1;
  Tag tags = 4096;
  int credits = 64;
  std::uint64_t large_bytes = 1 << 20;
  std::vector<RandomStream> streams;  // by rank
  // By phase, and member (layout.Of).
  std::vector<std::vector<std::vector<Step>>> steps;
  // By phase, and by window * kAtomics + word: the same on all ranks.
  std::vector<std::vector<AtomicWay>> ways;

  const std::vector<Step>& StepsOf(int phase, int rank, int thread) const {
    return steps[static_cast<std::size_t>(phase)][layout.Of(rank, thread)];
  }
};

// The bits of a small number of that type: so that operations meet, and additions of floats are
// exact.
std::uint64_t SmallNumber(AtomicType type, std::int64_t number);

RandomProgram MakeRandomProgram(std::uint64_t seed, int ranks);

}  // namespace llcl
