#include "dsm/diff/diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "dsm/diff/diff_kernel.h"
#include "dsm/tests/pages.h"

namespace dsm {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::size_t kPage = 4096;

// A record as its bytes.
Bytes Record(std::uint32_t line, std::uint64_t changed, const Bytes& bytes) {
  Bytes record(DiffHeader::kBytes);
  DiffHeader{line, changed}.PutAt(record.data());
  record.insert(record.end(), bytes.begin(), bytes.end());
  return record;
}

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Bytes Diff(const Bytes& twin, const Bytes& page) {
  Bytes diff(MostDiffBytes(page.size()));
  diff.resize(EncodeDiff(twin, page, diff));
  return diff;
}

TEST(Diff, OfEqualPagesIsEmpty) {
  const Bytes page = RandomBytes(kPage, 1);
  EXPECT_THAT(Diff(page, page), IsEmpty());
  EXPECT_FALSE(IsChanged(page, page));
  Bytes copy = page;
  EXPECT_TRUE(ApplyDiff({}, copy));
  EXPECT_EQ(copy, page);
}

TEST(Diff, OfOneChangedByteIsThirteenBytesWhereverItIs) {
  const Bytes twin = RandomBytes(kPage, 1);
  for (std::size_t at = 0; at < kPage; ++at) {
    Bytes page = twin;
    page[at] ^= std::byte{0x80};
    EXPECT_EQ(Diff(twin, page),
              Record(static_cast<std::uint32_t>(at / 64), std::uint64_t{1} << at % 64, {page[at]}));
    EXPECT_TRUE(IsChanged(twin, page));
  }
}

TEST(Diff, OfAlternateWordsIsARecordALine) {
  const Bytes twin = RandomBytes(kPage, 1);
  Bytes page = twin, expected;
  for (std::uint32_t line = 0; line < kPage / 64; ++line) {
    Bytes changed;
    for (std::size_t i = 0; i < 64; ++i) {
      if (i / 4 % 2 == 0) continue;
      page[line * 64 + i] ^= std::byte{1};
      changed.push_back(page[line * 64 + i]);
    }
    expected = expected + Record(line, 0xf0f0f0f0f0f0f0f0, changed);
  }
  EXPECT_EQ(Diff(twin, page), expected);
  EXPECT_EQ(expected.size(), 64u * (12 + 32));
}

TEST(Diff, OfAPageThatHasAllChangedFillsMostDiffBytes) {
  const Bytes twin(kPage, std::byte{0}), page(kPage, std::byte{0xff});
  const Bytes diff = Diff(twin, page);
  EXPECT_EQ(diff.size(), MostDiffBytes(kPage));
  Bytes copy(kPage, std::byte{7});
  EXPECT_TRUE(ApplyDiff(diff, copy));
  EXPECT_EQ(copy, page);
}

TEST(Diff, OfAByteThatHasItsOldValueAgainHasNothingOfIt) {
  const Bytes twin(64, std::byte{5});
  Bytes page = twin;
  page[3] = std::byte{6};
  page[3] = std::byte{5};
  page[4] = std::byte{6};
  EXPECT_EQ(Diff(twin, page), Record(0, 0b10000, {std::byte{6}}));
}

TEST(Diff, TwoOfDifferentBytesOfALineBothArriveInEitherOrder) {
  const Bytes twin = RandomBytes(kPage, 1);
  Bytes even = twin, odd = twin, both = twin;
  for (std::size_t i = 0; i < kPage; ++i) (i % 2 == 0 ? even : odd)[i] ^= std::byte{0xff};
  for (std::byte& byte : both) byte ^= std::byte{0xff};
  Bytes home = twin;
  EXPECT_TRUE(ApplyDiff(Diff(twin, even), home) && ApplyDiff(Diff(twin, odd), home));
  EXPECT_EQ(home, both);
  home = twin;
  EXPECT_TRUE(ApplyDiff(Diff(twin, odd), home) && ApplyDiff(Diff(twin, even), home));
  EXPECT_EQ(home, both);
}

TEST(Diff, OfAnEmptyPageIsEmpty) {
  EXPECT_EQ(EncodeDiff({}, {}, {}), 0u);
  EXPECT_TRUE(ApplyDiff({}, {}));
  EXPECT_FALSE(ApplyDiff(Record(0, 1, {std::byte{1}}), {}));
  EXPECT_FALSE(IsChanged({}, {}));
}

TEST(DiffPart, TheLoopOfTheHeaderSendsTheWholeInMessagesOf4KiB) {
  const std::size_t page_bytes = 64 * 1024;
  const Bytes twin = RandomBytes(page_bytes, 1);
  const Bytes page = Changed(twin, 2, {.share = 0.5});
  Bytes message(4096), sent;
  int messages = 0;
  for (std::size_t line = 0; line < page_bytes / kDiffLineBytes;) {
    const DiffPart part = EncodeDiffPart(twin, page, line, message);
    if (part.used > 0) ++messages;
    sent.insert(sent.end(), message.begin(), message.begin() + static_cast<long>(part.used));
    line = part.next_line;
  }
  EXPECT_EQ(sent, Diff(twin, page));
  EXPECT_GE(messages, 10);
}

TEST(DiffPart, APartThatFitsExactlyIsTheLast) {
  const Bytes twin(kPage, std::byte{0});
  Bytes page = twin;
  for (std::size_t i = 0; i < 64; ++i) page[i] = page[640 + i] = std::byte{1};
  Bytes out(2 * kMostDiffRecordBytes);
  EXPECT_EQ(EncodeDiffPart(twin, page, 0, out), (DiffPart{out.size(), kPage / 64}));
  out.pop_back();
  EXPECT_EQ(EncodeDiffPart(twin, page, 0, out), (DiffPart{kMostDiffRecordBytes, 10}));
  EXPECT_EQ(EncodeDiffPart(twin, page, 10, out), (DiffPart{kMostDiffRecordBytes, kPage / 64}));
  EXPECT_EQ(EncodeDiffPart(twin, page, 11, out), (DiffPart{0, kPage / 64}));
  EXPECT_EQ(EncodeDiffPart(twin, page, kPage / 64, out), (DiffPart{0, kPage / 64}));
}

struct Malformed {
  std::string what;
  Bytes diff;
};

class MalformedDiff : public ::testing::TestWithParam<Malformed> {};

TEST_P(MalformedDiff, IsRefusedAndNothingIsWritten) {
  const Bytes before = RandomBytes(kPage, 1);
  Bytes page = before;
  EXPECT_FALSE(ApplyDiff(GetParam().diff, page));
  EXPECT_EQ(page, before);
  EXPECT_THAT(Conflicts(GetParam().diff, before, Bytes(kPage)), IsEmpty());
}

const Bytes kOne = {std::byte{1}};
const Bytes kGood = Record(3, 1, kOne);

INSTANTIATE_TEST_SUITE_P(
    Diff, MalformedDiff,
    ::testing::Values(Malformed{"TheLineBehindTheLast", Record(64, 1, kOne)},
                      Malformed{"TheLastLineThatANumberCanName", Record(0xffffffff, 1, kOne)},
                      Malformed{"ALineTwice", kGood + kGood},
                      Malformed{"ALineThatComesTooLate", kGood + Record(2, 1, kOne)},
                      Malformed{"ALineWithoutChanges", Record(3, 0, {})},
                      Malformed{"AByteTooFew", Record(3, 0b11, kOne)},
                      Malformed{"AByteTooMany", kGood + kOne},
                      Malformed{"AGoodRecordBeforeABadOne", kGood + Record(4, 0, {})}),
    [](const auto& info) { return info.param.what; });

TEST(Diff, CutAnywhereButBetweenTwoRecordsIsRefused) {
  const Bytes before = RandomBytes(kPage, 1);
  const Bytes page = Changed(before, 2, {.share = 0.3});
  const Bytes diff = Diff(before, page);
  std::vector<std::size_t> ends = {0};
  while (ends.back() < diff.size()) {
    const DiffHeader header = DiffHeader::At(&diff[ends.back()]);
    ends.push_back(ends.back() + DiffHeader::kBytes + header.changed_bytes());
  }
  EXPECT_EQ(ends.size(), 65u);
  for (std::size_t bytes = 0; bytes <= diff.size(); ++bytes) {
    Bytes copy = before;
    const bool between = std::binary_search(ends.begin(), ends.end(), bytes);
    // Of its own size, so that a sanitizer sees what reads behind the end.
    EXPECT_EQ(ApplyDiff(Bytes(diff.begin(), diff.begin() + static_cast<long>(bytes)), copy),
              between);
    if (!between) {
      EXPECT_EQ(copy, before);
    }
  }
}

TEST(Diff, WithAnyByteWrongIsRefusedOrStaysWithinThePage) {
  const Bytes before = RandomBytes(kPage, 1);
  const Bytes diff = Diff(before, Changed(before, 2, {.share = 0.05}));
  for (std::size_t at = 0; at < diff.size(); ++at) {
    for (const int flip : {0x01, 0x40, 0xff}) {
      Bytes wrong = diff;
      wrong[at] ^= static_cast<std::byte>(flip);
      Guarded page(before);
      if (!ApplyDiff(wrong, page.bytes())) {
        EXPECT_TRUE(std::ranges::equal(page.bytes(), before));
      }
      ASSERT_TRUE(page.IsIntact());
    }
  }
}

TEST(Conflicts, AreTheBytesThatBothChanged) {
  const Bytes twin(kPage, std::byte{0});
  Bytes theirs = twin, home = twin;
  for (const std::size_t at : {5, 6, 64, 4095}) theirs[at] = std::byte{1};
  for (const std::size_t at : {6, 7, 65, 4095}) home[at] = std::byte{2};
  EXPECT_THAT(Conflicts(Diff(twin, theirs), twin, home), ElementsAre(6, 4095));
}

TEST(Conflicts, AreThereAlsoWhereBothWroteTheSame) {
  const Bytes twin(64, std::byte{0}), page(64, std::byte{1});
  EXPECT_EQ(Conflicts(Diff(twin, page), twin, page).size(), 64u);
}

TEST(Conflicts, AreNoneWhereOnlyOneWrote) {
  const Bytes twin(64, std::byte{0}), page(64, std::byte{1});
  EXPECT_THAT(Conflicts(Diff(twin, page), twin, twin), IsEmpty());
  EXPECT_THAT(Conflicts({}, twin, page), IsEmpty());
}

TEST(DiffDeathTest, ABrokenContractEndsTheProgramWithItsSentence) {
  const Bytes page(kPage), odd(100);
  Bytes out(MostDiffBytes(kPage));
  EXPECT_DEATH((void)EncodeDiff(odd, page, out), "a twin is as large as its page");
  EXPECT_DEATH((void)EncodeDiff(odd, odd, out), "a page is a multiple of 64 bytes");
  out.pop_back();
  EXPECT_DEATH((void)EncodeDiff(page, page, out), "needs room for MostDiffBytes");
  out.resize(kMostDiffRecordBytes - 1);
  EXPECT_DEATH((void)EncodeDiffPart(page, page, 0, out), "needs room for a line");
}

}  // namespace
}  // namespace dsm
