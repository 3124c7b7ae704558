// What is to be sent by a connection, gathered until it is: small things are copied, large ones
// stay where they are.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <span>
#include <vector>

#include "llcl/tcp/send_order.h"

namespace llcl {

// A value.
class TcpOutput {
 public:
  // Copies them.
  void Add(std::span<const std::byte> bytes);
  // As they lie in memory, one behind the other.
  template <typename... Values>
  void AddValues(const Values&... values) {
    std::byte all[(sizeof values + ...)];
    std::byte* at = all;
    ((std::memcpy(at, &values, sizeof values), at += sizeof values), ...);
    Add(all);
  }
  // They stay the same until they were sent, or the output is gone.
  void Refer(std::span<const std::byte> bytes);

  bool empty() const { return sent_ == added_; }
  std::size_t bytes() const { return static_cast<std::size_t>(added_ - sent_); }
  // Of all bytes since the beginning: how many there were, and were sent.
  std::uint64_t added() const { return added_; }
  std::uint64_t sent() const { return sent_; }

  // So much Send sends at most, so that others have their turn.
  static constexpr std::size_t kMostSent = 1 << 20;
  // Sends what the socket takes without waiting. kSent: it has taken all, or kMostSent.
  TcpSent Send(int socket);
  // Adds `last` and sends likewise; only what is not sent of it is copied.
  TcpSent SendOrCopy(int socket, std::span<const std::byte> last);
  // Copies referred bytes in `memory`, which may change from here on.
  void Keep(std::span<const std::byte> memory);
  // Forgets all that was not sent.
  void Clear();

 private:
  struct Reference {
    std::size_t at = 0;  // behind so many of copies_
    std::span<const std::byte> bytes;
  };
  // Of copies_: those that come before the first reference, or all.
  std::size_t EndOfFirstCopies() const {
    return references_.empty() ? copies_.size() : references_.front().at;
  }
  void Drop(std::size_t bytes);
  void Trim();

  std::vector<std::byte> copies_;
  std::size_t first_ = 0;  // of copies_ that is not sent
  std::deque<Reference> references_;
  std::uint64_t added_ = 0, sent_ = 0;
};

}  // namespace llcl
