// Which of the host's ready tasks come first.
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "lwt/event.h"
#include "taskrt/runtime.h"
#include "taskrt/sim/device.h"

namespace taskrt {
namespace {

// Tasks of the host wait for a worker where there are devices, and where the options say so.
enum class Waits { kForDevices, kByOption, kNot };

std::unique_ptr<Runtime> OnOneWorker(Waits waits = Waits::kForDevices) {
  RuntimeOptions options;
  options.pool.workers = 1;
  options.pool.simulation = lwt::SimulationOptions{};
  options.host_priorities = waits == Waits::kByOption;
  if (waits == Waits::kForDevices) {
    options.devices.push_back(std::make_unique<SimulatedDevice>(SimulatedDeviceOptions{}));
  }
  auto runtime = Runtime::Create(std::move(options));
  EXPECT_TRUE(runtime.ok()) << runtime.status();
  return *std::move(runtime);
}

struct Block {
  std::vector<std::byte> memory = std::vector<std::byte>(64);
  Tile tile() { return {memory.data(), 1, memory.size(), memory.size()}; }
};

// The priorities of tasks in the order in which one worker began them, where all can begin when a
// first task has ended.
std::vector<int> OrderOf(const std::vector<int>& priorities, Waits waits = Waits::kForDevices) {
  const auto runtime = OnOneWorker(waits);
  std::vector<int> order;
  lwt::Event are_all_there;
  const Kernel opens = Kernel("opens").OnHost([&](auto, auto) {
    are_all_there.Wait();
    return absl::OkStatus();
  });
  const Kernel notes = Kernel("notes").OnHost([&](auto, std::span<const std::byte> scalars) {
    order.push_back(static_cast<int>(scalars[0]));
    return absl::OkStatus();
  });
  Block block;
  const Handle gate = runtime->Register("gate", block.tile());
  const absl::Status done = runtime->Run([&](Runtime& rt) {
    rt.Submit(opens, {{gate, Mode::kOut}}, {}, {.priority = 1});
    for (const int priority : priorities) {
      const auto scalar = static_cast<std::byte>(priority);
      rt.Submit(notes, {{gate, Mode::kIn}}, {&scalar, 1}, {.priority = priority});
    }
    are_all_there.Set();
    return rt.Wait();
  });
  EXPECT_TRUE(done.ok()) << done;
  return order;
}

TEST(Priority, OrdersTheHostsTasksWithoutDevicesWhereItIsAskedFor) {
  const std::vector<int> descending = {9, 7, 5, 3, 1};
  EXPECT_EQ(OrderOf({3, 9, 1, 7, 5}, Waits::kByOption), descending);
  EXPECT_NE(OrderOf({3, 9, 1, 7, 5}, Waits::kNot), descending);
}

TEST(Priority, OfAllThatCanBeginAtOnceTheHighestComesFirst) {
  EXPECT_EQ(OrderOf({3, 9, 1, 7, 5}), (std::vector<int>{9, 7, 5, 3, 1}));
  EXPECT_EQ(OrderOf({1, 2, 3, 4, 5, 6}), (std::vector<int>{6, 5, 4, 3, 2, 1}));
}

// The task with a priority has the only worker's slot, and waits for one that needs none.
TEST(Priority, ATaskWithoutOneWaitsForNoWorker) {
  const auto runtime = OnOneWorker();
  lwt::Event is_there;
  const Kernel waits = Kernel("waits").OnHost([&](auto, auto) {
    is_there.Wait();
    return absl::OkStatus();
  });
  const Kernel sets = Kernel("sets").OnHost([&](auto, auto) {
    is_there.Set();
    return absl::OkStatus();
  });
  Block first, second;
  const Handle a = runtime->Register("a", first.tile()), b = runtime->Register("b", second.tile());
  const absl::Status done = runtime->Run([&](Runtime& rt) {
    rt.Submit(waits, {{a, Mode::kInOut}}, {}, {.priority = 5});
    rt.Submit(sets, {{b, Mode::kInOut}});
    return rt.Wait();
  });
  EXPECT_TRUE(done.ok()) << done;
}

// A task that waits for tasks of its own leaves its worker to them.
TEST(Priority, TasksOfATaskGetItsWorker) {
  const auto runtime = OnOneWorker();
  Block first, second;
  const Handle a = runtime->Register("a", first.tile()), b = runtime->Register("b", second.tile());
  int ran = 0;
  const Kernel counts = Kernel("counts").OnHost([&](auto, auto) {
    ++ran;
    return absl::OkStatus();
  });
  const Kernel asks = Kernel("asks").OnHost([&](auto, auto) {
    runtime->Submit(counts, {{b, Mode::kInOut}}, {}, {.priority = 9});
    return runtime->WaitOn(b);
  });
  const absl::Status done = runtime->Run([&](Runtime& rt) {
    rt.Submit(asks, {{a, Mode::kInOut}}, {}, {.priority = 9});
    return rt.Wait();
  });
  EXPECT_TRUE(done.ok()) << done;
  EXPECT_EQ(ran, 1);
}

// Of as many tasks as there are workers, each waits for another, which needs its room.
TEST(Priority, ATaskThatWaitsByAnEventLeavesItsRoom) {
  const auto runtime = OnOneWorker();
  int runs = 0;
  const Kernel waits = Kernel("waits").OnHost([&](auto, auto) {
    const Kernel runs_inside = Kernel("runs").OnHost([&](auto, auto) {
      ++runs;
      return absl::OkStatus();
    });
    lwt::Event ended;
    runtime->Submit(runs_inside, {}, {}, {.priority = 1, .ended = &ended});
    runtime->WaitBy([&] { ended.Wait(); });
    ++runs;
    return absl::OkStatus();
  });
  const absl::Status done = runtime->Run([&](Runtime& rt) {
    rt.Submit(waits, {}, {}, {.priority = 2});
    return rt.Wait();
  });
  EXPECT_TRUE(done.ok()) << done;
  EXPECT_EQ(runs, 2);
}

}  // namespace
}  // namespace taskrt
