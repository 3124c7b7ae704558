// The loops of diff.h with AVX2 and with AVX-512. The build is for any x86-64: functions
// say themselves what they need, and are called where the processor has it.
#include "dsm/diff/diff_kernel.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <vector>

namespace dsm {
namespace {

// What gcc and clang ask of a function that is to be inlined into one with a target.
#define DSM_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define DSM_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi2,bmi,bmi2,popcnt")))

// Equal lines, which most are, are looked at four at a time: one branch for all.
constexpr std::size_t kAtOnce = 4;

DSM_AVX2 inline __m256i Load(const std::byte* bytes) {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes));
}

DSM_AVX2 inline __m256i Differ(const std::byte* twin, const std::byte* page, std::size_t at) {
  return _mm256_or_si256(_mm256_xor_si256(Load(twin + at), Load(page + at)),
                         _mm256_xor_si256(Load(twin + at + 32), Load(page + at + 32)));
}

DSM_AVX2 inline bool AreEqualAvx2(const std::byte* twin, const std::byte* page) {
  const __m256i any =
      _mm256_or_si256(_mm256_or_si256(Differ(twin, page, 0), Differ(twin, page, 64)),
                      _mm256_or_si256(Differ(twin, page, 128), Differ(twin, page, 192)));
  return _mm256_testz_si256(any, any) != 0;
}

DSM_AVX2 inline std::uint64_t EqualHalf(const std::byte* twin, const std::byte* page) {
  return static_cast<std::uint32_t>(
      _mm256_movemask_epi8(_mm256_cmpeq_epi8(Load(twin), Load(page))));
}

// Each word's changed bytes side by side by one instruction, pext. Stores whole words, the
// next over what is too much of the last: `next` has room for a line.
DSM_AVX2 inline void PackAvx2(const std::byte* line, std::uint64_t changed, std::byte* next) {
  for (; changed != 0; changed >>= 8, line += 8) {
    const std::uint64_t of_word = changed & 0xff;
    std::uint64_t word;
    std::memcpy(&word, line, 8);
    const std::uint64_t packed = _pext_u64(word, _pdep_u64(of_word, 0x0101010101010101) * 0xff);
    std::memcpy(next, &packed, 8);
    next += _mm_popcnt_u64(of_word);
  }
}

DSM_AVX2 DiffPart EncodeAvx2(const std::byte* twin, const std::byte* page, std::size_t first,
                             std::size_t lines, std::span<std::byte> out) {
  std::byte* const begin = out.data();
  std::byte* const end = begin + out.size();
  std::byte* next = begin;
  for (std::size_t line = first; line < lines;) {
    const std::byte* old_bytes = twin + line * kDiffLineBytes;
    const std::byte* new_bytes = page + line * kDiffLineBytes;
    const std::size_t stop = line + kAtOnce < lines ? line + kAtOnce : lines;
    if (stop == line + kAtOnce && AreEqualAvx2(old_bytes, new_bytes)) {
      line = stop;
      continue;
    }
    for (; line < stop; ++line, old_bytes += kDiffLineBytes, new_bytes += kDiffLineBytes) {
      const std::uint64_t changed =
          ~(EqualHalf(old_bytes, new_bytes) | EqualHalf(old_bytes + 32, new_bytes + 32) << 32);
      if (changed == 0) continue;
      const DiffHeader header{static_cast<std::uint32_t>(line), changed};
      const std::size_t room = static_cast<std::size_t>(end - next);
      if (room < kMostDiffRecordBytes) {
        // PackAvx2 would write behind the end.
        const DiffPart last =
            EncodeScalar(twin, page, line, lines, {next, static_cast<std::size_t>(end - next)});
        return {static_cast<std::size_t>(next - begin) + last.used, last.next_line};
      }
      next = header.PutAt(next);
      PackAvx2(new_bytes, changed, next);
      next += _mm_popcnt_u64(changed);
    }
  }
  return {static_cast<std::size_t>(next - begin), lines};
}

DSM_AVX2 bool IsDiffAvx2(std::span<const std::byte> diff, std::size_t lines) {
  return IsDiffLoop(diff, lines);
}

DSM_AVX512 inline __m512i Differ512(const std::byte* twin, const std::byte* page, std::size_t at) {
  return _mm512_xor_si512(_mm512_loadu_si512(twin + at), _mm512_loadu_si512(page + at));
}

