// The loops of diff.h, once for each set of instructions.
//
// All give the same bytes; tests and benches run each that the processor has. There is
// none for AVX2 that applies: its masked stores are of whole words, and a loaded, blended
// and stored line would bring back what another thread has just overwritten.
//
// Pure; any thread may call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "dsm/diff/record.h"

namespace dsm {

// A value.
struct DiffKernel {
  std::string_view name;  // "scalar", "avx2", "avx512"

  // As EncodeDiffPart, for lines [first, lines).
  DiffPart (*encode)(const std::byte* twin, const std::byte* page, std::size_t first,
                     std::size_t lines, std::span<std::byte> out);

  // Is it a difference of a page of so many lines?
  bool (*is_diff)(std::span<const std::byte> diff, std::size_t lines);

  // Writes the changed bytes of what is a difference.
  void (*apply)(std::span<const std::byte> diff, std::byte* page);
};

// Those that this processor has, the fastest last. Never empty.
std::span<const DiffKernel> DiffKernels();

// The scalar kernel.
DiffPart EncodeScalar(const std::byte* twin, const std::byte* page, std::size_t first,
                      std::size_t lines, std::span<std::byte> out);
bool IsDiffScalar(std::span<const std::byte> diff, std::size_t lines);
void ApplyScalar(std::span<const std::byte> diff, std::byte* page);

// Those of x86-64 that this processor has, the fastest last; elsewhere none.
std::span<const DiffKernel> DiffKernelsOfX86();

// The loop of all `is_diff`: its speed is that of counting ones, so each is compiled for
// processors that can.
[[gnu::always_inline]] inline bool IsDiffLoop(std::span<const std::byte> diff, std::size_t lines) {
  std::size_t at = 0, least_line = 0;
  while (at < diff.size()) {
    if (diff.size() - at < DiffHeader::kBytes) return false;
    const DiffHeader header = DiffHeader::At(diff.data() + at);
    if (header.line < least_line || header.line >= lines || header.changed == 0) return false;
    at += DiffHeader::kBytes;
    if (diff.size() - at < header.changed_bytes()) return false;
    at += header.changed_bytes();
    least_line = std::size_t{header.line} + 1;
  }
  return true;
}

}  // namespace dsm
