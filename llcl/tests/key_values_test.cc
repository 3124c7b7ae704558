// The exchange through a key-value space, by ranks that are threads; real process managers are in
// launched_test and launchers_test.
#include "llcl/launch/key_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "topo/mutex.h"

namespace llcl {
namespace {

constexpr std::size_t kMostBytes = 5;

// What a process manager keeps for its ranks.
struct Manager {
  explicit Manager(int ranks) : fence(ranks) {}
  topo::Mutex mutex;
  std::map<std::pair<int, std::string>, std::string> values ABSL_GUARDED_BY(mutex);
  std::size_t longest ABSL_GUARDED_BY(mutex) = 0;
  std::barrier<> fence;
};

class RankOfManager final : public KeyValueSpace {
 public:
  RankOfManager(Manager& manager, int rank) : manager_(manager), rank_(rank) {}
  std::size_t most_bytes() const override { return kMostBytes; }
  absl::Status Put(const std::string& key, const std::string& value) override {
    const topo::Lock lock(manager_.mutex);
    manager_.longest = std::max(manager_.longest, value.size());
    const bool is_new = manager_.values.emplace(std::pair(rank_, key), value).second;
    return is_new ? absl::OkStatus() : absl::InternalError("put twice: " + key);
  }
  absl::Status Fence() override {
    manager_.fence.arrive_and_wait();
    return absl::OkStatus();
  }
  absl::StatusOr<std::string> Get(int rank, const std::string& key) override {
    const topo::Lock lock(manager_.mutex);
    const auto found = manager_.values.find({rank, key});
    if (found == manager_.values.end()) return absl::NotFoundError(key);
    return found->second;
  }

 private:
  Manager& manager_;
  const int rank_;
};

TEST(KeyValues, EachRankGetsTheBytesOfAllWhateverTheirLength) {
  // Nothing, a part that is just full, one byte more, zeros, and many parts.
  const std::vector<std::vector<std::string>> rounds = {
      {"", "abcd", "abcde"}, {std::string(3, '\0'), "m", "l"}, {std::string(1000, 'x'), "", "y"}};
  Manager manager(3);
  std::vector<std::thread> ranks;
  for (int rank = 0; rank < 3; ++rank) {
    ranks.emplace_back([&, rank] {
      RankOfManager space(manager, rank);
      for (int round = 0; round < 3; ++round) {
        const auto& put = rounds[static_cast<std::size_t>(round)];
        const auto got = Allgather(space, 3, round, put[static_cast<std::size_t>(rank)]);
        ASSERT_TRUE(got.ok()) << got.status();
        EXPECT_EQ(*got, put);
      }
    });
  }
  for (std::thread& rank : ranks) rank.join();
  const topo::Lock lock(manager.mutex);
  EXPECT_EQ(manager.longest, kMostBytes);
}

TEST(KeyValues, AValueThatIsNotAsItWasPutIsRefused) {
  class Forgetful final : public KeyValueSpace {
   public:
    explicit Forgetful(std::string value) : value_(std::move(value)) {}
    std::size_t most_bytes() const override { return kMostBytes; }
    absl::Status Put(const std::string&, const std::string&) override { return absl::OkStatus(); }
    absl::Status Fence() override { return absl::OkStatus(); }
    absl::StatusOr<std::string> Get(int, const std::string&) override { return value_; }

   private:
    const std::string value_;
  };
  for (const char* const value : {"", "x", "?abc"}) {
    Forgetful space(value);
    EXPECT_EQ(Allgather(space, 1, 0, "abc").status().code(), absl::StatusCode::kUnavailable);
  }
}

TEST(KeyValues, AnErrorOfTheSpaceIsReturned) {
  class Lost final : public KeyValueSpace {
   public:
    std::size_t most_bytes() const override { return kMostBytes; }
    absl::Status Put(const std::string&, const std::string&) override {
      return absl::UnavailableError("the launcher is gone");
    }
    absl::Status Fence() override { return absl::InternalError("called after an error"); }
    absl::StatusOr<std::string> Get(int, const std::string&) override { return ""; }
  } space;
  EXPECT_EQ(Allgather(space, 1, 0, "abc").status(), absl::UnavailableError("the launcher is gone"));
}

}  // namespace
}  // namespace llcl
