// Random programs on OpenCL's devices and the host, by wholes and by parts, some of whose tasks are
// cancelled: they leave what those tasks that ran leave on plain memory, one after the other.
//
// VICINITY_RANDOM_PROGRAMS, VICINITY_RANDOM_SEED: tools/random/seeds.h.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "lwt/event.h"
#include "taskrt/opencl/device.h"
#include "taskrt/parts.h"
#include "taskrt/runtime.h"
#include "taskrt/typed.h"
#include "tools/random/seeds.h"

namespace taskrt {
namespace {

using Word = std::uint32_t;
constexpr std::size_t kRows = 4, kColumns = 6, kStride = 9, kBlocks = 4;
constexpr int kDevices = 2;

constexpr char kSource[] = R"(
  __kernel void sets(__global uint* c, uint salt) {
    const uint i = get_global_id(0);
    c[i] = salt * (i + 1);
  }
  __kernel void changes(__global uint* c, uint salt) { c[get_global_id(0)] = c[get_global_id(0)] * 33 + salt; }
  __kernel void mixes(__global const uint* a, __global uint* c, uint salt) {
    const uint i = get_global_id(0);
    c[i] = c[i] * 31 + a[i] + salt;
  })";

enum class Kind { kSets, kChanges, kMixes };

void Compute(Kind kind, std::span<const Tile> tiles, Word salt) {
  const View<Word> c(tiles.back());
  const View<const Word> a(tiles.front());
  Word i = 0;
  for (std::size_t row = 0; row < c.rows(); ++row) {
    for (std::size_t column = 0; column < c.columns(); ++column) {
      Word& element = c(row, column);
      ++i;
      element = kind == Kind::kSets      ? salt * i
                : kind == Kind::kChanges ? element * 33 + salt
                                         : element * 31 + a(row, column) + salt;
    }
  }
}

// Of so many elements: OpenCL's kernels have as many work items.
Kernel MakeKernel(Kind kind, std::size_t elements) {
  constexpr const char* kNames[] = {"sets", "changes", "mixes"};
  const std::string name = kNames[static_cast<int>(kind)];
  Kernel kernel(name);
  kernel.OnHost([kind](std::span<const Tile> tiles, std::span<const std::byte> scalars) {
    Word salt = 0;
    std::memcpy(&salt, scalars.data(), sizeof(salt));
    Compute(kind, tiles, salt);
    return absl::OkStatus();
  });
  return kernel.OnOpenCl(
      {.function = name, .source = kSource, .global = {elements}, .scalar_bytes = {sizeof(Word)}});
}

// The whole, two halves by rows, and two by columns.
constexpr int kViews = 5;
Tile ViewOf(const Tile& whole, int view) {
  Tile tile = whole;
  if (view == 1 || view == 2) {
    tile.rows = kRows / 2;
    tile.data += view == 2 ? kRows / 2 * whole.stride : 0;
  } else if (view >= 3) {
    tile.row_bytes = whole.row_bytes / 2;
    tile.data += view == 4 ? tile.row_bytes : 0;
  }
  return tile;
}

class Program {
 public:
  explicit Program(std::uint64_t seed) : random_(seed) {
    RuntimeOptions options;
    options.pool.workers = 2;
    options.devices = *OpenClDevices(kDevices);
    options.mover.across = Draw(2) == 0 ? Across::kCopy : Across::kStaged;
    runtime_ = *Runtime::Create(std::move(options));
    for (std::size_t i = 0; i < kBlocks; ++i) {
      for (Word& word : memory_[i]) word = static_cast<Word>(random_());
      twin_[i] = memory_[i];
      Block<Word>& block = blocks_.emplace_back(*runtime_, "block" + std::to_string(i),
                                                memory_[i].data(), kRows, kColumns, kStride);
      const Parts<Word> rows = DivideRows(*runtime_, block, kRows / 2);
      const Parts<Word> columns = DivideColumns(*runtime_, block, kColumns / 2);
      views_[i] = {block, rows[0], rows[1], columns[0], columns[1]};
    }
  }

