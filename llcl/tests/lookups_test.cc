// What is looked up before a request goes to the network, with ends of looks in every order.
#include "llcl/region/lookups.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace llcl {
namespace {

// An executor that ends looks when the test calls for it.
class Looks {
 public:
  explicit Looks(Tag most) {
    const auto post = [this](const Request& look) {
      looks_.push_back(look);
      return Posted::kPosted;
    };
    const auto go_on = [this](const Request& /*request*/) { ++went_on_; };
    const auto refuse = [](const Request& request) { request.then.Complete(Outcome::kRefused); };
    const auto table = [this](Rank) -> RegionTable& { return *table_; };
    lookups_ = std::make_unique<Lookups>(most, post, go_on, refuse, table);
  }

  // Of a region that has not been looked up.
  Posted Ask(Flag& done) {
    Request request;
    request.command.kind = CommandKind::kRead;
    request.command.unknown = &region_;
    request.then = done.completion();
    return lookups_->TryBegin(request);
  }
  const Request& look(std::size_t i) const { return looks_[i]; }
  int went_on() const { return went_on_; }
  // The owner's entry matches.
  void Find(std::size_t i) {
    reinterpret_cast<RegionTable::Entry*>(looks_[i].command.local)->Set(region_);
  }

 private:
  RemoteRegion region_ = {.id = {.slot = 3, .generation = 1}, .start = 64, .bytes = 100};
  const std::unique_ptr<RegionTable> table_ = std::make_unique<RegionTable>();
  std::vector<Request> looks_;
  int went_on_ = 0;
  std::unique_ptr<Lookups> lookups_;
};

TEST(Lookups, ARequestThatMatchesTheOwnersEntryGoesOnAndAnotherIsRefused) {
  Looks looks(2);
  Flag good, bad;
  ASSERT_EQ(looks.Ask(good), Posted::kPosted);
  ASSERT_EQ(looks.Ask(bad), Posted::kPosted);
  looks.Find(0);
  for (const std::size_t i : {0, 1}) {
    looks.look(i).then.Complete(Outcome::kDone);
    looks.look(i).released.Complete(Outcome::kDone);
  }
  EXPECT_EQ(looks.went_on(), 1);
  EXPECT_FALSE(good.done()) << "the request itself completes it";
  ASSERT_TRUE(bad.done());
  EXPECT_EQ(bad.outcome(), Outcome::kRefused);
}

TEST(Lookups, APlaceIsTakenAgainOnlyWhenALookHasEndedAndItsMemoryIsReleased) {
  for (const bool is_released_first : {false, true}) {
    Looks looks(1);
    Flag first, second;
    ASSERT_EQ(looks.Ask(first), Posted::kPosted);
    const Request look = looks.look(0);
    (is_released_first ? look.released : look.then).Complete(Outcome::kLate);
    EXPECT_EQ(looks.Ask(second), Posted::kNoTag) << "its place is still used";
    (is_released_first ? look.then : look.released).Complete(Outcome::kLate);
    ASSERT_TRUE(first.done());
    EXPECT_EQ(first.outcome(), Outcome::kLate);
    EXPECT_EQ(looks.Ask(second), Posted::kPosted);
    EXPECT_FALSE(second.done());
  }
}

}  // namespace
}  // namespace llcl
