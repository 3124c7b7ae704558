// Finds bytes that two ranks have written between the same flush barriers: at their home, where
// all changes meet.
//
// Pages at home are treated as copies are: a first write keeps a twin. What came from another
// rank and what was written here are then told apart, byte by byte. Changes under locks are
// not looked at. Two ranks that write the same value as was there are not seen.
//
// Threads: OnWrite by any, in signal handlers; Apply by any; the rest by one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "absl/status/statusor.h"
#include "dsm/cache/copies.h"
#include "dsm/cache/page.h"
#include "dsm/engine/engine.h"
#include "dsm/engine/reserved.h"
#include "dsm/layout/distribution.h"
#include "topo/spinning_atomic.h"

namespace dsm {

// A value: bytes of the space that follow each other.
struct Race {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  int one = 0, other = 0;  // ranks
  friend bool operator==(const Race&, const Race&) = default;
};

// A resource. The engine, the memory (the other view of the engine's) and the source outlive it.
class RaceFinder {
 public:
  static absl::StatusOr<std::unique_ptr<RaceFinder>> Make(int rank, Engine& engine,
                                                          std::span<std::byte> memory,
                                                          std::uint64_t page_bytes,
                                                          PageSource& source);

  // New memory at home; from now on OnWrite is called before it is written.
  void Watch(PageRange pages);
  // A write has faulted. False: it is none of ours.
  bool OnWrite(std::uint64_t page);
  // Applies what `from` has changed. False: it is no difference of a page.
  [[nodiscard]] bool Apply(std::uint64_t page, int from, bool is_locked,
                           std::span<const std::byte> diff);
  // The epoch ends, and all its changes are here. Returns what was found in it, ascending.
  std::vector<Race> Flush();

 private:
  using Page = BasicPage<topo::SpinningAtomic>;  // clean: watched; dirty: it has a twin

  RaceFinder(int rank, Engine& engine, std::span<std::byte> memory, std::uint64_t page_bytes,
             PageSource& source)
      : rank_(rank), engine_(engine), memory_(memory), page_bytes_(page_bytes), source_(source) {}
  std::span<std::byte> BytesOf(std::uint64_t page) const {
    return memory_.subspan(page * page_bytes_, page_bytes_);
  }
  std::span<std::byte> TwinOf(std::uint64_t page) const {
    return {twins_.data() + page * page_bytes_, page_bytes_};
  }
  PageState Hold(std::uint64_t page);
  void Protect(std::uint64_t page);
  void Add(std::uint64_t page, std::size_t byte, int one, int other);

  const int rank_;
  Engine& engine_;
  const std::span<std::byte> memory_;
  const std::uint64_t page_bytes_;
  PageSource& source_;
  Reserved states_, twins_, written_;
  Page* pages_ = nullptr;  // in states_
  topo::Atomic<int> lock_{0};
  std::uint64_t written_count_ = 0;  // pages with a twin, in written_. Under lock_
  std::mutex mutex_;
  // By page and byte: one more than the rank that changed it in this epoch. Under mutex_
  std::unordered_map<std::uint64_t, std::vector<int>> writers_;
  std::vector<Race> found_;  // under mutex_
};

}  // namespace dsm
