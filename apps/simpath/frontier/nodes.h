// One level of the decision diagram, as the thread that owns it builds it: its nodes in the order
// in which they were found, which is the queue of those to expand, and a hash table of them.
//
// A node is known by its number. Nodes arrive by their mates, each as often as there are arcs to
// it; afterwards the counts of the arcs arrive, in the same order.
//
// Threads: one.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/simpath/frontier/chunks.h"
#include "apps/simpath/frontier/hash.h"
#include "apps/simpath/frontier/mates.h"
#include "apps/simpath/frontier/sum.h"

namespace simpath {

// What arcs go from a node, as bits.
enum Arcs : std::uint8_t {
  kNoArc = 0,
  kZeroArc = 1,
  kOneArc = 2,
  kPathByZero = 4,  // a path closes without the edge
  kPathByOne = 8,
};

// A resource.
template <int words>
class Nodes {
 public:
  Nodes(std::size_t step, ChunkStore& store, Budget& budget)
      : step_(step), mates_(store, words), budget_(&budget) {}
  Nodes(Nodes&& other) = default;
  ~Nodes() { budget_->GiveBack(bytes_.value); }

  std::size_t step() const { return step_; }
  std::size_t size() const { return size_; }

  // An arc to the node with these mates. False where there is no room.
  [[nodiscard]] bool Find(const Mates<words>& mates, std::uint64_t hash) {
    if (size_ * 3 >= index_.size() * 2 && !Grow()) return false;
    std::size_t i = hash >> shift_;
    while (index_[i] != kNone && MatesOf(index_[i]) != mates) i = (i + 1) & (index_.size() - 1);
    if (index_[i] == kNone) {
      std::uint64_t* const entry = mates_.Add();
      if (entry == nullptr) return false;
      for (std::size_t word = 0; word < words; ++word) entry[word] = mates.word[word];
      index_[i] = static_cast<std::uint32_t>(size_++);
    }
    if (arcs_to_.size() == arcs_to_.capacity() && !Reserve(arcs_to_)) return false;
    arcs_to_.push_back(index_[i]);
    return true;
  }
  void Prefetch(std::uint64_t hash) const {
    if (!index_.empty()) __builtin_prefetch(index_.data() + (hash >> shift_));
  }

  // All arcs are known.
  void Close() {
    is_closed_ = true;
    GiveBack(index_);
  }
  bool is_closed() const { return is_closed_; }

  // Nodes are expanded in their order.
  bool has_next() const { return expanded_ < size_; }
  // The mates of the one that is expanded next.
  Mates<words> Next() { return MatesOf(static_cast<std::uint32_t>(expanded_++)); }
  // Which arcs go from the nodes that were expanded last. False where there is no room.
  [[nodiscard]] bool Expanded(std::span<const std::uint8_t> arcs) {
    if (arcs_from_.size() + arcs.size() > arcs_from_.capacity() && !Reserve(arcs_from_)) {
      return false;
    }
    arcs_from_.insert(arcs_from_.end(), arcs.begin(), arcs.end());
    return true;
  }
  // Nothing of what the nodes are is needed any more.
  void DropMates() { mates_.Clear(); }

  // The counts of all arcs follow, in words as many. False where there is no room.
  [[nodiscard]] bool StartCounts(std::size_t count_words) {
    count_words_ = count_words;
    open_ = Sum(count_words);
    if (!Take(size_ * count_words * sizeof(std::uint64_t))) return false;
    counts_.assign(size_ * count_words, 0);
    return true;
  }
  bool has_counts() const { return count_words_ != 0; }
  std::size_t count_words() const { return count_words_; }
  void AddCount(std::span<const std::uint64_t> count) {
    AddWords(count_of(arcs_to_[counted_++]), count);
    open_.Add(count);
  }
  // All have arrived: no count changes any more.
  void EndCounts() {
    has_all_counts_ = true;
    GiveBack(arcs_to_);
  }
  bool has_all_counts() const { return has_all_counts_; }
  Count open() const { return open_.count(); }

  // For each arc that goes from them, nodes send their counts in their order.
  std::uint8_t arcs_from(std::size_t node) const { return arcs_from_[node]; }
  std::span<std::uint64_t> count_of(std::size_t node) {
    return {counts_.data() + node * count_words_, count_words_};
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  static constexpr std::size_t kPerChunk = ChunkStore::kWords / words;

  // Moves with the level, so that it is given back once.
  struct Bytes {
    std::uint64_t value = 0;
    Bytes() = default;
    Bytes(Bytes&& other) noexcept : value(other.value) { other.value = 0; }
  };

  Mates<words> MatesOf(std::uint32_t node) const {
    const auto ref = static_cast<ChunkList::Ref>(node / kPerChunk << 10 | node % kPerChunk);
    const std::uint64_t* const entry = mates_.at(ref);
    Mates<words> mates;
    for (std::size_t word = 0; word < words; ++word) mates.word[word] = entry[word];
    return mates;
  }

  bool Take(std::uint64_t bytes) {
    if (!budget_->Take(bytes)) return false;
    bytes_.value += bytes;
    return true;
  }
  template <typename T>
  bool Reserve(std::vector<T>& vector) {
    const std::size_t before = vector.capacity() * sizeof(T), after = before * 2 + 256 * sizeof(T);
    if (!Take(after)) return false;  // Both are there while it moves.
    vector.reserve(after / sizeof(T));
    bytes_.value -= before;
    budget_->GiveBack(before);
    return true;
  }
  template <typename T>
  void GiveBack(std::vector<T>& vector) {
    bytes_.value -= vector.capacity() * sizeof(T);
    budget_->GiveBack(vector.capacity() * sizeof(T));
    std::vector<T>().swap(vector);
  }

  bool Grow() {
    const std::size_t slots = index_.empty() ? 64 : index_.size() * 2;
    if (!Take(slots * sizeof(std::uint32_t))) return false;
    GiveBack(index_);
    index_.reserve(slots);
    index_.assign(slots, kNone);
    shift_ = 64 - std::countr_zero(slots);
    for (std::uint32_t node = 0; node < size_; ++node) {
      std::size_t i = HashOf(MatesOf(node)) >> shift_;
      while (index_[i] != kNone) i = (i + 1) & (slots - 1);
      index_[i] = node;
    }
    return true;
  }

  std::size_t step_;
  ChunkList mates_;
  Budget* budget_;
  Bytes bytes_;  // taken of the budget
  std::size_t size_ = 0, expanded_ = 0;
  std::vector<std::uint32_t> index_;     // by hash: nodes
  std::vector<std::uint32_t> arcs_to_;   // nodes, in the order of the arcs
  std::vector<std::uint8_t> arcs_from_;  // of each expanded node
  int shift_ = 63;
  bool is_closed_ = false, has_all_counts_ = false;
  std::size_t count_words_ = 0, counted_ = 0;
  std::vector<std::uint64_t> counts_;  // of each node
  Sum open_;
};

}  // namespace simpath
