// What holds for all pages, with each set of instructions that this processor has,
// against a loop over bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <ostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dsm/diff/diff.h"
#include "dsm/diff/diff_kernel.h"
#include "dsm/tests/pages.h"

namespace dsm {

void PrintTo(const DiffKernel& kernel, std::ostream* out) { *out << kernel.name; }

namespace {

// The format as diff.h says it.
Bytes DiffByBytes(const Bytes& twin, const Bytes& page) {
  Bytes diff;
  for (std::size_t line = 0; line < page.size() / 64; ++line) {
    std::uint64_t mask = 0;
    Bytes changed;
    for (std::size_t i = 0; i < 64; ++i) {
      if (twin[line * 64 + i] == page[line * 64 + i]) continue;
      mask |= std::uint64_t{1} << i;
      changed.push_back(page[line * 64 + i]);
    }
    if (mask == 0) continue;
    for (int i = 0; i < 4; ++i) diff.push_back(static_cast<std::byte>(line >> 8 * i));
    for (int i = 0; i < 8; ++i) diff.push_back(static_cast<std::byte>(mask >> 8 * i));
    diff.insert(diff.end(), changed.begin(), changed.end());
  }
  return diff;
}

struct Pair {
  Bytes twin, page;
  Bytes diff;  // DiffByBytes
};

// Of every size and kind of change; made once, since that takes longer than all else.
const std::vector<Pair>& Pairs() {
  static const std::vector<Pair> pairs = [] {
    std::vector<Pair> all;
    unsigned seed = 0;
    for (const std::size_t page_bytes : {64, 192, 320, 4096, 4096, 12288, 65536, 2 * 1024 * 1024}) {
      for (const Changes& changes : {Changes{.share = 0},
                                     {.share = 0.0003},
                                     {.share = 0.02},
                                     {.share = 0.5},
                                     {.share = 1},
                                     {.share = 0.5, .piece = 4},
                                     {.share = 0.5, .piece = 8},
                                     {.share = 0.3, .piece = 64},
                                     {.share = 0.5, .piece = 1000}}) {
        if (++seed % 3 != 0 && page_bytes > 65536) continue;  // Some of those will do.
        Bytes twin = RandomBytes(page_bytes, seed);
        Bytes page = Changed(twin, seed, changes);
        Bytes diff = DiffByBytes(twin, page);
        all.push_back({std::move(twin), std::move(page), std::move(diff)});
      }
    }
    return all;
  }();
  return pairs;
}

class EachDiffKernel : public ::testing::TestWithParam<DiffKernel> {
 protected:
  DiffPart Encode(const Bytes& twin, const Bytes& page, std::size_t first,
                  std::span<std::byte> out) {
    return GetParam().encode(twin.data(), page.data(), first, page.size() / 64, out);
  }

