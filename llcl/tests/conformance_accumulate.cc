// Accumulates of arrays with every conduit (conformance.h).
#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "llcl/blocking.h"
#include "llcl/team.h"
#include "llcl/tests/conformance.h"

namespace llcl {
namespace {

class Accumulates : public Conformance {};

template <typename T>
std::span<T> Elements(const Region& region, std::size_t count) {
  return {reinterpret_cast<T*>(region.local().start), count};
}

// All threads of all ranks add to the same array of the next rank.
template <typename T>
void AddAll(Member& member, int threads, const std::function<void(std::function<void(int)>)>& on) {
  // Some messages' worth.
  constexpr std::size_t kElements = 3000;
  const Region array = member.Allocate(kElements * sizeof(T));
  const auto all = member.Exchange(array);
  // Small, so that sums of bytes are exact.
  std::vector<T> ones(kElements, T(1));
  for (int rank = 0; rank < member.size(); ++rank) {
    on([&](int) {
      EXPECT_EQ(Accumulate<T>(member.endpoint(),
                              {.from = ones, .to = {all[static_cast<std::size_t>(rank)]}}),
                Outcome::kDone);
    });
  }
  member.Barrier();
  const auto sum = static_cast<T>(threads * member.size());
  for (const T& element : Elements<T>(array, kElements)) ASSERT_EQ(element, sum);
  member.Barrier();
}

TEST_P(Accumulates, AddArraysOfEveryType) {
  Run([&](Member& member) {
    const auto on = [&](const std::function<void(int)>& f) { OnThreads(f); };
    AddAll<std::int8_t>(member, GetParam().threads, on);
    AddAll<std::uint16_t>(member, GetParam().threads, on);
    AddAll<std::int32_t>(member, GetParam().threads, on);
    AddAll<std::uint64_t>(member, GetParam().threads, on);
    AddAll<float>(member, GetParam().threads, on);
    AddAll<double>(member, GetParam().threads, on);
    AddAll<std::complex<double>>(member, GetParam().threads, on);
    AddAll<Unsigned128>(member, GetParam().threads, on);
  });
}

TEST_P(Accumulates, OfOneRankAreExecutedInTheirOrder) {
  Run([&](Member& member) {
    constexpr std::size_t kElements = 1500;
    constexpr std::uint64_t kMany = 20;
    const auto ranks = static_cast<std::size_t>(member.size());
    const Region array = member.Allocate(ranks * kElements * 8);
    const auto all = member.Exchange(array);
    const auto mine = static_cast<std::uint64_t>(member.rank());
    // Each overwrites the one before: the last one stays.
    std::vector<std::vector<std::uint64_t>> values;
    for (std::uint64_t i = 0; i < kMany; ++i) values.emplace_back(kElements, i);
    Counter ended;
    std::uint64_t posted = 0;
    for (std::uint64_t i = 0; i < kMany; ++i) {
      for (const RemoteRegion& there : all) {
        member.Post([&] {
          return member.endpoint().TryAccumulate<std::uint64_t>(
              {.from = values[i],
               .to = {there, mine * kElements * 8},
               .op = AtomicOp::kSwap,
               .then = ended.completion()});
        });
        ++posted;
      }
    }
    member.endpoint().Wait(ended, posted);
    EXPECT_EQ(ended.failed(), 0u);
    member.Barrier();
    for (const std::uint64_t word : Elements<std::uint64_t>(array, ranks * kElements)) {
      ASSERT_EQ(word, kMany - 1);
    }
    member.Barrier();
  });
}

TEST_P(Accumulates, HaveTheOperationsOfTheirTypes) {
  Run([&](Member& member) {
    const Region array = member.Allocate(64);
    const auto all = member.Exchange(array);
    const RemoteAddress there{all[static_cast<std::size_t>(member.next())]};
    const auto apply = [&]<typename T>(AtomicOp op, T first, T second) {
      const T one[] = {first}, two[] = {second};
      EXPECT_EQ(Accumulate<T>(member.endpoint(), {.from = one, .to = there, .op = AtomicOp::kSwap}),
                Outcome::kDone);
      EXPECT_EQ(Accumulate<T>(member.endpoint(), {.from = two, .to = there, .op = op}),
                Outcome::kDone);
      member.Barrier();
      const T result = Elements<T>(array, 1)[0];
      member.Barrier();
      return result;
    };
    EXPECT_EQ(apply(AtomicOp::kProduct, std::int8_t{7}, std::int8_t{-9}), -63);
    EXPECT_EQ(apply(AtomicOp::kProduct, std::uint16_t{65535}, std::uint16_t{65535}), 1);
    EXPECT_EQ(apply(AtomicOp::kMin, std::int16_t{-3}, std::int16_t{4}), -3);
    EXPECT_EQ(apply(AtomicOp::kMax, std::uint8_t{200}, std::uint8_t{3}), 200);
    EXPECT_EQ(apply(AtomicOp::kAnd, std::int64_t{12}, std::int64_t{10}), 8);
    EXPECT_EQ(apply(AtomicOp::kOr, std::uint8_t{12}, std::uint8_t{10}), 14);
    EXPECT_EQ(apply(AtomicOp::kXor, Unsigned128{12} << 100, Unsigned128{10} << 100),
              Unsigned128{6} << 100);
    EXPECT_EQ(apply(AtomicOp::kMin, 1.5, -2.5), -2.5);
    EXPECT_EQ(apply(AtomicOp::kProduct, 1.5f, -2.0f), -3.0f);
    using Complex = std::complex<double>;
    EXPECT_EQ(apply(AtomicOp::kProduct, Complex(1, 2), Complex(3, -1)), Complex(5, 5));
  });
}

TEST_P(Accumulates, AreAtomicToAtomicsOfTheOwner) {
  // A card does its atomics itself: there accumulates are atomic among themselves alone.
  const bool has_atomics = std::string(ConduitName()) != "ofi";
  Run([&](Member& member) {
    const Region array = member.Allocate(8);
    const auto all = member.Exchange(array);
    constexpr std::uint64_t kMany = 50;
    const std::uint64_t one[] = {1};
    OnThreads([&](int) {
      for (std::uint64_t i = 0; i < kMany; ++i) {
        EXPECT_EQ(Accumulate<std::uint64_t>(member.endpoint(), {.from = one, .to = {all[0]}}),
                  Outcome::kDone);
        if (!has_atomics) continue;
        EXPECT_EQ(Atomic<std::uint64_t>(member.endpoint(), {.target = {all[0]}, .operand = 1}),
                  Outcome::kDone);
      }
    });
    member.Barrier();
    if (member.rank() == 0) {
      EXPECT_EQ(Elements<std::uint64_t>(array, 1)[0],
                (has_atomics ? 2 : 1) * kMany *
                    static_cast<std::uint64_t>(GetParam().threads * member.size()));
    }
    member.Barrier();
  });
}

TEST_P(Accumulates, RefuseWhatTheOwnerHasNot) {
  Run([&](Member& member) {
    Region array = member.Allocate(64);
    const auto all = member.Exchange(array);
    const RemoteRegion there = all[static_cast<std::size_t>(member.next())];
    Endpoint& endpoint = member.endpoint();
    const std::uint32_t words[] = {1, 2, 3, 4};
    const double reals[] = {1};
    EXPECT_EQ(endpoint.TryAccumulate<std::uint32_t>({.from = words, .to = {there, 52}}),
              Posted::kBadRange);
    EXPECT_EQ(endpoint.TryAccumulate<std::uint32_t>(
                  {.from = words, .to = {there}, .op = AtomicOp::kCompareSwap}),
              Posted::kBadRange);
    EXPECT_EQ(endpoint.TryAccumulate<double>({.from = reals, .to = {there}, .op = AtomicOp::kXor}),
              Posted::kBadRange);
    RemoteRegion nobody = there;
    nobody.owner = Rank{member.size()};
    EXPECT_EQ(endpoint.TryAccumulate<std::uint32_t>({.from = words, .to = {nobody}}),
              Posted::kBadRange);
    EXPECT_EQ(Accumulate<std::uint32_t>(endpoint, {.from = {}, .to = {there}}), Outcome::kDone);
    EXPECT_EQ(Accumulate<std::uint32_t>(endpoint, {.from = words, .to = {there, 2}}),
              Outcome::kRefused);
    RemoteRegion changed = there;
    changed.bytes += 1000;
    EXPECT_EQ(Accumulate<std::uint32_t>(endpoint, {.from = words, .to = {changed, 64}}),
              Outcome::kRefused);
    member.Barrier();
    for (const std::uint32_t word : Elements<std::uint32_t>(array, 16)) EXPECT_EQ(word, 0u);
    member.Barrier();
    array = {};
    member.Barrier();
    EXPECT_EQ(Accumulate<std::uint32_t>(endpoint, {.from = words, .to = {there}}),
              Outcome::kRefused);
    member.Barrier();
  });
}

INSTANTIATE_TEST_SUITE_P(All, Accumulates, testing::ValuesIn(Cases()), NameOf);

}  // namespace
}  // namespace llcl
