// The buffers of an aggregator between two ranks, over every order of additions, arrivals, handlers
// and returns: each entry is handled once, and no buffer is written while its entries wait.
//
// Bound: 6 entries in buffers of 2, in 2 epochs of 3. Two orders that lead to the same state are
// continued once.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "llcl/aggregator/arrivals.h"
#include "llcl/aggregator/lane.h"

namespace llcl {
namespace {

using Entry = std::uint16_t;
constexpr std::size_t kEntries = 6, kEpoch = 3, kCapacity = 2;
constexpr std::size_t kBytes = kCapacity * sizeof(Entry);

enum class Event : std::uint8_t {
  kAdd,
  kFlush,
  kArrive0,
  kArrive1,
  kHandle,
  kReturn0,
  kReturn1,
  kNextEpoch
};
constexpr std::array kEvents = {Event::kAdd,     Event::kFlush,    Event::kArrive0,
                                Event::kArrive1, Event::kHandle,   Event::kReturn0,
                                Event::kReturn1, Event::kNextEpoch};

// A run of both ranks up to some point. Made anew for each order.
class Run {
 public:
  Run() : lane_(here_.data(), kBytes, sizeof(Entry)), arrivals_(Lane::kBuffers) {}

  // False: the event is impossible now.
  bool Do(Event event) {
    switch (event) {
      case Event::kAdd:
        return Add();
      case Event::kFlush:
        if (sent_in_epoch_ == 0) return false;
        return Write(lane_.TakeAny());
      case Event::kArrive0:
      case Event::kArrive1:
        return Arrive(event == Event::kArrive0 ? 0 : 1);
      case Event::kHandle:
        return Handle();
      case Event::kReturn0:
      case Event::kReturn1:
        return Return(event == Event::kReturn0 ? 0 : 1);
      case Event::kNextEpoch:
        return StartNextEpoch();
    }
    return false;
  }
  bool is_over() const { return handled_.size() == kEntries && returning_.empty(); }
  // Equal for two runs that go on in the same way.
  std::string Key() const {
    std::string key;
    const auto add = [&](std::uint64_t number) { key += std::to_string(number) + ","; };
    add(added_);
    add(sender_epoch_);
    add(arrivals_.epoch());
    add(lane_.added());
    add(lane_.spilled_bytes());
    for (const auto& [buffer, notice] : arriving_)
      add(buffer * 100 + notice.first * 10 + notice.second);
    key += "/";
    for (const std::size_t buffer : returning_) add(buffer);
    key += "/";
    for (const Entry entry : handled_) add(entry);
    key += arrivals_.is_ready() ? "r" : "-";
    for (const std::byte byte : there_) add(static_cast<std::uint64_t>(byte));
    for (const std::byte byte : here_) add(static_cast<std::uint64_t>(byte));
    return key;
  }

 private:
  bool Add() {
    // The sender's epoch ends with its third entry, and may be one ahead of the receiver's.
    if (added_ == kEntries || (added_ == kEpoch && sender_epoch_ == 0)) return false;
    const auto entry = static_cast<Entry>(added_ + 1);
    const auto bytes = std::as_bytes(std::span(&entry, 1));
    if (lane_.Put(bytes) == 0) lane_.Spill(bytes);
    ++added_;
    ++sent_in_epoch_;
    (void)Write(lane_.TakeFull());
    return true;
  }
  bool Write(const std::optional<Lane::Filled>& filled) {
    if (!filled) return false;
    EXPECT_FALSE(busy_.contains(filled->buffer)) << "a buffer is written while its entries wait";
    busy_.insert(filled->buffer);
    std::memcpy(there_.data() + filled->buffer * kBytes, here_.data() + filled->buffer * kBytes,
                filled->entries * sizeof(Entry));
    arriving_[filled->buffer] = {filled->entries, sender_epoch_};
    return true;
  }
  bool Arrive(std::size_t buffer) {
    const auto found = arriving_.find(buffer);
    if (found == arriving_.end()) return false;
    const auto [entries, epoch] = found->second;
    arriving_.erase(found);
    EXPECT_TRUE(arrivals_.Add(buffer, entries, epoch));
    EXPECT_FALSE(arrivals_.Add(buffer, entries, epoch)) << "twice";
    EXPECT_FALSE(arrivals_.Add(Lane::kBuffers, entries, epoch)) << "no such buffer";
    return true;
  }
  bool Handle() {
    const auto arrived = arrivals_.Take();
    if (!arrived) return false;
    EXPECT_FALSE(arrivals_.is_empty());
    for (std::uint32_t i = 0; i < arrived->entries; ++i) {
      Entry entry = 0;
      std::memcpy(&entry, there_.data() + arrived->buffer * kBytes + i * sizeof entry,
                  sizeof entry);
      EXPECT_TRUE(handled_.insert(entry).second) << "entry " << entry << " is handled twice";
      EXPECT_EQ((entry - 1u) / kEpoch, arrivals_.epoch()) << "handled in another epoch";
    }
    arrivals_.Remove(arrived->buffer);
    busy_.erase(arrived->buffer);
    returning_.insert(arrived->buffer);
    return true;
  }
  bool Return(std::size_t buffer) {
    if (returning_.erase(buffer) == 0) return false;
    EXPECT_TRUE(lane_.Return(buffer));
    EXPECT_FALSE(lane_.Return(buffer)) << "twice";
    (void)Write(lane_.Unspill());
    return true;
  }
  // By the sender first, when all its entries are under way; then by the receiver.
  bool StartNextEpoch() {
    const bool is_sent = added_ == kEpoch && lane_.spilled_bytes() == 0 && sent_in_epoch_ == kEpoch;
    if (sender_epoch_ == 0) {
      if (!is_sent) return false;
      (void)Write(lane_.TakeAny());
      lane_.Restart();
      sender_epoch_ = 1;
      sent_in_epoch_ = 0;
      return true;
    }
    if (arrivals_.epoch() == 1 || handled_.size() != kEpoch) return false;
    arrivals_.StartNextEpoch();
    return true;
  }

