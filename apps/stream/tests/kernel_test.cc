#include "apps/stream/kernels/kernel.h"

#include <bit>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "apps/stream/kernels/limit.h"
#include "apps/stream/kernels/nontemporal.h"
#include "apps/stream/kernels/plain.h"
#include "gtest/gtest.h"

namespace stream {
namespace {

// Arrays that begin `offset` elements after a line does, with room before and
// behind that no kernel may touch.
class Buffers {
 public:
  Buffers(std::int64_t size, std::int64_t offset) : size_(size), offset_(offset) {
    std::mt19937_64 random(static_cast<std::uint64_t>(size * 64 + offset));
    std::uniform_real_distribution<double> number(-1, 1);
    for (std::vector<Line>& lines : arrays_) {
      lines.resize(static_cast<std::size_t>(size / kLine + 3));
      for (Line& line : lines) {
        for (double& value : line.values) value = number(random);
      }
    }
  }

  Part part() { return {At(0), At(1), At(2), At(3), size_}; }

  // All of it, what is around the part too.
  std::span<const double> values(int array) const {
    return {arrays_[array][0].values, arrays_[array].size() * kLine};
  }

 private:
  static constexpr std::int64_t kLine = 8;
  struct alignas(64) Line {
    double values[kLine];
  };
  double* At(int array) { return arrays_[array][1].values + offset_; }

  std::int64_t size_;
  std::int64_t offset_;
  std::array<std::vector<Line>, 4> arrays_;
};

// Bits, not values: the or of two doubles may be no number.
void ExpectSameBits(const Buffers& ours, const Buffers& right, const std::string& what) {
  for (int array = 0; array < 4; ++array) {
    const std::span<const double> a = ours.values(array);
    const std::span<const double> b = right.values(array);
    for (std::size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i]))
          << what << ", array " << array << ", element " << i;
    }
  }
}

// The definition, written once more and without a compiler's cleverness.
void Reference(Kernel kernel, const Part& part) {
  for (std::int64_t i = 0; i < part.size; ++i) {
    volatile double product = 0;
    switch (kernel) {
      case Kernel::kCopy:
        part.c[i] = part.a[i];
        break;
      case Kernel::kScale:
        part.b[i] = kScalar * part.c[i];
        break;
      case Kernel::kAdd:
        part.c[i] = part.a[i] + part.b[i];
        break;
      case Kernel::kTriad:
        product = kScalar * part.c[i];  // volatile: rounded before it is added
        part.a[i] = part.b[i] + product;
        break;
    }
  }
}

template <typename Visit>
void ForSizesAndOffsets(Visit visit) {
  for (const std::int64_t size : {0, 1, 2, 7, 8, 9, 15, 16, 17, 63, 64, 65, 1000, 4099}) {
    for (std::int64_t offset = 0; offset < 8; ++offset) visit(size, offset);
  }
}

void ExpectCodeIsRight(const Code& code) {
  for (const Kernel kernel : kKernels) {
    ForSizesAndOffsets([&](std::int64_t size, std::int64_t offset) {
      Buffers ours(size, offset);
      Buffers right(size, offset);
      code[kernel](ours.part());
      Reference(kernel, right.part());
      ExpectSameBits(ours, right,
                     code.name + " " + std::string(ToString(kernel)) + ", size " +
                         std::to_string(size) + ", offset " + std::to_string(offset));
    });
  }
}

TEST(KernelTest, PlainComputesTheDefinitionAtAnySizeAndAlignment) {
  ExpectCodeIsRight(PlainCode());
}

TEST(KernelTest, EachNonTemporalCodeHasThePlainBitsAtAnySizeAndAlignment) {
  const std::vector<Code> codes = NonTemporalCodes();
  if (codes.empty()) GTEST_SKIP() << "this processor has no AVX2: there is no such code to test";
  for (const Code& code : codes) {
    EXPECT_EQ(code.store, Store::kNonTemporal);
    ExpectCodeIsRight(code);
  }
}

TEST(LimitTest, EachLimitLeavesTheOrOfItsSourcesInTheSinkAndNothingElse) {
  ASSERT_FALSE(Limits().empty());
  for (const Limit& limit : Limits()) {
    ForSizesAndOffsets([&](std::int64_t size, std::int64_t offset) {
      Buffers ours(size, offset);
      Buffers right(size, offset);
      limit.sweep(ours.part());
      const Part part = right.part();
      for (std::int64_t i = 0; i < size; ++i) {
        part.sink[i] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(part.b[i]) |
                                             std::bit_cast<std::uint64_t>(part.c[i]));
      }
      ExpectSameBits(ours, right, limit.name + ", size " + std::to_string(size));
    });
  }
}

TEST(KernelTest, BytesAreCountedAsStreamCountsThem) {
  EXPECT_EQ(CountedBytes(Kernel::kCopy), 16);
  EXPECT_EQ(CountedBytes(Kernel::kScale), 16);
  EXPECT_EQ(CountedBytes(Kernel::kAdd), 24);
  EXPECT_EQ(CountedBytes(Kernel::kTriad), 24);
}

TEST(KernelTest, OrdinaryStoresMoveOneArrayMoreThanIsCounted) {
  EXPECT_EQ(MovedBytes(Kernel::kCopy, Store::kOrdinary), 24);
  EXPECT_EQ(MovedBytes(Kernel::kTriad, Store::kOrdinary), 32);
  EXPECT_EQ(MovedBytes(Kernel::kTriad, Store::kNonTemporal), 24);
}

}  // namespace
}  // namespace stream
