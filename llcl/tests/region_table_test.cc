#include "llcl/region/region_table.h"

#include <gtest/gtest.h>

#include <memory>

namespace llcl {
namespace {

RemoteRegion Published(RegionTable& table) {
  RemoteRegion region = {.id = table.Add(), .start = 64, .bytes = 100, .misalignment = 4};
  region.keys = {1, 2, 3, 4};
  table.Publish(region);
  return region;
}

TEST(RegionTableTest, HasWhatWasPublishedAndNothingThatDiffersInAnyField) {
  const auto table = std::make_unique<RegionTable>();
  const RemoteRegion good = Published(*table);
  for (std::size_t device = 0; device < kMostDevices; ++device) {
    EXPECT_TRUE(table->Has(good, device));
    RemoteRegion bad = good;
    bad.keys[device] ^= std::uint64_t{1} << 63;
    EXPECT_FALSE(table->Has(bad, device));
  }
  const auto has = [&](auto change) {
    RemoteRegion region = good;
    change(region);
    return table->Has(region, 0);
  };
  EXPECT_FALSE(has([](RemoteRegion& region) { region.start = 63; }));
  EXPECT_FALSE(has([](RemoteRegion& region) { region.bytes = ~std::uint64_t{0}; }));
  EXPECT_FALSE(has([](RemoteRegion& region) { region.misalignment = 0; }));
  EXPECT_FALSE(has([](RemoteRegion& region) { region.id.generation += 2; }));
  EXPECT_FALSE(has([](RemoteRegion& region) { region.id.generation += 1; }));
  EXPECT_FALSE(has([](RemoteRegion& region) { region.id.slot = 1; }));
  EXPECT_FALSE(has([](RemoteRegion& region) { region.id.slot = RegionTable::kSlots; }));
  EXPECT_FALSE(table->Has(RemoteRegion(), 0)) << "a slot that was never used";
}

TEST(RegionTableTest, ARegionThatIsGoneIsNotThereThoughItsPlaceIsUsedAgain) {
  const auto table = std::make_unique<RegionTable>();
  const RemoteRegion first = Published(*table);
  table->Remove(first.id);
  EXPECT_FALSE(table->Has(first, 0));
  EXPECT_FALSE(table->Exists(first.id));
  EXPECT_EQ(table->entry(first.id.slot).keys[0].load(), first.keys[0]) << "marks.h";
  const RegionId reserved = table->Add();
  EXPECT_EQ(reserved.slot, first.id.slot);
  EXPECT_TRUE(table->Exists(reserved));
  RemoteRegion early = first;
  early.id = reserved;
  EXPECT_FALSE(table->Has(early, 0)) << "it was not published yet";
  table->Publish(early);
  EXPECT_TRUE(table->Has(early, 0));
  EXPECT_FALSE(table->Has(first, 0));
}

TEST(RegionTableTest, AForgottenRegionIsNotKnownUntilItIsLearnedAgain) {
  const RegionTables tables(3);
  RegionTable& known = tables.of(Rank{2});
  RemoteRegion region = {.owner = Rank{2}, .id = {9, 5}, .bytes = 8};
  EXPECT_FALSE(known.Has(region, 0));
  known.Learn(region);
  EXPECT_TRUE(known.Has(region, 0));
  known.Forget({9, 3});
  EXPECT_TRUE(known.Has(region, 0)) << "another one was to be forgotten";
  known.Forget(region.id);
  EXPECT_FALSE(known.Has(region, 0));
  known.Learn(region);
  EXPECT_TRUE(known.Has(region, 0));
}

}  // namespace
}  // namespace llcl
