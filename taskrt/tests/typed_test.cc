// Tasks as functions of typed views.
#include "taskrt/typed.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <vector>

#include "taskrt/graph.h"
#include "taskrt/tests/on_devices.h"

namespace taskrt {
namespace {

TEST(Typed, ABodySeesViewsOfItsBlocksAndItsScalars) {
  const auto runtime = MakeRuntime(0);
  std::vector<float> a = {1, 2, 3, 4, 5, 6, 7, 8}, b(8, 10), c(2);
  const Matrix<float> right = Register(*runtime, "right", a.data() + 2, 2, 2, 4);
  const Matrix<float> all = Register(*runtime, "all", b);
  const Matrix<float> sums = Register(*runtime, "sums", c);
  const TypedKernel kernel("sum", [](View<const float> part, View<float> whole, View<float> result,
                                     int scale, double more) {
    EXPECT_EQ(part.rows(), 2u);
    EXPECT_EQ(part.columns(), 2u);
    result[0] = static_cast<float>(scale) * (part(0, 0) + part(0, 1) + part(1, 0) + part(1, 1));
    result[1] = static_cast<float>(more);
    for (float& element : whole.row(0)) element += 1;
  });
  Submit(*runtime, kernel, in(right), inout(all), out(sums), 2, 0.5);
  ASSERT_TRUE(runtime->Wait().ok());
  EXPECT_EQ(c, (std::vector<float>{2 * (3 + 4 + 7 + 8), 0.5}));
  EXPECT_EQ(b, std::vector<float>(8, 11));
}

// A kernel that is gone before its tasks have ended gave wrong sums without a word.
template <typename K>
concept CanBeSubmitted = requires(Runtime& runtime, Graph& graph, K&& kernel) {
  runtime.Submit(std::forward<K>(kernel), {});
  runtime.Submit(std::forward<K>(kernel), std::span<const Access>());
  graph.Submit(std::forward<K>(kernel), {});
};
static_assert(CanBeSubmitted<Kernel&> && CanBeSubmitted<const Kernel&>);
static_assert(!CanBeSubmitted<Kernel> && !CanBeSubmitted<const Kernel>);

template <typename K>
concept CanBeSubmittedTyped = requires(Runtime& runtime, K&& kernel, TypedAccess<int> access) {
  Submit(runtime, std::forward<K>(kernel), access);
};
using OfInts = TypedKernel<std::tuple<View<int>>>;
static_assert(CanBeSubmittedTyped<OfInts&> && CanBeSubmittedTyped<const OfInts&>);
static_assert(!CanBeSubmittedTyped<OfInts> && !CanBeSubmittedTyped<const OfInts>);

long TimesOf(View<const long> value, long factor) { return value[0] * factor; }
void Double(View<long> value) noexcept { value[0] *= 2; }

TEST(Typed, ABodyMayBeAFunction) {
  const auto runtime = *Runtime::Create({});
  Block<long> block(*runtime, "block", 1, 1);
  (*block.Write())[0] = 3;
  const TypedKernel doubles("doubles", Double);
  const TypedKernel times("times", &TimesOf);
  Submit(*runtime, doubles, inout(block));
  EXPECT_EQ(*Submit(*runtime, times, in(block), 7L).Get(), 42);
}

TEST(Typed, AKernelMayHaveABodyForDevicesToo) {
  const auto runtime = MakeRuntime(1);
  std::vector<int> values = {1, 2, 3};
  const Matrix<int> matrix = Register(*runtime, "values", values);
  TypedKernel kernel("double", [](View<int>) { ADD_FAILURE() << "the host ran it"; });
  kernel.kernel().OnSimulated([](std::span<const Tile> tiles, auto) {
    const View<int> view(tiles[0]);
    for (std::size_t i = 0; i < view.size(); ++i) view[i] *= 2;
    return absl::OkStatus();
  });
  Submit(*runtime, kernel, inout(matrix));
  ASSERT_TRUE(runtime->Wait().ok());
  EXPECT_EQ(values, (std::vector<int>{2, 4, 6}));
  EXPECT_EQ(runtime->counts().tasks_on_devices, 1u);
}

TEST(Typed, SumsByReductionsAndInAnyOrderLoseNothing) {
  const auto runtime = MakeRuntime(0);
  std::vector<long> sum(1);
  const Matrix<long> total = Register(*runtime, "total", sum);
  const TypedKernel add("add", [](View<long> to, long number) { to[0] += number; });
  const TypedKernel zero("zero", [](View<long> part) { part[0] = 0; });
  const TypedKernel combine("combine",
                            [](View<long> to, View<const long> part) { to[0] += part[0]; });
  SetReduction(*runtime, total, zero, combine);
  for (long i = 1; i <= 100; ++i) {
    if (i % 2 == 0) {
      Submit(*runtime, add, reduction(total), i);
    } else {
      Submit(*runtime, add, commutative(total), i);
    }
  }
  ASSERT_TRUE(runtime->Wait().ok());
  EXPECT_EQ(sum[0], 5050);
}

// What is only read is const; the compiler says so.
template <typename Access, typename Parameter>
concept Fits = std::is_same_v<typename typed::ParameterOf<Access>::Type, Parameter>;
static_assert(Fits<decltype(in(Matrix<int>())), View<const int>>);
static_assert(!Fits<decltype(in(Matrix<int>())), View<int>>);
static_assert(Fits<decltype(inout(Matrix<int>())), View<int>>);
static_assert(!Fits<decltype(out(Matrix<int>())), View<float>>);

// 40 blocks, commutative ones among them, and 200 bytes of scalars: more than a task has room for
// in itself. Its memory is used again by tasks of fewer.
TEST(Typed, ATaskHasAnyNumberOfBlocksAndScalars) {
  struct Many {
    int of[50];
  };
  for (const int devices : {0, 1}) {
    const auto runtime = MakeRuntime(devices);
    const auto body = [](std::span<const Tile> tiles, std::span<const std::byte> scalars) {
      Many many;
      EXPECT_EQ(scalars.size(), sizeof(many));
      std::memcpy(&many, scalars.data(), sizeof(many));
      for (std::size_t i = 1; i < tiles.size(); ++i)
        View<int>(tiles[0])[0] += View<int>(tiles[i])[0];
      View<int>(tiles[0])[0] += many.of[49];
      return absl::OkStatus();
    };
    Kernel sums("sums");
    devices == 0 ? sums.OnHost(body) : sums.OnSimulated(body);
    const TypedKernel sets("sets", [](View<int> value, int to) { value[0] = to; });
    std::vector<Block<int>> blocks;
    for (int i = 0; i < 40; ++i) blocks.emplace_back(*runtime, "block", 1, 1);
    Many many = {};
    many.of[49] = 1000;
    for (int round = 0; round < 20; ++round) {
      std::vector<Access> accesses = {{blocks[0].handle, Mode::kInOut}};
      for (std::size_t i = 1; i < 40; ++i) {
        Submit(*runtime, sets, out(blocks[i]), static_cast<int>(i));
        accesses.push_back({blocks[i].handle, i % 7 == 0 ? Mode::kCommutative : Mode::kIn});
      }
      runtime->Submit(sums, accesses, std::as_bytes(std::span(&many, 1)));
    }
    ASSERT_TRUE(runtime->Wait().ok());
    EXPECT_EQ((*blocks[0].Read())[0], 20 * (39 * 40 / 2 + 1000));
  }
}

}  // namespace
}  // namespace taskrt