  template <typename F>
  void ForEachPair(F f) {
    for (std::size_t i = 0; i < Pairs().size() && !HasFatalFailure(); ++i) {
      SCOPED_TRACE(testing::Message() << "pair " << i);
      f(Pairs()[i].twin, Pairs()[i].page, Pairs()[i].diff);
    }
  }
};

TEST_P(EachDiffKernel, WritesWhatTheLoopOverBytesWritesAndNothingBehindItsRoom) {
  ForEachPair([&](const Bytes& twin, const Bytes& page, const Bytes& expected) {
    for (const std::size_t room : {expected.size(), MostDiffBytes(page.size())}) {
      Guarded out{Bytes(room)};
      const DiffPart all = Encode(twin, page, 0, out.bytes());
      ASSERT_EQ(all, (DiffPart{expected.size(), page.size() / 64}));
      ASSERT_TRUE(std::ranges::equal(out.bytes().first(all.used), expected));
      ASSERT_TRUE(out.IsIntact());
    }
  });
}

TEST_P(EachDiffKernel, AppliesTheChangedBytesAndNoOthers) {
  ForEachPair([&](const Bytes& twin, const Bytes& page, const Bytes& diff) {
    ASSERT_TRUE(GetParam().is_diff(diff, page.size() / 64));
    const Bytes other = RandomBytes(page.size(), 12345);
    Bytes expected = other;
    for (std::size_t i = 0; i < page.size(); ++i) {
      if (twin[i] != page[i]) expected[i] = page[i];
    }
    Guarded copy(other);
    GetParam().apply(diff, copy.bytes().data());
    ASSERT_TRUE(std::ranges::equal(copy.bytes(), expected));
    ASSERT_TRUE(copy.IsIntact());
  });
}

TEST_P(EachDiffKernel, PartsOfAnySizeAreDifferencesAndTogetherTheWhole) {
  std::mt19937 random(1);
  ForEachPair([&](const Bytes& twin, const Bytes& page, const Bytes& expected) {
    const std::size_t lines = page.size() / 64;
    std::uniform_int_distribution<std::size_t> any_room(kMostDiffRecordBytes, 4096);
    Bytes whole;
    for (std::size_t line = 0; line < lines;) {
      const std::size_t room = any_room(random);
      Guarded out{Bytes(room)};
      const DiffPart part = Encode(twin, page, line, out.bytes());
      ASSERT_TRUE(out.IsIntact());
      ASSERT_GT(part.next_line, line);
      ASSERT_TRUE(GetParam().is_diff(out.bytes().first(part.used), lines));
      // No part ends early: the next line would not have fit.
      ASSERT_TRUE(part.next_line == lines || part.used + kMostDiffRecordBytes > room);
      whole.insert(whole.end(), out.bytes().begin(),
                   out.bytes().begin() + static_cast<long>(part.used));
      line = part.next_line;
    }
    ASSERT_EQ(whole, expected);
  });
}

TEST_P(EachDiffKernel, MakesTheSamePartsAsTheScalarOne) {
  const Bytes twin = RandomBytes(4096, 1);
  const Bytes page = Changed(twin, 2, {.share = 0.2, .piece = 8});
  for (std::size_t room = kMostDiffRecordBytes; room <= MostDiffBytes(4096); room += 7) {
    for (std::size_t first = 0; first <= 64; first += 5) {
      Bytes ours(room), scalar(room);
      const DiffPart part = Encode(twin, page, first, ours);
      ASSERT_EQ(part, EncodeScalar(twin.data(), page.data(), first, 64, scalar));
      ASSERT_TRUE(
          std::equal(ours.begin(), ours.begin() + static_cast<long>(part.used), scalar.begin()));
    }
  }
}

TEST_P(EachDiffKernel, PagesAndDifferencesMayLieAnywhere) {
  const Bytes twin = RandomBytes(4096, 1);
  const Bytes page = Changed(twin, 2, {.share = 0.4});
  const Bytes expected = DiffByBytes(twin, page);
  for (std::size_t shift = 0; shift < 64; ++shift) {
    Bytes shifted(shift), out(shift + MostDiffBytes(4096)), copy(shift);
    shifted.insert(shifted.end(), page.begin(), page.end());
    copy.insert(copy.end(), twin.begin(), twin.end());
    const std::span<std::byte> room(out.begin() + static_cast<long>(shift), out.end());
    const DiffPart all = GetParam().encode(twin.data(), shifted.data() + shift, 0, 64, room);
    ASSERT_TRUE(std::ranges::equal(room.first(all.used), expected));
    GetParam().apply(room.first(all.used), copy.data() + shift);
    ASSERT_TRUE(std::equal(page.begin(), page.end(), copy.begin() + static_cast<long>(shift)));
  }
}

// The home's threads go on writing to their bytes of a page while a difference with others
// comes in.
TEST_P(EachDiffKernel, LosesNoByteThatAnotherThreadWritesWhileItApplies) {
  constexpr std::size_t kPage = 4096;
  constexpr int kSweeps = 255;
  for (const std::size_t piece : {1, 4, 8}) {
    const Bytes twin(kPage, std::byte{0});
    Bytes page = twin;
    const auto is_theirs = [&](std::size_t at) { return at / piece % 2 == 1; };
    for (std::size_t at = 0; at < kPage; ++at) {
      if (is_theirs(at)) page[at] = std::byte{0xff};
    }
    const Bytes diff = DiffByBytes(twin, page);
    std::vector<std::uint8_t> home(kPage, 0);
    std::atomic<bool> is_done = false;
    std::thread writer([&] {
      for (int sweep = 0; sweep < kSweeps; ++sweep) {
        for (std::size_t at = 0; at < kPage; ++at) {
          if (is_theirs(at)) continue;
          std::atomic_ref<std::uint8_t> byte(home[at]);
          byte.store(static_cast<std::uint8_t>(byte.load(std::memory_order_relaxed) + 1),
                     std::memory_order_relaxed);
        }
      }
      is_done.store(true, std::memory_order_release);
    });
    do {
      GetParam().apply(diff, reinterpret_cast<std::byte*>(home.data()));
    } while (!is_done.load(std::memory_order_acquire));
    writer.join();
    for (std::size_t at = 0; at < kPage; ++at) {
      ASSERT_EQ(home[at], is_theirs(at) ? 0xff : kSweeps) << "byte " << at;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Diff, EachDiffKernel,
                         ::testing::ValuesIn(DiffKernels().begin(), DiffKernels().end()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(DiffKernels, BeginWithTheOneThatEveryProcessorHas) {
  ASSERT_FALSE(DiffKernels().empty());
  EXPECT_EQ(DiffKernels().front().name, "scalar");
}

}  // namespace
}  // namespace dsm
