// A file descriptor that its scope closes, and reading to the end of one.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

namespace graph {

// A resource. Threads: one.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();

  int value() const { return value_; }  // negative: none

 private:
  int value_ = -1;
};

// Appends to `text` up to the end, or until it has more than `most` bytes; the error of read(2), or
// 0.
int ReadToEnd(int descriptor, std::string* text, std::uint64_t most = ~std::uint64_t{0});

}  // namespace graph
