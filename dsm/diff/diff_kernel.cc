#include "dsm/diff/diff_kernel.h"

#include <vector>

namespace dsm {
namespace {

std::uint64_t WordAt(const std::byte* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, 8);
  return word;
}

// Bit i: byte i of the word is not 0. The additions carry into the highest bit of each
// byte and no further; the product brings these bits together at the top.
std::uint64_t NonzeroBytes(std::uint64_t word) {
  constexpr std::uint64_t kLow = 0x7f7f7f7f7f7f7f7f;
  const std::uint64_t high = (((word & kLow) + kLow) | word) & ~kLow;
  return ((high >> 7) * 0x0102040810204080) >> 56;
}

}  // namespace

std::span<const DiffKernel> DiffKernels() {
  static const std::vector<DiffKernel> kernels = [] {
    std::vector<DiffKernel> all = {{"scalar", EncodeScalar, IsDiffScalar, ApplyScalar}};
    for (const DiffKernel& kernel : DiffKernelsOfX86()) all.push_back(kernel);
    return all;
  }();
  return kernels;
}

bool IsDiffScalar(std::span<const std::byte> diff, std::size_t lines) {
  return IsDiffLoop(diff, lines);
}

DiffPart EncodeScalar(const std::byte* twin, const std::byte* page, std::size_t first,
                      std::size_t lines, std::span<std::byte> out) {
  std::byte* const begin = out.data();
  std::byte* const end = begin + out.size();
  std::byte* next = begin;
  for (std::size_t line = first; line < lines; ++line) {
    const std::byte* const old_bytes = twin + line * kDiffLineBytes;
    const std::byte* const new_bytes = page + line * kDiffLineBytes;
    std::uint64_t changes[8];
    std::uint64_t any = 0;
    for (int i = 0; i < 8; ++i) {
      changes[i] = WordAt(old_bytes + 8 * i) ^ WordAt(new_bytes + 8 * i);
      any |= changes[i];
    }
    if (any == 0) continue;
    std::uint64_t changed = 0;
    for (int i = 0; i < 8; ++i) changed |= NonzeroBytes(changes[i]) << (8 * i);
    const DiffHeader header{static_cast<std::uint32_t>(line), changed};
    if (static_cast<std::size_t>(end - next) < DiffHeader::kBytes + header.changed_bytes()) {
      return {static_cast<std::size_t>(next - begin), line};
    }
    next = header.PutAt(next);
    const std::byte* half = new_bytes;
    for (std::uint64_t rest = changed; rest != 0; rest >>= 4, half += 4) {
      if ((rest & 0xf) == 0xf) {
        std::memcpy(next, half, 4);
        next += 4;
        continue;
      }
      for (std::uint64_t few = rest & 0xf; few != 0; few &= few - 1) {
        *next++ = half[std::countr_zero(few)];
      }
    }
  }
  return {static_cast<std::size_t>(next - begin), lines};
}

// Four bytes at once where all have changed, else single ones. A compiler invents no
// stores to the others, which C++ forbids since threads may write there.
void ApplyScalar(std::span<const std::byte> diff, std::byte* page) {
  const std::byte* next = diff.data();
  const std::byte* const end = next + diff.size();
  while (next != end) {
    const DiffHeader header = DiffHeader::At(next);
    next += DiffHeader::kBytes;
    std::byte* half = page + header.line * kDiffLineBytes;
    for (std::uint64_t rest = header.changed; rest != 0; rest >>= 4, half += 4) {
      if ((rest & 0xf) == 0xf) {
        std::memcpy(half, next, 4);
        next += 4;
        continue;
      }
      for (std::uint64_t few = rest & 0xf; few != 0; few &= few - 1) {
        half[std::countr_zero(few)] = *next++;
      }
    }
  }
}

}  // namespace dsm
