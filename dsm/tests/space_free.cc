// Memory that is given back: what comes to its addresses next is as new.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "dsm/mutex.h"
#include "dsm/tests/space_rank.h"

namespace dsm {
namespace {

std::uint64_t SharedBytesOfThisProcess() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssShmem:")) return std::stoull(line.substr(9)) * 1024;
  }
  return 0;
}

absl::Status Free(std::span<const std::uint64_t> words) {
  return space->Free(std::as_bytes(words));
}

TEST(Space, MemoryThatWasFreedIsAllocatedAnewWithAnotherMapping) {
  const int ranks = space->ranks();
  const std::uint64_t count = WordsOfPages(3);
  const std::uint64_t* first = nullptr;
  for (int round = 0; round < 12; ++round) {
    const Mapping mappings[] = {Block{.count = ranks}, OnRank{round % ranks},
                                Cyclic{.pages = 1, .count = ranks}};
    const auto words = Words(count, mappings[round % 3]);
    if (first == nullptr) first = words.data();
    ASSERT_EQ(words.data(), first);
    for (std::uint64_t i = 0; i < count; i += 100) ASSERT_EQ(words[i], 0u) << "zeros";
    Meet(Consistency::kKeep);
    // Copies of all pages, that each rank writes to, at words of its own.
    for (auto i = static_cast<std::uint64_t>(space->rank()); i < count;
         i += static_cast<std::uint64_t>(ranks)) {
      words[i] = i + static_cast<std::uint64_t>(round);
    }
    Meet();
    for (std::uint64_t i = 0; i < count; ++i) {
      ASSERT_EQ(words[i], i + static_cast<std::uint64_t>(round));
    }
    Meet(Consistency::kKeep);
    // These writes are lost with the memory.
    words[static_cast<std::size_t>(space->rank())] = 1;
    ASSERT_TRUE(Free(words).ok());
    EXPECT_FALSE(space->IsResident(std::as_bytes(words)));
    EXPECT_EQ(space->CheckAllocated(std::as_bytes(words)).code(), absl::StatusCode::kOutOfRange);
  }
  Meet();
}

TEST(Space, MemoryThatWasFreedTakesNone) {
  const std::uint64_t pages = (std::uint64_t{4} << 20) / space->options().page_bytes;
  const auto words = Words(WordsOfPages(pages), Block{.count = space->ranks()});
  const Bounds mine = space->DistributionOf(words.data()).LocalBlock(space->rank());
  for (std::uint64_t i = mine.begin[0]; i < mine.end[0]; i += 512) words[i] = 1;
  Meet();
  const std::uint64_t before = SharedBytesOfThisProcess();
  ASSERT_TRUE(Free(words).ok());
  EXPECT_LE(SharedBytesOfThisProcess() + (std::uint64_t{3} << 20), before);
  Meet();
}

TEST(Space, OnlyWholeAllocationsAreFreed) {
  const auto words = Words(WordsOfPages(2), Block{.count = space->ranks()});
  for (const std::span<const std::uint64_t> some :
       {words.first(1), words.last(1), words.subspan(space->options().page_bytes / 8)}) {
    if (some.size() == words.size()) continue;
    EXPECT_EQ(Free(some).code(), absl::StatusCode::kInvalidArgument);
  }
  const std::uint64_t elsewhere = 0;
  EXPECT_EQ(Free({&elsewhere, 1}).code(), absl::StatusCode::kInvalidArgument);
  ASSERT_TRUE(Free(words).ok());
  EXPECT_EQ(Free(words).code(), absl::StatusCode::kInvalidArgument) << "it is freed already";
  Meet();
}

// Allocations come and go; between barriers each word is written by one rank, or by none, or words
// are added to by any ranks under a mutex, which outlives the memory that it protects. Checkpoints
// are saved and restored.
TEST(Space, RandomAllocationsAndFreesAreAsOneMemory) {
  struct Array {
    std::span<std::uint64_t> words;
    std::vector<std::uint64_t> oracle;
  };
  std::vector<Array> arrays;
  constexpr unsigned kSeed = 4711;
  SCOPED_TRACE(kSeed);
  std::mt19937 random(kSeed);
  const auto below = [&](std::uint64_t most) { return random() % most; };
  const auto ranks = static_cast<std::uint64_t>(space->ranks());
  const char* const folder = std::getenv("TEST_TMPDIR");
  const std::string path =
      std::string(folder == nullptr ? "/tmp" : folder) + "/random-" + std::to_string(getppid());
  auto mutex = Mutex::Make(*space, 0);
  ASSERT_TRUE(mutex.ok()) << mutex.status();
  // The same numbers on all ranks; each rank adds its part of them.
  const auto add = [&](Array& array) {
    const std::uint64_t adds = below(20);
    for (std::uint64_t i = 0; i < adds; ++i) {
      const std::uint64_t at = below(array.words.size()), value = random(), by = below(ranks);
      array.oracle[at] += value;
      if (by != static_cast<std::uint64_t>(space->rank())) continue;
      ASSERT_TRUE(mutex->Lock().ok());
      array.words[at] += value;
      ASSERT_TRUE(mutex->Unlock().ok());
    }
  };
  for (int step = 0; step < 160; ++step) {
    if (arrays.size() < 2 || (arrays.size() < 8 && below(2) == 0)) {
      const std::uint64_t count = 1 + below(WordsOfPages(2));
      const auto first = static_cast<int>(below(ranks));
      const Mapping mappings[] = {
          OnRank{first}, Block{.count = space->ranks()},
          Cyclic{.pages = 1, .first = first, .count = space->ranks() - first}, FirstTouch{}};
      arrays.push_back({Words(count, mappings[below(4)]), std::vector<std::uint64_t>(count)});
      for (int look = 0; look < 10; ++look) ASSERT_EQ(arrays.back().words[below(count)], 0u);
      Meet(Consistency::kKeep);
    } else if (below(4) == 0) {
      const std::uint64_t which = below(arrays.size());
      ASSERT_TRUE(Free(arrays[which].words).ok());
      arrays.erase(arrays.begin() + static_cast<std::ptrdiff_t>(which));
    } else if (below(12) == 0) {
      // Writes between Save and Restore are gone.
      const absl::Status saved = space->Save(path);
      ASSERT_TRUE(saved.ok()) << saved;
      for (const Array& array : arrays)
        array.words[static_cast<std::size_t>(space->rank()) % array.words.size()] = 1;
      const absl::Status restored = space->Restore(path);
      ASSERT_TRUE(restored.ok()) << restored;
    } else if (below(3) == 0) {
      add(arrays[below(arrays.size())]);
      Meet();
    } else {
      Array& array = arrays[below(arrays.size())];
      const std::uint64_t writes = below(60), shift = below(ranks);
      for (std::uint64_t i = 0; i < writes; ++i) {
        const std::uint64_t at = below(array.words.size()), value = random();
        array.oracle[at] = value;
        if ((at + shift) % ranks == static_cast<std::uint64_t>(space->rank())) {
          array.words[at] = value;
        }
      }
      Meet();
      for (const Array& each : arrays) {
        for (int look = 0; look < 20; ++look) {
          const std::uint64_t at = below(each.words.size());
          ASSERT_EQ(each.words[at], each.oracle[at]) << "step " << step << ", word " << at;
        }
      }
      Meet(Consistency::kKeep);
    }
  }
  for (const Array& array : arrays) ASSERT_TRUE(Free(array.words).ok());
  Meet();
}

}  // namespace
}  // namespace dsm