DSM_AVX512 inline bool AreEqualAvx512(const std::byte* twin, const std::byte* page) {
  const __m512i any =
      _mm512_or_si512(_mm512_or_si512(Differ512(twin, page, 0), Differ512(twin, page, 64)),
                      _mm512_or_si512(Differ512(twin, page, 128), Differ512(twin, page, 192)));
  return _mm512_test_epi64_mask(any, any) == 0;
}

// Ones below bit `count`, which is 64 or less.
DSM_AVX512 inline __mmask64 FirstBytes(std::size_t count) {
  return _bzhi_u64(~std::uint64_t{0}, static_cast<unsigned>(count));
}

DSM_AVX512 DiffPart EncodeAvx512(const std::byte* twin, const std::byte* page, std::size_t first,
                                 std::size_t lines, std::span<std::byte> out) {
  std::byte* const begin = out.data();
  std::byte* const end = begin + out.size();
  std::byte* next = begin;
  for (std::size_t line = first; line < lines;) {
    const std::byte* old_bytes = twin + line * kDiffLineBytes;
    const std::byte* new_bytes = page + line * kDiffLineBytes;
    const std::size_t stop = line + kAtOnce < lines ? line + kAtOnce : lines;
    if (stop == line + kAtOnce && AreEqualAvx512(old_bytes, new_bytes)) {
      line = stop;
      continue;
    }
    for (; line < stop; ++line, old_bytes += kDiffLineBytes, new_bytes += kDiffLineBytes) {
      const __m512i now = _mm512_loadu_si512(new_bytes);
      const __mmask64 changed = _mm512_cmpneq_epi8_mask(_mm512_loadu_si512(old_bytes), now);
      if (changed == 0) continue;
      const DiffHeader header{static_cast<std::uint32_t>(line), changed};
      const std::size_t count = static_cast<std::size_t>(_mm_popcnt_u64(changed));
      const std::size_t room = static_cast<std::size_t>(end - next);
      if (room < DiffHeader::kBytes + count) {
        return {static_cast<std::size_t>(next - begin), line};
      }
      next = header.PutAt(next);
      // Packed in a register: the same instruction with memory is many times slower on Zen 4.
      const __m512i packed = _mm512_maskz_compress_epi8(changed, now);
      if (room >= kMostDiffRecordBytes) {
        _mm512_storeu_si512(next, packed);
      } else {
        _mm512_mask_storeu_epi8(next, FirstBytes(count), packed);
      }
      next += count;
    }
  }
  return {static_cast<std::size_t>(next - begin), lines};
}

DSM_AVX512 void ApplyAvx512(std::span<const std::byte> diff, std::byte* page) {
  const std::byte* next = diff.data();
  const std::byte* const end = next + diff.size();
  while (next != end) {
    const DiffHeader header = DiffHeader::At(next);
    next += DiffHeader::kBytes;
    const std::size_t count = static_cast<std::size_t>(_mm_popcnt_u64(header.changed));
    const __m512i packed = static_cast<std::size_t>(end - next) >= kDiffLineBytes
                               ? _mm512_loadu_si512(next)
                               : _mm512_maskz_loadu_epi8(FirstBytes(count), next);
    _mm512_mask_storeu_epi8(page + header.line * kDiffLineBytes, header.changed,
                            _mm512_maskz_expand_epi8(header.changed, packed));
    next += count;
  }
}

DSM_AVX512 bool IsDiffAvx512(std::span<const std::byte> diff, std::size_t lines) {
  return IsDiffLoop(diff, lines);
}

}  // namespace

std::span<const DiffKernel> DiffKernelsOfX86() {
  static const std::vector<DiffKernel> kernels = [] {
    __builtin_cpu_init();
    std::vector<DiffKernel> all;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("popcnt")) {
      all.push_back({"avx2", EncodeAvx2, IsDiffAvx2, ApplyScalar});
    }
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi2") &&
        __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt")) {
      all.push_back({"avx512", EncodeAvx512, IsDiffAvx512, ApplyAvx512});
    }
    return all;
  }();
  return kernels;
}

}  // namespace dsm

#else

namespace dsm {

std::span<const DiffKernel> DiffKernelsOfX86() { return {}; }

}  // namespace dsm

#endif
