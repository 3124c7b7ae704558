#include "apps/graph/files/descriptor.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

namespace graph {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(value_, other.value_);
  Descriptor closed(std::exchange(other.value_, -1));
  return *this;
}

Descriptor::~Descriptor() {
  if (value_ >= 0) close(value_);
}

int ReadToEnd(int descriptor, std::string* text, std::uint64_t most) {
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  std::size_t size = text->size();
  for (;;) {
    // Doubled, so that bytes are not zeroed and moved again and again.
    if (text->size() - size < kChunk) text->resize(std::max(text->size() * 2, size + kChunk));
    const ssize_t count = read(descriptor, text->data() + size, text->size() - size);
    const int error = count < 0 ? errno : 0;
    if (error == EINTR) continue;
    if (count > 0) size += static_cast<std::size_t>(count);
    if (count > 0 && size <= most) continue;
    text->resize(size);
    return error;
  }
}

}  // namespace graph
