// Operations of many pieces with every conduit (conformance.h).
#include <gtest/gtest.h>

#include <vector>

#include "llcl/strided.h"
#include "llcl/tests/conformance.h"

namespace llcl {
namespace {

class Strided : public Conformance {
 protected:
  template <typename Try>
  static Outcome Do(Member& member, Try request) {
    Flag done;
    member.Post([&] { return request(done.completion()); });
    return member.endpoint().Wait(done);
  }
};

// A matrix of 64-bit words there, a part of it here.
constexpr std::uint64_t kRows = 200, kColumns = 64, kPartColumns = 5;

TEST_P(Strided, APartOfAMatrixIsReadAndWritten) {
  Run([&](Member& member) {
    const auto threads = static_cast<std::uint64_t>(GetParam().threads);
    const Region matrix = member.Allocate(kRows * kColumns * 8);
    const auto all = member.Exchange(matrix);
    auto* const words = reinterpret_cast<std::uint64_t*>(matrix.local().start);
    for (std::uint64_t i = 0; i < kRows * kColumns; ++i) words[i] = i;
    member.Barrier();
    const RemoteAddress there{all[static_cast<std::size_t>(member.next())]};
    OnThreads([&](int thread) {
      const std::uint64_t column = static_cast<std::uint64_t>(thread) * kPartColumns;
      std::vector<std::uint64_t> part(kRows * kPartColumns);
      const Region here = member.Register(part);
      StridedParams params = {
          .local = {here.local()},
          .remote = there + column * 8,
          .bytes = kPartColumns * 8,
          .dimensions = {
              {.count = kRows, .local_stride = kPartColumns * 8, .remote_stride = kColumns * 8}}};
      EXPECT_EQ(Do(member,
                   [&](Completion then) {
                     params.then = then;
                     return TryReadStrided(member.endpoint(), params);
                   }),
                Outcome::kDone);
      for (std::uint64_t i = 0; i < part.size(); ++i) {
        EXPECT_EQ(part[i], i / kPartColumns * kColumns + column + i % kPartColumns);
        part[i] = ~part[i];
      }
      EXPECT_EQ(Do(member,
                   [&](Completion then) {
                     params.then = then;
                     return TryWriteStrided(member.endpoint(), params);
                   }),
                Outcome::kDone);
    });
    member.Barrier();
    for (std::uint64_t i = 0; i < kRows * kColumns; ++i) {
      EXPECT_EQ(words[i], i % kColumns < threads * kPartColumns ? ~i : i);
    }
    member.Barrier();
  });
}

TEST_P(Strided, DimensionsAreNested) {
  Run([&](Member& member) {
    const Region cube = member.Allocate(10 * 10 * 10);
    const auto all = member.Exchange(cube);
    for (int i = 0; i < 1000; ++i) cube.local().start[i] = static_cast<std::byte>(i % 251);
    member.Barrier();
    std::vector<std::uint8_t> part(2 * 3 * 4);
    const Region here = member.Register(part);
    EXPECT_EQ(Do(member,
                 [&](Completion then) {
                   return TryReadStrided(
                       member.endpoint(),
                       {.local = {here.local()},
                        .remote = {all[static_cast<std::size_t>(member.next())], 123},
                        .bytes = 2,
                        .dimensions = {{.count = 3, .local_stride = 2, .remote_stride = 10},
                                       {.count = 4, .local_stride = 6, .remote_stride = 100}},
                        .then = then});
                 }),
              Outcome::kDone);
    for (std::size_t i = 0; i < part.size(); ++i) {
      EXPECT_EQ(part[i], (123 + i % 2 + i / 2 % 3 * 10 + i / 6 * 100) % 251);
    }
    member.Barrier();
  });
}

TEST_P(Strided, AListIsWrittenAndReadBack) {
  Run([&](Member& member) {
    const Region mine = member.Allocate(100'000);
    const auto all = member.Exchange(mine);
    const RemoteAddress there{all[static_cast<std::size_t>(member.next())]};
    std::vector<std::uint8_t> out(50'000), in(50'000);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<std::uint8_t>(i * 31 + 1);
    const Region from = member.Register(out), to = member.Register(in);
    std::vector<Piece> writes, reads;
    for (std::uint64_t at = 0, bytes = 1; at + bytes <= out.size(); at += bytes, bytes += 3) {
      writes.push_back({LocalAddress{from.local()} + at, there + 2 * at, bytes});
      reads.push_back({LocalAddress{to.local()} + at, there + 2 * at, bytes});
    }
    const std::uint64_t total = writes.back().local.offset + writes.back().bytes;
    EXPECT_EQ(
        Do(member, [&](Completion then) { return TryWriteList(member.endpoint(), writes, then); }),
        Outcome::kDone);
    EXPECT_EQ(
        Do(member, [&](Completion then) { return TryReadList(member.endpoint(), reads, then); }),
        Outcome::kDone);
    for (std::size_t i = 0; i < total; ++i) EXPECT_EQ(in[i], out[i]);
    EXPECT_EQ(Do(member, [&](Completion then) { return TryReadList(member.endpoint(), {}, then); }),
              Outcome::kDone);
    member.Barrier();
  });
}

TEST_P(Strided, PiecesOutsideOfTheirRegionsAreRefusedBeforeAnyIsMoved) {
  Run([&](Member& member) {
    const Region mine = member.Allocate(1000);
    const auto all = member.Exchange(mine);
    const RemoteAddress there{all[static_cast<std::size_t>(member.next())]};
    std::vector<std::uint8_t> buffer(1000);
    const Region here = member.Register(buffer);
    const auto refused = [&](std::uint64_t count, std::uint64_t local, std::uint64_t remote) {
      const Posted posted = TryWriteStrided(
          member.endpoint(),
          {.local = {here.local()},
           .remote = there,
           .bytes = 10,
           .dimensions = {{.count = count, .local_stride = local, .remote_stride = remote}}});
      return posted == Posted::kBadRange;
    };
    EXPECT_TRUE(refused(11, 100, 10));
    EXPECT_TRUE(refused(11, 10, 100));
    EXPECT_TRUE(refused(3, ~std::uint64_t{0}, 10));
    EXPECT_TRUE(refused(~std::uint64_t{0}, 10, 10));
    const std::vector<Piece> pieces = {{{here.local()}, there, 10}, {{here.local()}, there, 1001}};
    EXPECT_EQ(TryReadList(member.endpoint(), pieces, {}), Posted::kBadRange);
    member.Barrier();
  });
}

// Few places, many pieces: those that are refused are asked for again.
TEST_P(Strided, MorePiecesThanTheEndpointHoldsAllArrive) {
  EndpointOptions options;
  options.executor.ring = 4;
  options.executor.tags = 4;
  Run(
      [&](Member& member) {
        const Region mine = member.Allocate(16'000);
        const auto all = member.Exchange(mine);
        const RemoteAddress there{all[static_cast<std::size_t>(member.next())]};
        OnThreads([&](int thread) {
          std::vector<std::uint64_t> ones(500, 1);
          const Region here = member.Register(ones);
          EXPECT_EQ(Do(member,
                       [&](Completion then) {
                         return TryWriteStrided(
                             member.endpoint(),
                             {.local = {here.local()},
                              .remote = there + static_cast<std::uint64_t>(thread) * 4000,
                              .bytes = 8,
                              .dimensions = {{.count = 500, .local_stride = 8, .remote_stride = 8}},
                              .then = then});
                       }),
                    Outcome::kDone);
        });
        member.Barrier();
        const auto* const words = reinterpret_cast<const std::uint64_t*>(mine.local().start);
        for (int i = 0; i < GetParam().threads * 500; ++i) EXPECT_EQ(words[i], 1u);
        member.Barrier();
      },
      options);
}

INSTANTIATE_TEST_SUITE_P(Conduit, Strided, testing::ValuesIn(Cases()), NameOf);

}  // namespace
}  // namespace llcl