  void Run() {
    for (int batch = 0; batch < 12; ++batch) {
      const bool cancels = Draw(3) == 0;
      lwt::Event open;
      const TypedKernel waits("waits", [&](View<Word>) { open.Wait(); });
      Block<Word> gate(*runtime_, "gate", 1, 1);
      // The first task of a batch that is cancelled in part waits until that was asked for.
      const Completion held[] = {Submit(*runtime_, waits, out(gate))};
      if (!cancels) open.Set();
      std::vector<One> all(1 + Draw(25));
      for (One& one : all) Submit1(one, held);
      if (cancels) {
        for (const One& one : all) {
          if (Draw(8) == 0) one.completion.Cancel();
        }
        open.Set();
      }
      if (Draw(2) == 0) Wait1(all[Draw(all.size())].block);
      const absl::Status status = runtime_->Wait();
      ASSERT_TRUE(status.ok() || (cancels && absl::IsCancelled(status))) << status;
      for (const One& one : all) {
        const absl::Status outcome = one.completion.Wait();
        ASSERT_TRUE(outcome.ok() || (cancels && absl::IsCancelled(outcome))) << outcome;
        if (outcome.ok()) ComputeAlone(one);
      }
      for (std::size_t i = 0; i < kBlocks; ++i) ASSERT_EQ(memory_[i], twin_[i]) << "block " << i;
    }
  }

 private:
  struct One {
    Kind kind = Kind::kSets;
    std::size_t block = 0, other = 0;
    int view = 0;
    Word salt = 0;
    Completion completion;
  };
  using Memory = std::array<Word, kRows * kStride>;

  std::size_t Draw(std::size_t most) { return random_() % most; }
  Tile TwinOf(std::size_t block) { return TileOf(twin_[block].data(), kRows, kColumns, kStride); }

  void Submit1(One& one, std::span<const Completion> after) {
    one.kind = static_cast<Kind>(Draw(3));
    one.block = Draw(kBlocks);
    one.other = (one.block + 1 + Draw(kBlocks - 1)) % kBlocks;
    one.view = static_cast<int>(Draw(kViews));
    one.salt = static_cast<Word>(random_());
    const auto view = static_cast<std::size_t>(one.view);
    const Mode mode = one.kind == Kind::kSets ? Mode::kOut : Mode::kInOut;
    std::vector<Access> accesses = {{views_[one.block][view].handle, mode}};
    if (one.kind == Kind::kMixes) {
      accesses.insert(accesses.begin(), {views_[one.other][view].handle, Mode::kIn});
    }
    const Kernel& kernel = kernels_[static_cast<std::size_t>(one.kind)][view == 0 ? 0 : 1];
    one.completion =
        runtime_->Submit(kernel, accesses, std::as_bytes(std::span(&one.salt, 1)),
                         {.place = static_cast<Place>(Draw(kDevices + 1)), .after = after});
  }
  void Wait1(std::size_t block) {
    const absl::Status status = runtime_->WaitOn(views_[block][Draw(kViews)].handle);
    ASSERT_TRUE(status.ok() || absl::IsCancelled(status)) << status;
  }
  void ComputeAlone(const One& one) {
    const Tile c = ViewOf(TwinOf(one.block), one.view), a = ViewOf(TwinOf(one.other), one.view);
    const Tile tiles[] = {a, c};
    Compute(one.kind, std::span(tiles).last(one.kind == Kind::kMixes ? 2 : 1), one.salt);
  }

  std::mt19937_64 random_;
  const std::array<std::array<Kernel, 2>, 3> kernels_ = [] {
    constexpr std::size_t kAll = kRows * kColumns;
    const auto both = [](Kind kind) {
      return std::array<Kernel, 2>{MakeKernel(kind, kAll), MakeKernel(kind, kAll / 2)};
    };
    return std::array<std::array<Kernel, 2>, 3>{both(Kind::kSets), both(Kind::kChanges),
                                                both(Kind::kMixes)};
  }();
  std::array<Memory, kBlocks> memory_, twin_;
  std::unique_ptr<Runtime> runtime_;
  std::deque<Block<Word>> blocks_;
  std::array<std::array<Matrix<Word>, kViews>, kBlocks> views_;
};

TEST(RandomOpenCl, ProgramsLeaveWhatTheirTasksLeave) {
  // Before the library is loaded. Two devices with a thread each.
  setenv("POCL_CACHE_DIR", testing::TempDir().c_str(), 1);
  setenv("POCL_DEVICES", "pthread pthread", 1);
  setenv("POCL_MAX_PTHREAD_COUNT", "1", 1);
  if (const auto devices = OpenClDevices(kDevices); !devices.ok()) {
    GTEST_SKIP() << devices.status().message();
  } else if (devices->size() < kDevices) {
    GTEST_SKIP() << "OpenCL has one device here";
  }
  const std::uint64_t first = random_programs::FirstSeed();
  for (std::uint64_t i = 0; i < random_programs::Programs(15) && !HasFatalFailure(); ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << first + i);
    Program(first + i).Run();
  }
}

}  // namespace
}  // namespace taskrt
