// Mistakes in users' code: an error names the task of each, and nothing hangs or crashes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "taskrt/block.h"
#include "taskrt/graph.h"
#include "taskrt/runtime.h"
#include "taskrt/schedulers/ready_schedulers.h"
#include "taskrt/tests/adding.h"
#include "taskrt/tests/mixed.h"
#include "taskrt/tests/tasks_with_bodies.h"
#include "taskrt/typed.h"

namespace taskrt {
namespace {

using testing::HasSubstr;

using UserErrors = TasksWithBodies;

TEST_F(UserErrors, AnExceptionOfABodyIsItsTasksError) {
  const Kernel on_host = Kernel("throws").OnHost(
      [](auto, auto) -> absl::Status { throw std::runtime_error("of me"); });
  const Kernel on_device =
      Kernel("throws").OnSimulated([](auto, auto) -> absl::Status { throw 7; });
  runtime_->Submit(on_host, {{a_, Mode::kInOut}});
  const absl::Status first = runtime_->Wait();
  EXPECT_EQ(first.code(), absl::StatusCode::kUnknown);
  EXPECT_EQ(first.message(), "task throws(inout a): it has thrown an exception: of me");
  runtime_->Submit(on_device, {{a_, Mode::kInOut}});
  EXPECT_EQ(Message(),
            "task throws(inout a): it has thrown an exception that is no std::exception");
  runtime_->Submit(kAdd, {{a_, Mode::kInOut}});
  EXPECT_TRUE(runtime_->Wait().ok()) << "the runtime goes on";
}

TEST_F(UserErrors, ATypedBodyMayThrowOrReturnAStatus) {
  std::vector<int> values(3, 1);
  const Matrix<int> matrix = taskrt::Register(*runtime_, "values", values);
  const TypedKernel throws("throws", [](View<int>) { throw std::out_of_range("far out"); });
  const TypedKernel refuses("refuses", [](View<const int> view) noexcept {
    return view[0] == 1 ? absl::NotFoundError("there is a 1") : absl::OkStatus();
  });
  Submit(*runtime_, throws, inout(matrix));
  EXPECT_EQ(Message(), "task throws(inout values): it has thrown an exception: far out");
  Submit(*runtime_, refuses, in(matrix));
  EXPECT_EQ(Message(), "task refuses(in values): there is a 1");
}

TEST_F(UserErrors, AKernelThatNoPlaceCanRunIsNamed) {
  const Kernel for_opencl = Kernel("far").OnOpenCl({.function = "f", .source = ""});
  const Kernel for_nobody("nothing");
  runtime_->Submit(for_opencl, {{a_, Mode::kInOut}});
  const absl::Status status = runtime_->Wait();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(
      status.message(),
      "task far(inout a): no place can run its kernel, which is for OpenCL; there are the host "
      "and sim:0");
  Graph graph(*runtime_);
  graph.Submit(for_nobody, {{a_, Mode::kIn}});
  EXPECT_THAT(std::string(graph.Run().message()), HasSubstr("which is for nothing"));
  EXPECT_THAT(Message(), HasSubstr("task nothing(in a)"));
}

TEST_F(UserErrors, AKernelThatNoPlaceCanRunHasNoPlan) {
  RuntimeOptions options;
  options.only_plans = true;
  const auto runtime = *Runtime::Create(std::move(options));
  std::vector<int> values(5, 1);
  const Kernel for_opencl = Kernel("far").OnOpenCl({.function = "f", .source = ""});
  runtime->Submit(for_opencl, {{runtime->Register("values", TileOf(values)), Mode::kIn}});
  EXPECT_THAT(std::string(runtime->Plan().status().message()),
              HasSubstr("task far(in values): no place can run its kernel"));
}

// Two blocks, with tasks that have nothing to do with each other: the first task has failed.
class ErrorsOfTasks : public testing::Test {
 protected:
  void Start(bool stops_at_errors) {
    RuntimeOptions options;
    options.pool.workers = 2;
    options.stops_at_errors = stops_at_errors;
    runtime_ = *Runtime::Create(std::move(options));
    bad_ = Block<int>(*runtime_, "bad", 1, 1);
    good_ = Block<int>(*runtime_, "good", 1, 1);
    const TypedKernel fails("fails", [](View<int>) { return absl::DataLossError("on purpose"); });
    EXPECT_EQ(Submit(*runtime_, fails, inout(bad_)).Wait().message(), kError);
  }
  absl::Status Add(const Block<int>& block) {
    const TypedKernel adds("adds", [](View<int> value) { value[0] += 1; });
    return Submit(*runtime_, adds, inout(block)).Wait();
  }

