// Regions of another rank that are mapped here: what is found, and what of it is true.
#include "llcl/region/mapped_regions.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "llcl/executor/in_place.h"

namespace llcl {
namespace {

// An owner of regions of eight words each that it shares by descriptors, and what another rank has
// mapped of them.
class MappedRegionsTest : public testing::Test {
 protected:
  static constexpr std::uint64_t kStart = 64, kBytes = 64;

  MappedRegionsTest() { mapped_.Open(*table_); }

  RemoteRegion Publish() {
    RemoteRegion region = {
        .id = table_->Add(), .start = MappedRegions::kStartOfShared + kStart, .bytes = kBytes};
    region.keys.fill(++key_);
    table_->Publish(region);
    return region;
  }

  std::byte* Find(const RemoteAddress& there, std::uint64_t bytes) const {
    return mapped_.Find(there, bytes).memory;
  }
  bool StillHas(RegionId id) const { return MappedRegions::StillHas(table_->entry(id.slot), id); }

  std::uint64_t key_ = 0;
  const std::unique_ptr<RegionTable> table_ = std::make_unique<RegionTable>();
  MappedRegions mapped_;
  std::vector<std::byte> memory_ = std::vector<std::byte>(kStart + kBytes);
};

TEST_F(MappedRegionsTest, AnAddressIsFoundWhereItLiesInARegionThatIsMapped) {
  const RemoteRegion region = Publish();
  EXPECT_EQ(Find({region, 0}, 8), nullptr) << "not mapped yet";
  mapped_.Add(region.id, memory_.data());
  EXPECT_EQ(Find({region, 0}, 64), memory_.data() + 64);
  EXPECT_EQ(Find({region, 56}, 8), memory_.data() + 120);
  EXPECT_EQ(Find({region, 64}, 0), memory_.data() + 128);
  EXPECT_EQ(Find({region, 57}, 8), nullptr);
  EXPECT_EQ(Find({region, ~std::uint64_t{0}}, 8), nullptr);
  EXPECT_EQ(Find({region, 8}, ~std::uint64_t{0}), nullptr);
}

TEST_F(MappedRegionsTest, ARegionThatIsDescribedWronglyIsNotFound) {
  const RemoteRegion good = Publish();
  mapped_.Add(good.id, memory_.data());
  const auto finds = [&](auto change) {
    RemoteRegion region = good;
    change(region);
    return Find({region, 0}, 8) != nullptr;
  };
  EXPECT_TRUE(finds([](RemoteRegion&) {}));
  EXPECT_FALSE(finds([](RemoteRegion& region) { ++region.keys[0]; }));
  EXPECT_FALSE(finds([](RemoteRegion& region) { region.bytes *= 2; }));
  EXPECT_FALSE(finds([](RemoteRegion& region) { region.start = 0; }));
  EXPECT_FALSE(finds([](RemoteRegion& region) { region.misalignment = 1; }));
  EXPECT_FALSE(finds([](RemoteRegion& region) { ++region.id.slot; }));
  EXPECT_FALSE(finds([](RemoteRegion& region) { region.id.slot = RegionTable::kSlots; }));
  EXPECT_FALSE(finds([](RemoteRegion& region) { region.id.generation += 2; }));
  EXPECT_FALSE(finds([](RemoteRegion& region) { region.id.generation = 0; }));
}

TEST_F(MappedRegionsTest, ARegionThatIsGoneIsNotFoundThoughItsPlaceIsUsedAgain) {
  const RemoteRegion old = Publish();
  mapped_.Add(old.id, memory_.data());
  EXPECT_TRUE(StillHas(old.id));
  table_->Remove(old.id);
  EXPECT_FALSE(StillHas(old.id));
  EXPECT_EQ(Find({old, 0}, 8), nullptr);
  const RemoteRegion next = Publish();
  ASSERT_EQ(next.id.slot, old.id.slot);
  EXPECT_EQ(Find({next, 0}, 8), nullptr) << "mapped is the old one";
  std::vector<std::byte> other(128);
  mapped_.Add(next.id, other.data());
  EXPECT_EQ(Find({next, 0}, 8), other.data() + 64);
  EXPECT_EQ(Find({old, 0}, 8), nullptr);
  EXPECT_FALSE(StillHas(old.id));
}

TEST_F(MappedRegionsTest, AnAllocatedRegionIsFoundInItsChunkAndSoIsTheNextOne) {
  constexpr std::uint64_t kChunk = MappedRegions::kChunks - 1;
  const auto publish = [&](std::uint64_t offset) {
    const RemoteRegion region = {
        .id = table_->Add(), .start = MappedRegions::StartOf(kChunk) + offset, .bytes = 32};
    table_->Publish(region);
    return region;
  };
  const RemoteRegion old = publish(8);
  EXPECT_EQ(Find({old, 0}, 8), nullptr) << "not mapped yet";
  mapped_.AddChunk(kChunk, memory_.data());
  EXPECT_EQ(Find({old, 24}, 8), memory_.data() + 32);
  table_->Remove(old.id);
  EXPECT_EQ(Find({old, 24}, 8), nullptr);
  const RemoteRegion next = publish(16);
  EXPECT_EQ(Find({next, 24}, 8), memory_.data() + 40);
  EXPECT_EQ(Find({old, 24}, 8), nullptr);
}

TEST_F(MappedRegionsTest, NothingIsFoundOfARankThatIsGone) {
  const RemoteRegion region = Publish();
  mapped_.Add(region.id, memory_.data());
  mapped_.Close();
  EXPECT_EQ(Find({region, 0}, 8), nullptr);
}

// The owner gives a place to one region after the other, whose words hold their generation, and
// uses the memory for something else once a region is gone.
TEST_F(MappedRegionsTest, WhatWasReadIsTheRegionsWhereTheOwnerHasItStill) {
  constexpr int kRegions = 1000;
  constexpr std::uint64_t kGarbage = ~std::uint64_t{0};
  std::vector<std::unique_ptr<std::uint64_t[]>> memory;
  for (int i = 0; i < kRegions; ++i) memory.emplace_back(new std::uint64_t[16]());
  std::atomic<const RemoteRegion*> given{nullptr};
  std::vector<RemoteRegion> regions;
  regions.reserve(kRegions);
  std::atomic<bool> is_over{false};
  std::atomic<int> read{0};
  std::thread reader([&] {
    while (!is_over.load(std::memory_order_acquire)) {
      const RemoteRegion* const region = given.load(std::memory_order_acquire);
      if (region == nullptr) continue;
      std::byte* const there = Find({*region, 8}, 8);
      if (there == nullptr) continue;
      std::uint64_t word = 0;
      ReadEight(reinterpret_cast<std::byte*>(&word), there);
      if (!StillHas(region->id)) continue;
      EXPECT_EQ(word, region->id.generation);
      read.fetch_add(1, std::memory_order_relaxed);
    }
  });
  for (int i = 0; i < kRegions; ++i) {
    std::uint64_t* const words = memory[static_cast<std::size_t>(i)].get();
    const RemoteRegion region = Publish();
    std::atomic_ref<std::uint64_t> word(words[9]);
    word.store(region.id.generation, std::memory_order_release);
    mapped_.Add(region.id, reinterpret_cast<std::byte*>(words));
    regions.push_back(region);
    given.store(&regions.back(), std::memory_order_release);
    // Some are gone before they are read.
    const int seen = read.load(std::memory_order_relaxed);
    while (i % 4 != 0 && read.load(std::memory_order_relaxed) == seen) std::this_thread::yield();
    table_->Remove(region.id);
    word.store(kGarbage, std::memory_order_release);
  }
  is_over.store(true, std::memory_order_release);
  reader.join();
  EXPECT_GE(read, kRegions * 3 / 4);
}

}  // namespace
}  // namespace llcl
