#include "dsm/release/change_packer.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>
#include <vector>

namespace dsm {
namespace {

constexpr std::size_t kPage = 4096, kMost = 1000;
using Bytes = std::vector<std::byte>;

// What comes out of the messages, applied to pages that were zeros.
struct Receiver {
  bool Take(std::span<const std::byte> message) {
    ++messages;
    EXPECT_LE(message.size(), kMost);
    return UnpackChanges(
        message, [&](std::uint64_t epoch, std::uint64_t page, std::span<const std::byte> diff) {
          EXPECT_EQ(epoch, 42u);
          Bytes& bytes = pages.try_emplace(page, kPage).first->second;
          if (diff.empty()) wholes.push_back(page);
          return ApplyDiff(diff, bytes);
        });
  }
  std::map<std::uint64_t, Bytes> pages;
  std::vector<std::uint64_t> wholes;
  int messages = 0;
};

TEST(ChangeMessage, ChangesComeOutAsTheyWentInHoweverManyMessagesTheyTake) {
  for (const unsigned step : {1u, 2u, 63u, 64u, 4095u}) {
    SCOPED_TRACE("every byte number " + std::to_string(step));
    Receiver receiver;
    const auto send = [&](std::span<const std::byte> message) {
      EXPECT_TRUE(receiver.Take(message));
    };
    ChangePacker packer(42, kMost);
    const Bytes twin(kPage);
    std::map<std::uint64_t, Bytes> sent;
    for (const std::uint64_t page : {3u, 4u, 1000u}) {
      Bytes now(kPage);
      for (std::size_t i = 0; i < kPage; i += step) now[i] = static_cast<std::byte>((page + i) | 1);
      packer.Add(page, twin, now, send);
      sent[page] = std::move(now);
    }
    packer.Finish(send);
    packer.Finish(send);
    EXPECT_EQ(receiver.pages, sent);
    EXPECT_EQ(receiver.messages > 1, step < 4095);
  }
}

TEST(ChangeMessage, AnUnchangedPageIsNotSent) {
  ChangePacker packer(42, kMost);
  const Bytes page(kPage);
  int sent = 0;
  const auto send = [&](std::span<const std::byte>) { ++sent; };
  packer.Add(1, page, page, send);
  packer.Finish(send);
  EXPECT_EQ(sent, 0);
}

// Each message that is sent is followed by a write somewhere in the page.
TEST(ChangeMessage, WritesBetweenTwoMessagesGoWithThisReleaseOrTheNext) {
  Receiver receiver;
  std::mt19937 random(1);
  Bytes twin(kPage), page(kPage);
  const auto write = [&] { page[random() % kPage] = std::byte(1 + random() % 255); };
  for (int release = 0; release < 50; ++release) {
    for (int i = 0; i < 200; ++i) write();
    ChangePacker packer(42, kMost);
    const auto send = [&](std::span<const std::byte> message) {
      EXPECT_TRUE(receiver.Take(message));
      write();
    };
    EXPECT_TRUE(packer.AddAndRenew(7, twin, page, send));
    packer.Finish(send);
    EXPECT_EQ(receiver.pages[7], twin) << "the twin is the page as it is at home";
  }
  ChangePacker last(42, kMost);
  const auto send = [&](auto message) { EXPECT_TRUE(receiver.Take(message)); };
  (void)last.AddAndRenew(7, twin, page, send);
  last.Finish(send);
  EXPECT_EQ(receiver.pages[7], page);
  EXPECT_FALSE(last.AddAndRenew(7, twin, page, send));
}

TEST(ChangeMessage, PagesThatWereWrittenAsAWholeAreNamed) {
  Receiver receiver;
  const auto send = [&](std::span<const std::byte> message) {
    EXPECT_TRUE(receiver.Take(message));
  };
  ChangePacker packer(42, kMost);
  std::vector<std::uint64_t> pages;
  for (std::uint64_t page = 0; page < 200; ++page) {
    packer.AddWhole(page, send);
    pages.push_back(page);
  }
  packer.Finish(send);
  EXPECT_EQ(receiver.wholes, pages);
  EXPECT_GT(receiver.messages, 1);
}

TEST(ChangeMessage, RefusesWhatIsNone) {
  Bytes message;
  ChangePacker packer(42, kMost);
  Bytes now(kPage);
  now[100] = std::byte{1};
  packer.Add(1, Bytes(kPage), now, [](std::span<const std::byte>) {});
  packer.Finish([&](std::span<const std::byte> sent) { message.assign(sent.begin(), sent.end()); });
  const auto all = [](auto...) { return true; };
  EXPECT_TRUE(UnpackChanges(message, all));
  for (std::size_t bytes : {0u, 4u, 12u, 30u}) {
    EXPECT_FALSE(UnpackChanges(std::span(message).first(bytes), all)) << bytes;
  }
  EXPECT_FALSE(UnpackChanges(message, [](auto...) { return false; }));
  std::mt19937 random(5);
  for (int i = 0; i < 2000; ++i) {  // Nothing is read behind the end.
    Bytes wrong = message;
    wrong[random() % wrong.size()] = static_cast<std::byte>(random());
    Bytes page(kPage);
    (void)UnpackChanges(wrong, [&](std::uint64_t, std::uint64_t, std::span<const std::byte> diff) {
      return ApplyDiff(diff, page);
    });
  }
}

}  // namespace
}  // namespace dsm
