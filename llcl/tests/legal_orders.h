// The possible results of operations that are not ordered: the oracles of the random programs.
//
// Pure: no threads, no network. legal_orders_test.cc compares both with all permutations.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <vector>

namespace llcl {

// An atomic operation as its caller saw it: the word's value before, and what that makes of it.
struct Transition {
  std::uint64_t before = 0, after = 0;
};

// Is there an order of all of them that leads from `first` to `last`? Values are the nodes of a
// graph and transitions its edges, so there is one exactly if the graph has an Eulerian trail: all
// edges hang together, and each node is left as often as it is entered, but for the two ends.
inline bool HasLegalOrder(std::uint64_t first, std::uint64_t last,
                          std::span<const Transition> transitions) {
  std::map<std::uint64_t, std::int64_t> left_minus_entered;
  std::map<std::uint64_t, std::vector<std::uint64_t>> neighbors;
  for (const Transition& one : transitions) {
    ++left_minus_entered[one.before];
    --left_minus_entered[one.after];
    neighbors[one.before].push_back(one.after);
    neighbors[one.after].push_back(one.before);
  }
  --left_minus_entered[first];
  ++left_minus_entered[last];
  for (const auto& [value, difference] : left_minus_entered) {
    if (difference != 0) return false;
  }
  std::set<std::uint64_t> reached = {first};
  for (std::vector<std::uint64_t> next = {first}; !next.empty();) {
    const std::uint64_t value = next.back();
    next.pop_back();
    for (const std::uint64_t neighbor : neighbors[value]) {
      if (reached.insert(neighbor).second) next.push_back(neighbor);
    }
  }
  return std::all_of(neighbors.begin(), neighbors.end(),
                     [&](const auto& entry) { return reached.contains(entry.first); });
}

// Memory of which each byte has one value that is known, or one of several.
class PossibleBytes {
 public:
  explicit PossibleBytes(std::size_t bytes) : known_(bytes) {}

  // Bytes that were written at the same time as others.
  struct Write {
    std::size_t at = 0;
    std::vector<std::byte> bytes;
    bool covers(std::size_t place) const { return place >= at && place - at < bytes.size(); }
    std::size_t end() const { return at + bytes.size(); }
    std::byte of(std::size_t place) const { return bytes[place - at]; }
  };

  // May a read at the same time as `writes` have found `value` there?
  bool MayBe(std::size_t place, std::byte value, std::span<const Write> writes = {}) const {
    const auto found = choices_.find(place);
    if (found == choices_.end() ? known_[place] == value : found->second.contains(value))
      return true;
    return std::any_of(writes.begin(), writes.end(), [&](const Write& write) {
      return write.covers(place) && write.of(place) == value;
    });
  }
  // Are these known to be there?
  bool Are(std::size_t place, std::span<const std::byte> values) const {
    const auto found = choices_.lower_bound(place);
    return (found == choices_.end() || found->first >= place + values.size()) &&
           std::equal(values.begin(), values.end(),
                      known_.begin() + static_cast<std::ptrdiff_t>(place));
  }
  // A read that was alone found it there: from here on it is that.
  void Know(std::size_t place, std::byte value) {
    known_[place] = value;
    choices_.erase(place);
  }
  // All of these have ended, in any order.
  void After(std::span<const Write> writes) {
    for (const Write& write : writes) {
      std::vector<Write> near;
      for (const Write& other : writes) {
        if (&other != &write && other.at < write.end() && write.at < other.end())
          near.push_back(other);
      }
      std::copy(write.bytes.begin(), write.bytes.end(),
                known_.begin() + static_cast<std::ptrdiff_t>(write.at));
      choices_.erase(choices_.lower_bound(write.at), choices_.lower_bound(write.end()));
      for (std::size_t i = 0; i < write.bytes.size() && !near.empty(); ++i) {
        const std::size_t place = write.at + i;
        std::set<std::byte> values = {write.bytes[i]};
        for (const Write& other : near) {
          if (other.covers(place)) values.insert(other.of(place));
        }
        if (values.size() > 1) choices_[place] = std::move(values);
      }
    }
  }
  // This one ended late: it was done, or not.
  void Perhaps(const Write& write) {
    for (std::size_t i = 0; i < write.bytes.size(); ++i) {
      const std::size_t place = write.at + i;
      std::set<std::byte>& values = choices_[place];
      if (values.empty()) values.insert(known_[place]);
      values.insert(write.bytes[i]);
    }
  }
  std::size_t size() const { return known_.size(); }

 private:
  std::vector<std::byte> known_;
  std::map<std::size_t, std::set<std::byte>> choices_;  // where more than one is possible
};

}  // namespace llcl
