#include "dsm/diff/diff.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "dsm/diff/diff_kernel.h"

namespace dsm {
namespace {

void Require(bool holds, const char* contract, int line = __builtin_LINE()) {
  if (holds) [[likely]]
    return;
  std::fprintf(stderr, "%s:%d: %s\n", __FILE__, line, contract);
  std::abort();
}

void RequirePage(std::span<const std::byte> twin, std::span<const std::byte> page) {
  Require(twin.size() == page.size(), "a twin is as large as its page");
  Require(page.size() % kDiffLineBytes == 0, "a page is a multiple of 64 bytes");
}

const DiffKernel& Fastest() {
  static const DiffKernel& fastest = DiffKernels().back();
  return fastest;
}

}  // namespace

std::size_t EncodeDiff(std::span<const std::byte> twin, std::span<const std::byte> page,
                       std::span<std::byte> out) {
  RequirePage(twin, page);
  Require(out.size() >= MostDiffBytes(page.size()), "EncodeDiff needs room for MostDiffBytes");
  return Fastest().encode(twin.data(), page.data(), 0, page.size() / kDiffLineBytes, out).used;
}

DiffPart EncodeDiffPart(std::span<const std::byte> twin, std::span<const std::byte> page,
                        std::size_t first_line, std::span<std::byte> out) {
  RequirePage(twin, page);
  Require(out.size() >= kMostDiffRecordBytes, "a part needs room for a line that has all changed");
  return Fastest().encode(twin.data(), page.data(), first_line, page.size() / kDiffLineBytes, out);
}

bool ApplyDiff(std::span<const std::byte> diff, std::span<std::byte> page) {
  Require(page.size() % kDiffLineBytes == 0, "a page is a multiple of 64 bytes");
  if (!Fastest().is_diff(diff, page.size() / kDiffLineBytes)) return false;
  Fastest().apply(diff, page.data());
  return true;
}

// The C library's has a loop for each processor already.
bool IsChanged(std::span<const std::byte> twin, std::span<const std::byte> page) {
  RequirePage(twin, page);
  return !page.empty() && std::memcmp(twin.data(), page.data(), page.size()) != 0;
}

std::vector<std::size_t> Conflicts(std::span<const std::byte> diff, std::span<const std::byte> twin,
                                   std::span<const std::byte> page) {
  RequirePage(twin, page);
  std::vector<std::size_t> offsets;
  if (!Fastest().is_diff(diff, page.size() / kDiffLineBytes)) return offsets;
  for (std::size_t at = 0; at < diff.size();) {
    const DiffHeader header = DiffHeader::At(&diff[at]);
    for (std::uint64_t rest = header.changed; rest != 0; rest &= rest - 1) {
      const std::size_t offset =
          header.line * kDiffLineBytes + static_cast<std::size_t>(std::countr_zero(rest));
      if (twin[offset] != page[offset]) offsets.push_back(offset);
    }
    at += DiffHeader::kBytes + header.changed_bytes();
  }
  return offsets;
}

}  // namespace dsm
