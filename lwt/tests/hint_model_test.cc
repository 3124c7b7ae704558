// lwt/queue/hint.h's own code, with a writer and a reader, under every interleaving of up to 6
// preemptions (where a hint needs a block, of up to 4): a hint that is read is whole.
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "lwt/queue/hint.h"
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
                              [=] {
                                Even<kFirst> last = {};
                                std::size_t bytes = 0;
                                model::Require(
                                    store->TryRead(std::as_writable_bytes(std::span(last)), bytes),
                                    "it can be read once nobody writes");
                                model::Require(bytes == sizeof last && last[0] == bytes,
                                               "and is the last that was written");
                              }};
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

// Loses the first store of two in a row, as a version that is not raised.
template <typename T>
class Forgetful : public model::Atomic<T> {
 public:
  using model::Atomic<T>::Atomic;
  void Store(T value, std::memory_order order) {
    if constexpr (std::is_same_v<T, std::uint32_t>) {
      if (order == std::memory_order_relaxed) return;  // of version_, before the words
    }
    model::Atomic<T>::Store(value, order);
  }
};

TEST(HintModel, WithoutTheOddVersionPartsAreRead) {
  const model::Outcome outcome = model::ExploreAll(
      [] {
        auto store = std::make_shared<BasicHintStore<Forgetful>>();
        const auto write = [=](std::uint64_t value) {
          const Even<2> hint = {value, value};
          (void)store->Write(std::as_bytes(std::span(hint)));
        };
        write(1);
        return model::Program{
            {[=] { write(2); },
             [=] {
               Even<2> hint = {};
               std::size_t bytes = 0;
               if (!store->TryRead(std::as_writable_bytes(std::span(hint)), bytes)) {
                 return;
               }
               model::Require(hint[0] == hint[1], "whole");
             }},
            [] {}};
      },
      {.preemptions = 4});
  EXPECT_NE(outcome.failure, "");
}

}  // namespace
}  // namespace lwt
