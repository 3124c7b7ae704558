// lwt/hint.h's own code under interleavings of one who writes and one who reads: a
// hint that is read is whole.
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "lwt/hint.h"
#include "tools/model/interleavings.h"

namespace lwt {
namespace {

using Store = BasicHintStore<model::Atomic>;

// All of whose words are the same.
template <std::size_t kWords>
using Even = std::array<std::uint64_t, kWords>;

template <std::size_t kWords>
void Write(Store& store, std::uint64_t value) {
  Even<kWords> hint;
  hint.fill(value);
  model::Require(store.Write(std::as_bytes(std::span(hint))), "there is memory");
}

// What is read is one of the hints that were written, with its size.
void Read(const Store& store) {
  Even<8> hint = {};
  std::size_t bytes = 0;
  if (!store.TryRead(std::as_writable_bytes(std::span(hint)), bytes)) return;
  for (std::size_t i = 0; i < bytes / sizeof hint[0]; ++i) {
    model::Require(hint[i] == bytes, "a word of a hint of that size");
  }
}

template <std::size_t kFirst, std::size_t kSecond>
model::Outcome WriteWhileOneReads(int preemptions) {
  return model::ExploreAll(
      [] {
        auto store = std::make_shared<Store>();
        Write<kFirst>(*store, kFirst * 8);
        return model::Program{{[=] {
                                 Write<kSecond>(*store, kSecond * 8);
                                 Write<kFirst>(*store, kFirst * 8);
                               },
                               [=] { Read(*store); }},
                              [=] { Read(*store); }};
      },
      {.preemptions = preemptions});
}

TEST(HintModel, ASmallHintThatBecomesAnotherIsReadWhole) {
  const model::Outcome outcome = WriteWhileOneReads<1, 2>(6);
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

TEST(HintModel, AHintThatGrowsIntoABlockIsReadWhole) {
  const model::Outcome outcome = WriteWhileOneReads<2, 5>(4);
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

TEST(HintModel, AHintThatNeedsALargerBlockIsReadWhole) {
  const model::Outcome outcome = WriteWhileOneReads<3, 7>(4);
  EXPECT_EQ(outcome.failure, "");
  EXPECT_TRUE(outcome.complete);
}

// Without the version, which a model that can fail must miss.
TEST(HintModel, WithoutTheVersionPartsAreRead) {
  const model::Outcome outcome = model::ExploreAll(
      [] {
        auto words = std::make_shared<std::array<model::Atomic<std::uint64_t>, 2>>();
        return model::Program{{[=] {
                                 for (auto& word : *words) word.Store(1, std::memory_order_relaxed);
                               },
                               [=] {
                                 const auto first = (*words)[0].Load(std::memory_order_relaxed);
                                 model::Require(
                                     (*words)[1].Load(std::memory_order_relaxed) == first, "whole");
                               }},
                              [] {}};
      },
      {.preemptions = 2});
  EXPECT_NE(outcome.failure, "");
}

}  // namespace
}  // namespace lwt