  static constexpr const char* kError = "task fails(inout bad): on purpose";
  static constexpr const char* kLeftOut =
      "the task was left out, after task fails(inout bad): on purpose";
  std::unique_ptr<Runtime> runtime_;
  Block<int> bad_, good_;
};

TEST_F(ErrorsOfTasks, LeaveOutAllThatFollowsUntilAWait) {
  Start(true);
  EXPECT_EQ(Add(good_).message(), kLeftOut);
  EXPECT_EQ(good_.Read().status().message(), kError);
  EXPECT_EQ(runtime_->Wait().message(), kError);
  EXPECT_TRUE(Add(good_).ok());
}

TEST_F(ErrorsOfTasks, LeaveOutThoseThatReadTheirValuesAloneWhereThatIsAskedFor) {
  Start(false);
  EXPECT_TRUE(Add(good_).ok());
  EXPECT_EQ((*good_.Read())[0], 1);
  EXPECT_EQ(Add(bad_).message(), kLeftOut);
  EXPECT_EQ(Add(bad_).message(), kLeftOut);
  EXPECT_EQ(bad_.Read().status().message(),
            "a task that was to write block bad was left out or has failed");
  // A task that makes another value ends it.
  const TypedKernel makes("makes", [](View<int> value) { value[0] = 7; });
  EXPECT_TRUE(Submit(*runtime_, makes, out(bad_)).Wait().ok());
  EXPECT_TRUE(Add(bad_).ok());
  EXPECT_EQ((*bad_.Read())[0], 8);
  EXPECT_EQ(runtime_->Wait().message(), kError);
  EXPECT_TRUE(runtime_->Wait().ok());
}

TEST(UserErrorsDeathTest, ABlockOfAnotherRuntimeIsNamed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  constexpr const char* kSentence =
      "a block is used by the runtime that it was registered with, and block foreign by another";
  const auto with_foreign = [](auto use) {
    const auto one = MakeRuntime({}), two = MakeRuntime({});
    std::vector<int> values(5, 1);
    use(*one, two->Register("foreign", TileOf(values)));
  };
  EXPECT_DEATH(with_foreign([](Runtime& one, Handle foreign) {
                 one.Submit(kAdd, {{foreign, Mode::kInOut}});
               }),
               kSentence);
  EXPECT_DEATH(with_foreign([](Runtime& one, Handle foreign) { (void)one.WaitOn(foreign); }),
               kSentence);
  EXPECT_DEATH(with_foreign([](Runtime& one, Handle foreign) { (void)one.Divide(foreign, 1, 4); }),
               kSentence);
  EXPECT_DEATH(with_foreign([](Runtime& one, Handle foreign) { one.Prefetch(foreign, kHost); }),
               kSentence);
  EXPECT_DEATH(with_foreign([](Runtime& one, Handle foreign) { (void)one.Unregister(foreign); }),
               kSentence);
  EXPECT_DEATH(with_foreign([](Runtime& one, Handle foreign) {
                 Graph graph(one);
                 graph.Submit(kAdd, {{foreign, Mode::kInOut}});
                 (void)graph.Run();
               }),
               kSentence);
}

// Submit would keep no copy of it.
static_assert(std::is_same_v<decltype(Kernel("temporary").OnHost({}).Flops(1).Units(2)), Kernel&&>);

TEST(UserErrorsDeathTest, ARuntimeThatATaskDestroysIsNamed) {
  EXPECT_DEATH(
      {
        auto runtime = MakeRuntime({});
        runtime->Run([&](Runtime&) { runtime.reset(); });
      },
      "a runtime is destroyed outside of its pool");
}

// As a static object's destructor deletes a runtime while the process exits.
TEST(ExitOfAProcess, InATaskOrWhileTasksRunKeepsItsCode) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  constexpr unsigned kMostSeconds = 60;
  const auto start = [](const Kernel& kernel) -> Runtime& {
    alarm(kMostSeconds);
    static const std::unique_ptr<Runtime> runtime = MakeRuntime({}, std::make_unique<RoundRobin>());
    static std::vector<int> values(5, 1);
    runtime->Submit(kernel, {{runtime->Register("values", TileOf(values)), Mode::kInOut}});
    return *runtime;
  };
  static const Kernel exits =
      Kernel("exits").OnHost([](auto, auto) -> absl::Status { std::exit(3); });
  EXPECT_EXIT((void)start(exits).Wait(), testing::ExitedWithCode(3), "");
  const auto exit_while_waiting = [&] {
    static lwt::Event has_begun;
    static const Kernel runs = Kernel("runs").OnHost([](auto, auto) -> absl::Status {
      has_begun.Set();
      while (true) lwt::Yield();
    });
    Runtime& runtime = start(runs);
    static std::atomic<bool> is_called{false};
    std::thread([&] {
      is_called = true;
      (void)runtime.Wait();
    }).detach();
    has_begun.Wait();
    // Without a call that goes on, the destructor would wait for the task: until alarm ends it.
    while (!is_called.load()) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::exit(4);
  };
  EXPECT_EXIT(exit_while_waiting(), testing::ExitedWithCode(4), "");
}

class BrokenScheduler : public Scheduler {
 public:
  explicit BrokenScheduler(Place place) : place_(place) {}
  Place PlaceFor(TaskView, std::span<const Place>) override {
    if (place_ == 7) throw std::runtime_error("no idea");
    return place_;
  }
  void Add(TaskView, std::span<const Place>) override { throw std::runtime_error("no room"); }

 private:
  const Place place_;
};

TEST(UserErrorsDeathTest, ASchedulerThatThrowsOrChoosesAPlaceThatIsNoneIsNamed) {
  const auto submit = [](Place place) {
    const auto runtime = MakeRuntime({}, std::make_unique<BrokenScheduler>(place));
    std::vector<int> values(5, 1);
    runtime->Submit(kAdd, {{runtime->Register("values", TileOf(values)), Mode::kIn}});
    (void)runtime->Wait();
  };
  EXPECT_DEATH(submit(7), "a scheduler throws nothing, but PlaceFor has: no idea");
  EXPECT_DEATH(submit(kWhenReady), "a scheduler throws nothing, but Add has: no room");
  EXPECT_DEATH(submit(3), "not place 3 for task add\\(in values\\)");
}

}  // namespace
}  // namespace taskrt
