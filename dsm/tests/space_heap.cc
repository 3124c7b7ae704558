// A heap in a space: blocks that any rank frees, blocks of all ranks, and C++'s containers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dsm/heap.h"
#include "dsm/tests/space_rank.h"

namespace dsm {
namespace {

constexpr std::uint64_t kOwnBytes = 1 << 20, kSharedBytes = 1 << 20;

std::unique_ptr<Heap> MakeHeap() {
  auto heap = Heap::Make(*space, {.own_bytes = kOwnBytes, .shared_bytes = kSharedBytes});
  EXPECT_TRUE(heap.ok()) << heap.status();
  return *std::move(heap);
}

TEST(Heap, BlocksAreAtHomeOnTheRankThatAllocatesThem) {
  const auto heap = MakeHeap();
  for (const std::uint64_t bytes : {1u, 100u, 5000u, 100'000u}) {
    const auto block = heap->Allocate(bytes, 64);
    ASSERT_TRUE(block.ok()) << block.status();
    EXPECT_EQ(block->size(), bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block->data()) % 64, 0u);
    EXPECT_EQ(space->HomeOf(&block->front()), space->rank());
    EXPECT_EQ(space->HomeOf(&block->back()), space->rank());
    const std::uint64_t faults = space->counts().copies.faults;
    std::fill(block->begin(), block->end(), std::byte{1});
    EXPECT_EQ(space->counts().copies.faults, faults);
    EXPECT_GE(heap->used_bytes(), bytes);
    EXPECT_TRUE(heap->Free(*block).ok());
    EXPECT_EQ(heap->used_bytes(), 0u);
    EXPECT_EQ(heap->Free(*block).code(), absl::StatusCode::kInvalidArgument);
  }
  for (const auto& [bytes, alignment] :
       {std::pair(0u, 16u), std::pair(1u, 3u), std::pair(1u, 0u), std::pair(1u, 8192u)}) {
    EXPECT_EQ(heap->Allocate(bytes, alignment).status().code(), absl::StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(heap->Allocate(2 * kOwnBytes).status().code(), absl::StatusCode::kResourceExhausted);
  const std::byte elsewhere{};
  EXPECT_EQ(heap->Free({&elsewhere, 1}).code(), absl::StatusCode::kInvalidArgument);
  Meet();
}

// Each rank's blocks go round: the next rank writes to them and frees them, and they are allocated
// anew, full of what their new owner writes.
TEST(Heap, ABlockThatAnotherRankFreesIsAllocatedAnew) {
  const auto heap = MakeHeap();
  constexpr std::uint64_t kBlocks = 50, kWords = 20;
  const auto pointers =
      Words(kBlocks * static_cast<std::uint64_t>(space->ranks()), Block{.count = space->ranks()});
  const auto of = [&](int rank, std::uint64_t i) -> std::uint64_t& {
    return pointers[static_cast<std::uint64_t>(rank) * kBlocks + i];
  };
  for (std::uint64_t round = 1; round <= 8; ++round) {
    for (std::uint64_t i = 0; i < kBlocks; ++i) {
      const auto block = heap->Allocate(kWords * 8);
      ASSERT_TRUE(block.ok()) << block.status();
      auto* const words = reinterpret_cast<std::uint64_t*>(block->data());
      std::fill_n(words, kWords, round * 1000 + i);
      of(space->rank(), i) = reinterpret_cast<std::uintptr_t>(words);
    }
    Meet();
    for (std::uint64_t i = 0; i < kBlocks; ++i) {
      auto* const words = reinterpret_cast<std::uint64_t*>(of(Next(), i));
      for (std::uint64_t word = 0; word < kWords; ++word) {
        ASSERT_EQ(words[word], round * 1000 + i);
      }
      words[round % kWords] = 1;  // It goes home before the block is another's.
      ASSERT_TRUE(heap->Free({reinterpret_cast<std::byte*>(words), kWords * 8}).ok());
    }
    Meet(Consistency::kKeep);
    ASSERT_LE(heap->used_bytes(), kBlocks * 256) << "freed blocks are used again";
  }
  Meet();
}

TEST(Heap, BlocksOfAllRanksAreTheSame) {
  const auto heap = MakeHeap();
  const auto addresses =
      Words(static_cast<std::uint64_t>(space->ranks()), Block{.count = space->ranks()});
  std::vector<std::span<std::byte>> blocks;
  for (const std::uint64_t bytes : {8u, 40u, 70'000u}) {
    const auto block = heap->AllocateTogether(bytes);
    ASSERT_TRUE(block.ok()) << block.status();
    blocks.push_back(*block);
    addresses[static_cast<std::size_t>(space->rank())] =
        reinterpret_cast<std::uintptr_t>(block->data());
    Meet();
    for (const std::uint64_t other : addresses) {
      ASSERT_EQ(other, reinterpret_cast<std::uintptr_t>(block->data()));
    }
    Meet(Consistency::kKeep);
  }
  for (const std::span<std::byte> block : blocks) {
    ASSERT_TRUE(heap->FreeTogether(block).ok());
    ASSERT_EQ(heap->FreeTogether(block).code(), absl::StatusCode::kInvalidArgument);
  }
  EXPECT_EQ(heap->AllocateTogether(kSharedBytes + space->options().page_bytes).status().code(),
            absl::StatusCode::kResourceExhausted);
  Meet();
}

// A map that lies in the heap with all its nodes: each rank in turn adds to it and removes what
// another has added.
TEST(Heap, AContainerInItIsUsedByAllRanksInTurn) {
  using Entry = std::pair<const int, std::uint64_t>;
  using Map = std::map<int, std::uint64_t, std::less<int>, Allocator<Entry>>;
  const auto heap = MakeHeap();
  const auto block = heap->AllocateTogether(sizeof(Map), alignof(Map));
  ASSERT_TRUE(block.ok()) << block.status();
  auto* const map = reinterpret_cast<Map*>(block->data());
  if (space->rank() == 0) new (map) Map(Allocator<Entry>(*heap));
  Meet();
  constexpr int kEach = 40;
  for (int turn = 0; turn < 2 * space->ranks(); ++turn) {
    if (turn % space->ranks() == space->rank()) {
      for (int i = 0; i < kEach; ++i) (*map)[turn * kEach + i] = static_cast<std::uint64_t>(i);
      if (turn > 0) {
        for (int i = 0; i < kEach; i += 2) ASSERT_EQ(map->erase((turn - 1) * kEach + i), 1u);
      }
    }
    Meet();
  }
  int count = 0;
  for (const auto& [key, value] : *map) {
    ASSERT_EQ(value, static_cast<std::uint64_t>(key % kEach));
    ++count;
  }
  EXPECT_EQ(count, kEach * (2 * space->ranks() + 1) / 2);
  Meet(Consistency::kKeep);
  if (space->rank() == space->ranks() - 1) map->~Map();
  Meet();
  std::vector<int, Allocator<int>> numbers{Allocator<int>(*heap)};
  EXPECT_THROW(numbers.resize(kOwnBytes), std::bad_alloc);
  numbers.resize(100, 7);
  EXPECT_EQ(space->HomeOf(numbers.data()), space->rank());
  Meet();
}

// A small heap has room for the list of freed blocks, and for small blocks without slabs.
TEST(Heap, AHeapOfOnePageIsUsedToItsEnd) {
  auto heap = Heap::Make(*space, {.own_bytes = 4096, .shared_bytes = 4096});
  ASSERT_TRUE(heap.ok()) << heap.status();
  for (const std::uint64_t bytes : {3000, 16}) {
    const auto block = (*heap)->Allocate(bytes);
    ASSERT_TRUE(block.ok()) << block.status();
    std::fill(block->begin(), block->end(), std::byte{0xff});
    EXPECT_TRUE(absl::IsResourceExhausted((*heap)->Allocate(space->options().page_bytes).status()));
    EXPECT_TRUE((*heap)->Free(*block).ok());
    EXPECT_EQ((*heap)->used_bytes(), 0u);
  }
  const auto shared = (*heap)->AllocateTogether(16);
  ASSERT_TRUE(shared.ok()) << shared.status();
  Meet();
  EXPECT_TRUE((*heap)->FreeTogether(*shared).ok());
}

TEST(Heap, ABlockThatHasNoRoomIsRefusedWithTheOptionsThatTheHeapHas) {
  auto heap = Heap::Make(*space, {.shared_bytes = 4096});
  ASSERT_TRUE(heap.ok()) << heap.status();
  const absl::Status refused = (*heap)->Allocate(16).status();
  EXPECT_TRUE(absl::IsResourceExhausted(refused)) << refused;
  EXPECT_THAT(std::string(refused.message()), testing::HasSubstr("HeapOptions::own_bytes is 0)"));
  const std::uint64_t all = space->options().bytes / static_cast<std::uint64_t>(space->ranks());
  for (const std::uint64_t own_bytes : {all, ~std::uint64_t{0}}) {
    const absl::Status too_much = Heap::Make(*space, {.own_bytes = own_bytes}).status();
    EXPECT_THAT(std::string(too_much.message()), testing::HasSubstr("does not fit in a space"));
  }
  Meet();
}

TEST(Heap, ThreadsAllocateAndFreeAtOnce) {
  const auto heap = MakeHeap();
  std::vector<std::thread> threads;
  for (unsigned thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&, thread] {
      std::mt19937 random(thread);
      std::vector<std::span<std::byte>> blocks;
      for (int i = 0; i < 500; ++i) {
        if (blocks.size() < 20) {
          const auto block = heap->Allocate(1 + random() % 3000);
          if (!block.ok()) {
            ADD_FAILURE() << block.status();
            return;
          }
          std::fill(block->begin(), block->end(), static_cast<std::byte>(thread + 1));
          blocks.push_back(*block);
        } else {
          std::swap(blocks[random() % blocks.size()], blocks.back());
          for (const std::byte byte : blocks.back()) {
            if (byte != static_cast<std::byte>(thread + 1)) {
              ADD_FAILURE() << "another thread has this block, too";
              return;
            }
          }
          EXPECT_TRUE(heap->Free(blocks.back()).ok());
          blocks.pop_back();
        }
      }
      for (const std::span<std::byte> block : blocks) EXPECT_TRUE(heap->Free(block).ok());
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(heap->used_bytes(), 0u);
  Meet();
}

}  // namespace
}  // namespace dsm
