// Lists of entries of a few words each, in chunks: a list grows without moving its entries, and
// gives its memory back while it is read.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "topo/mutex.h"

namespace simpath {

// How many bytes may be taken. Threads: any.
class Budget {
 public:
  explicit Budget(std::uint64_t limit) : limit_(limit) {}

  [[nodiscard]] bool Take(std::uint64_t bytes) {
    if (taken_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= limit_) return true;
    GiveBack(bytes);
    return false;
  }
  void GiveBack(std::uint64_t bytes) { taken_.fetch_sub(bytes, std::memory_order_relaxed); }

 private:
  const std::uint64_t limit_;
  std::atomic<std::uint64_t> taken_{0};
};

// A resource: chunks, which are used again. Threads: any.
class ChunkStore {
 public:
  static constexpr std::size_t kWords = 1024;  // of a chunk
  using Chunk = std::unique_ptr<std::uint64_t[]>;

  explicit ChunkStore(Budget& budget) : budget_(&budget) {}
  ~ChunkStore() { budget_->GiveBack(made_ * kWords * sizeof(std::uint64_t)); }
  ChunkStore(const ChunkStore&) = delete;
  ChunkStore& operator=(const ChunkStore&) = delete;

  // Null where the budget has no room for another.
  Chunk Take() {
    const topo::Lock lock(mutex_);
    if (!unused_.empty()) {
      Chunk chunk = std::move(unused_.back());
      unused_.pop_back();
      return chunk;
    }
    if (!budget_->Take(kWords * sizeof(std::uint64_t))) return nullptr;
    ++made_;
    return std::make_unique_for_overwrite<std::uint64_t[]>(kWords);
  }
  void GiveBack(Chunk chunk) {
    const topo::Lock lock(mutex_);
    unused_.push_back(std::move(chunk));
  }

 private:
  Budget* budget_;
  topo::Mutex mutex_;
  std::vector<Chunk> unused_ ABSL_GUARDED_BY(mutex_);
  std::uint64_t made_ ABSL_GUARDED_BY(mutex_) = 0;
};

// A resource: entries of `stride` words each, of which a chunk holds one at least. Threads: one at
// a time.
class ChunkList {
 public:
  // A reference to an entry: its chunk and its number there.
  using Ref = std::uint32_t;

  ChunkList(ChunkStore& store, std::size_t stride)
      : store_(&store), stride_(stride), per_chunk_(ChunkStore::kWords / stride) {}
  ~ChunkList() { Clear(); }
  ChunkList(ChunkList&& other) noexcept
      : store_(other.store_), stride_(other.stride_), per_chunk_(other.per_chunk_) {
    Swap(other);
  }
  ChunkList& operator=(ChunkList&& other) noexcept {
    Clear();
    Swap(other);
    return *this;
  }

  std::size_t stride() const { return stride_; }
  std::size_t size() const {
    return chunks_.size() * per_chunk_ - static_cast<std::size_t>(end_ - next_) / stride_;
  }
  // The reference of the entry returned by Peek.
  Ref peeked() const { return next_ref_; }
  std::uint64_t* at(Ref ref) const {
    return chunks_[ref >> kSlotBits].get() + (ref & ((1u << kSlotBits) - 1)) * stride_;
  }

  // A new entry, not set to anything; null where there is no room.
  std::uint64_t* Add() {
    std::uint64_t* const entry = Peek();
    if (entry != nullptr) AddPeeked();
    return entry;
  }
  // Memory of the next entry; null: there is no room.
  std::uint64_t* Peek() { return next_ == end_ && !AddChunk() ? nullptr : next_; }
  void AddPeeked() {
    next_ += stride_;
    ++next_ref_;
  }

  template <typename Body>
  void ForEach(const Body& body) const {
    for (std::size_t i = 0; i < chunks_.size(); ++i) ForEachOf(i, body);
  }
  // After all entries of a chunk `done()` is called, and the chunk is given back.
  template <typename Body, typename Done>
  void Consume(const Body& body, const Done& done) {
    for (std::size_t i = 0; i < chunks_.size(); ++i) {
      ForEachOf(i, body);
      done();
      store_->GiveBack(std::move(chunks_[i]));
    }
    Forget();
  }
  template <typename Body>
  void Consume(const Body& body) {
    Consume(body, [] {});
  }
  void Clear() {
    for (ChunkStore::Chunk& chunk : chunks_) store_->GiveBack(std::move(chunk));
    Forget();
  }

 private:
  static constexpr int kSlotBits = 10;
  static_assert(ChunkStore::kWords == 1 << kSlotBits);
  static constexpr std::size_t kMostChunks = (std::size_t{1} << (32 - kSlotBits)) - 1;

  // Not inlined, so that Add is.
  [[gnu::noinline]] bool AddChunk() {
    // Chunks that a reference has no bits for are no room either.
    if (chunks_.size() == kMostChunks) return false;
    ChunkStore::Chunk chunk = store_->Take();
    if (chunk == nullptr) return false;
    next_ = chunk.get();
    end_ = next_ + per_chunk_ * stride_;
    next_ref_ = static_cast<Ref>(chunks_.size() << kSlotBits);
    chunks_.push_back(std::move(chunk));
    return true;
  }
  void Forget() {
    chunks_.clear();
    next_ = end_ = nullptr;
  }
  void Swap(ChunkList& other) {
    std::swap(store_, other.store_);
    std::swap(stride_, other.stride_);
    std::swap(per_chunk_, other.per_chunk_);
    std::swap(chunks_, other.chunks_);
    std::swap(next_, other.next_);
    std::swap(end_, other.end_);
    std::swap(next_ref_, other.next_ref_);
  }

  template <typename Body>
  void ForEachOf(std::size_t chunk, const Body& body) const {
    std::uint64_t* entry = chunks_[chunk].get();
    std::uint64_t* const end = chunk + 1 < chunks_.size() ? entry + per_chunk_ * stride_ : next_;
    for (; entry != end; entry += stride_) body(entry);
  }

  ChunkStore* store_;
  std::size_t stride_;
  std::size_t per_chunk_;
  std::vector<ChunkStore::Chunk> chunks_;
  std::uint64_t* next_ = nullptr;  // entries of the last chunk are before it
  std::uint64_t* end_ = nullptr;   // of the last chunk
  Ref next_ref_ = 0;               // of the entry at next_
};

}  // namespace simpath
