// A rank of a test of what a space promises: each test is run by all ranks of a job that llclrun
// started, with an engine and options that space_rank.cc takes.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "dsm/space.h"

namespace dsm {

inline std::unique_ptr<Space> space;
inline std::atomic<std::uint64_t> waits{0};  // by the waiter, where there is one

// With a small cache pages come and go, and how often is chance.
inline bool IsBounded() { return space->options().cache_bytes > 0; }
inline std::uint64_t CachePages() {
  return space->options().cache_bytes / space->options().page_bytes;
}

inline std::span<std::uint64_t> Words(std::uint64_t count, const Mapping& mapping) {
  const auto memory = space->Allocate({{count}, 8}, mapping);
  EXPECT_TRUE(memory.ok()) << memory.status();
  return {reinterpret_cast<std::uint64_t*>(memory->data()), count};
}
inline void Meet(Consistency consistency = Consistency::kFlush) {
  const absl::Status met = space->Barrier(consistency);
  ASSERT_TRUE(met.ok()) << met;
}
inline std::uint64_t Pages(std::uint64_t words) {
  return (words * 8 + space->options().page_bytes - 1) / space->options().page_bytes;
}
inline int Next() { return (space->rank() + 1) % space->ranks(); }
// So many words make so many pages a rank.
inline std::uint64_t WordsOfPages(std::uint64_t pages) {
  return pages * space->options().page_bytes / 8 * static_cast<std::uint64_t>(space->ranks());
}
// Reads all, and says how many pages came for it.
inline std::uint64_t PagesFetchedToRead(std::span<const std::uint64_t> words) {
  const std::uint64_t before = space->counts().copies.pages_fetched;
  std::uint64_t sum = 0;
  for (const std::uint64_t word : words) sum += word;
  EXPECT_NE(sum, 1u);
  return space->counts().copies.pages_fetched - before;
}

}  // namespace dsm
