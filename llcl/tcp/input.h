// What has come by a connection, until it is used.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>

namespace llcl {

// A value.
class TcpInput {
 public:
  static constexpr std::size_t kBytes = 65536;

  // Allocates at first: most of many ranks send nothing.
  std::span<std::byte> room() {
    if (bytes_ == nullptr) bytes_ = std::make_unique_for_overwrite<std::byte[]>(kBytes);
    return {bytes_.get() + end_, kBytes - end_};
  }
  void Add(std::size_t bytes) { end_ += bytes; }
  std::span<const std::byte> bytes() const { return {bytes_.get() + begin_, end_ - begin_}; }
  void Use(std::size_t bytes) {
    begin_ += bytes;
    if (begin_ == end_) begin_ = end_ = 0;
  }
  // What is there moves to the front, so that a header and a message find room.
  void MakeRoom() {
    std::memmove(bytes_.get(), bytes_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  void Clear() { begin_ = end_ = 0; }

 private:
  std::unique_ptr<std::byte[]> bytes_;  // kBytes, or null
  std::size_t begin_ = 0, end_ = 0;
};

}  // namespace llcl
