// How many answers to a rank's requests wait until it takes them, and how many bytes with them.
//
// A rank has at most kMostAsked requests under way to another. So one that more than kMostAnswers
// wait for is none of ours, and lost as for other nonsense. No rank ever stops to read in order
// to bound them: two that ask each other for much would wait for each other for ever.
//
// Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

namespace llcl {

// Beyond, requests wait at the rank that makes them.
inline constexpr std::size_t kMostAsked = 4096;
// Answers that are added together count until the last one is sent; meanwhile the rank may have
// asked for as many again. The rest is for the pieces of a read.
inline constexpr std::size_t kMostAnswers = 3 * kMostAsked;

// A value.
class UnsentAnswers {
 public:
  std::size_t count() const { return before_ + since_; }
  // Likewise, of what was read.
  std::uint64_t bytes() const { return bytes_before_ + bytes_since_; }
  void Add(std::uint64_t bytes = 0) {
    ++since_;
    bytes_since_ += bytes;
  }
  // After an attempt to send: of all bytes since the beginning there were so many to send, and so
  // many are sent. Answers count until all of those are sent that were added between the same two
  // attempts.
  void Sent(std::uint64_t added, std::uint64_t sent) {
    if (sent == added) return Clear();
    if (since_ > 0) batches_.push_back({added, since_, bytes_since_});
    before_ += since_;
    bytes_before_ += bytes_since_;
    since_ = 0;
    bytes_since_ = 0;
    while (!batches_.empty() && batches_.front().end <= sent) {
      before_ -= batches_.front().answers;
      bytes_before_ -= batches_.front().bytes;
      batches_.pop_front();
    }
  }
  void Clear() {
    before_ = since_ = 0;
    bytes_before_ = bytes_since_ = 0;
    if (!batches_.empty()) batches_.clear();
  }

 private:
  struct Batch {
    std::uint64_t end = 0;
    std::size_t answers = 0;
    std::uint64_t bytes = 0;
  };
  std::deque<Batch> batches_;
  std::size_t before_ = 0;  // of batches_
  std::size_t since_ = 0;   // the last attempt
  std::uint64_t bytes_before_ = 0, bytes_since_ = 0;
};

}  // namespace llcl
