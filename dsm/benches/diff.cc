// Differences of pages: `problem/contestant/parameters`, in bytes of page a second.
//
// encode_* writes the difference of pages of 4 KiB, apply_* puts it into another copy. Of
// each page one byte (which to apply is nothing), every second word of four bytes, or all
// has changed. Pages and twins of set l2 lie in a core's second cache (1 MiB holds 64 of
// both), those of set memory do not. Contestants: ours; byte_loop, what one would write
// first; limit, the C library's memcmp, since where next to nothing has changed all the work
// is to read both.
#include "dsm/diff/diff.h"

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t kPage = 4096;
using Bytes = std::vector<std::byte>;

struct Ours {
  static constexpr const char* kName = "dsm";
  static std::size_t Encode(std::span<const std::byte> twin, std::span<const std::byte> page,
                            std::span<std::byte> out) {
    return dsm::EncodeDiff(twin, page, out);
  }
  static bool Apply(std::span<const std::byte> diff, std::span<std::byte> page) {
    return dsm::ApplyDiff(diff, page);
  }
};

// The same format, a byte at a time.
struct ByteLoop {
  static constexpr const char* kName = "byte_loop";
  static std::size_t Encode(std::span<const std::byte> twin, std::span<const std::byte> page,
                            std::span<std::byte> out) {
    std::size_t used = 0;
    for (std::uint32_t line = 0; line < page.size() / 64; ++line) {
      std::uint64_t changed = 0;
      std::size_t next = used + 12;
      for (std::size_t i = 0; i < 64; ++i) {
        if (twin[line * 64 + i] == page[line * 64 + i]) continue;
        changed |= std::uint64_t{1} << i;
        out[next++] = page[line * 64 + i];
      }
      if (changed == 0) continue;
      std::memcpy(&out[used], &line, 4);
      std::memcpy(&out[used + 4], &changed, 8);
      used = next;
    }
    return used;
  }
  static bool Apply(std::span<const std::byte> diff, std::span<std::byte> page) {
    for (std::size_t at = 0; at < diff.size();) {
      std::uint32_t line;
      std::uint64_t changed;
      std::memcpy(&line, &diff[at], 4);
      std::memcpy(&changed, &diff[at + 4], 8);
      at += 12;
      for (std::size_t i = 0; i < 64; ++i) {
        if ((changed >> i) & 1) page[line * 64 + i] = diff[at++];
      }
    }
    return true;
  }
};

struct Limit {
  static constexpr const char* kName = "limit";
  static std::size_t Encode(std::span<const std::byte> twin, std::span<const std::byte> page,
                            std::span<std::byte>) {
    return static_cast<std::size_t>(std::memcmp(twin.data(), page.data(), page.size()) != 0);
  }
};

enum class Change { kOneByte, kAlternateWords, kAll };

// Twins, pages and room for their differences, each in a row.
struct Pages {
  Pages(std::size_t count, Change change) : twins(count * kPage), diff(dsm::MostDiffBytes(kPage)) {
    for (std::size_t at = 0; at < twins.size(); ++at) twins[at] = static_cast<std::byte>(at * 7);
    pages = twins;
    for (std::size_t at = 0; at < pages.size(); ++at) {
      if (change == Change::kAll || (change == Change::kAlternateWords && at / 4 % 2 == 1) ||
          (change == Change::kOneByte && at % kPage == kPage - 1)) {
        pages[at] ^= std::byte{1};
      }
    }
  }
  std::size_t count() const { return twins.size() / kPage; }
  std::span<const std::byte> twin(std::size_t i) const { return {&twins[i * kPage], kPage}; }
  std::span<const std::byte> page(std::size_t i) const { return {&pages[i * kPage], kPage}; }
  std::span<std::byte> copy(std::size_t i) { return {&twins[i * kPage], kPage}; }

  Bytes twins, pages, diff;
};

struct Set {
  const char* name;
  std::size_t pages;
};
constexpr Set kSets[] = {{"l2", 64}, {"memory", 16384}};

template <typename Contestant>
void RegisterEncode(const std::string& problem, Change change) {
  for (const Set& set : kSets) {
    benchmark::RegisterBenchmark(
        ("encode_" + problem + "/" + Contestant::kName + "/set:" + set.name).c_str(),
        [set, change](benchmark::State& state) {
          Pages pages(set.pages, change);
          Bytes expected(pages.diff.size());
          expected.resize(ByteLoop::Encode(pages.twin(0), pages.page(0), expected));
          const std::size_t used = Contestant::Encode(pages.twin(0), pages.page(0), pages.diff);
          if (!std::is_same_v<Contestant, Limit> &&
              Bytes(pages.diff.begin(), pages.diff.begin() + static_cast<long>(used)) != expected) {
            state.SkipWithError("wrong answer");
          }
          for (auto _ : state) {
            for (std::size_t i = 0; i < pages.count(); ++i) {
              benchmark::DoNotOptimize(
                  Contestant::Encode(pages.twin(i), pages.page(i), pages.diff));
              benchmark::ClobberMemory();
            }
          }
          state.SetBytesProcessed(state.iterations() * static_cast<long>(pages.count() * kPage));
        })
        ->MinTime(0.05);
  }
}

template <typename Contestant>
void RegisterApply(const std::string& problem, Change change) {
  for (const Set& set : kSets) {
    benchmark::RegisterBenchmark(
        ("apply_" + problem + "/" + Contestant::kName + "/set:" + set.name).c_str(),
        [set, change](benchmark::State& state) {
          Pages pages(set.pages, change);
          pages.diff.resize(ByteLoop::Encode(pages.twin(0), pages.page(0), pages.diff));
          bool right = true;
          for (auto _ : state) {
            for (std::size_t i = 0; i < pages.count(); ++i) {
              right = Contestant::Apply(pages.diff, pages.copy(i)) && right;
              benchmark::ClobberMemory();
            }
          }
          if (!right || pages.twins != pages.pages) state.SkipWithError("wrong answer");
          state.SetBytesProcessed(state.iterations() * static_cast<long>(pages.count() * kPage));
        })
        ->MinTime(0.05);
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (const auto& [name, change] :
       {std::pair{"one_byte", Change::kOneByte},
        std::pair{"alternate_words", Change::kAlternateWords}, std::pair{"all", Change::kAll}}) {
    RegisterEncode<Ours>(name, change);
    RegisterEncode<ByteLoop>(name, change);
    if (change == Change::kOneByte) {
      RegisterEncode<Limit>(name, change);
    } else {
      RegisterApply<Ours>(name, change);
      RegisterApply<ByteLoop>(name, change);
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