  std::array<std::byte, Lane::kBuffers*kBytes> here_ = {}, there_ = {};
  Lane lane_;
  Arrivals arrivals_;
  std::size_t added_ = 0, sent_in_epoch_ = 0;
  std::uint32_t sender_epoch_ = 0;
  std::map<std::size_t, std::pair<std::uint32_t, std::uint32_t>> arriving_;  // entries, epoch
  std::set<std::size_t> returning_, busy_;
  std::set<Entry> handled_;
};

class Orders {
 public:
  void Visit() {
    if (testing::Test::HasFailure()) return;
    Run run;
    for (const Event event : order_) ASSERT_TRUE(run.Do(event));
    if (!seen_.insert(run.Key()).second) return;
    bool goes_on = false;
    for (const Event event : kEvents) {
      {
        Run next;
        for (const Event before : order_) (void)next.Do(before);
        if (!next.Do(event)) continue;
      }
      goes_on = true;
      order_.push_back(event);
      Visit();
      order_.pop_back();
    }
    EXPECT_TRUE(goes_on || run.is_over()) << "it goes on no more: " << run.Key();
    ends_ += goes_on ? 0 : 1;
  }
  std::size_t states() const { return seen_.size(); }
  std::size_t ends() const { return ends_; }

 private:
  std::vector<Event> order_;
  std::set<std::string> seen_;
  std::size_t ends_ = 0;
};

TEST(LaneModel, CarriesEachEntryOnce) {
  Orders orders;
  orders.Visit();
  std::printf("%zu states, %zu ends\n", orders.states(), orders.ends());
  EXPECT_GT(orders.ends(), 0u);
}

TEST(Lane, DropsItsEntriesWhenItCloses) {
  std::array<std::byte, Lane::kBuffers* kBytes> memory = {};
  Lane lane(memory.data(), kBytes, sizeof(Entry));
  const Entry entry = 1;
  const auto bytes = std::as_bytes(std::span(&entry, 1));
  EXPECT_TRUE(lane.TryPutInside(entry));
  EXPECT_FALSE(lane.TryPutInside(entry)) << "it would be full";
  lane.Spill(bytes);
  lane.Close();
  EXPECT_FALSE(lane.TryPutInside(entry));
  EXPECT_EQ(lane.Put(bytes), 0u);
  EXPECT_FALSE(lane.TakeAny());
  EXPECT_FALSE(lane.TakeFull());
  EXPECT_EQ(lane.spilled_bytes(), 0u);
  EXPECT_FALSE(lane.Return(0)) << "it was never away";
  EXPECT_FALSE(lane.Return(Lane::kBuffers));
}

TEST(Arrivals, WaitWhereTheirEntriesCannotGoOn) {
  Arrivals arrivals(4);
  EXPECT_TRUE(arrivals.Add(0, 5, 0));
  EXPECT_TRUE(arrivals.Add(3, 7, 0));
  auto arrived = arrivals.Take();
  ASSERT_TRUE(arrived);
  arrived->done = 2;
  arrivals.Block(*arrived);
  EXPECT_EQ(arrivals.waiting(), 10u);
  ASSERT_TRUE(arrivals.Take());
  arrivals.Remove(3);
  EXPECT_FALSE(arrivals.is_ready());
  EXPECT_FALSE(arrivals.is_empty());
  arrivals.Unblock();
  arrived = arrivals.Take();
  ASSERT_TRUE(arrived);
  EXPECT_EQ(arrived->done, 2u);
  arrivals.Remove(0);
  EXPECT_TRUE(arrivals.is_empty());
  EXPECT_FALSE(arrivals.Add(0, 1, 2)) << "no sender can be there yet";
}

// The lane came free while the entries were looked at: no later Unblock may come.
TEST(Arrivals, GoOnWhereAnUnblockCameMeanwhile) {
  Arrivals arrivals(1);
  EXPECT_TRUE(arrivals.Add(0, 5, 0));
  const auto arrived = arrivals.Take();
  ASSERT_TRUE(arrived);
  arrivals.Unblock();
  arrivals.Block(*arrived);
  EXPECT_TRUE(arrivals.is_ready());
}

}  // namespace
}  // namespace llcl
