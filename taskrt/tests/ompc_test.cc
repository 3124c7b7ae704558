// The C interface: pointers for blocks, on simulated devices, whose memory is their own.
#include "taskrt/ompc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "taskrt/ompc/omp_calls.h"

namespace {

using testing::HasSubstr;

void* Scalar(int value) {
  void* arg = nullptr;
  std::memcpy(&arg, &value, sizeof value);
  return arg;
}

// add(values, count, number)
void Add(void** args) {
  int* const values = static_cast<int*>(args[0]);
  int count = 0, number = 0;
  std::memcpy(&count, &args[1], sizeof count);
  std::memcpy(&number, &args[2], sizeof number);
  for (int i = 0; i < count; ++i) values[i] += number;
}
// copy(from, to, count)
void Copy(void** args) {
  int count = 0;
  std::memcpy(&count, &args[2], sizeof count);
  std::memcpy(args[1], args[0], static_cast<std::size_t>(count) * sizeof(int));
}

class Ompc : public testing::Test {
 protected:
  Ompc() {
    ompc_options options = {};
    options.devices = "sim:2";
    options.workers = 2;
    options.device_bytes = 100 * sizeof(int);
    EXPECT_EQ(ompc_init(&options), 0) << ompc_error();
    add_ = Kernel("add", Add);
    copy_ = Kernel("copy", Copy);
    queue_ = ompc_target_create_queue();
  }
  ~Ompc() override { EXPECT_EQ(ompc_finish(), 0) << ompc_error(); }

  static void* Kernel(const char* name, ompc_function function) {
    ompc_kernel kernel = {};
    kernel.name = name;
    kernel.function = function;
    EXPECT_EQ(ompc_target_register(&kernel), 0) << ompc_error();
    return ompc_target_get_kernel(name);
  }

  // Adds to `count` numbers on a device; all are mapped both ways.
  int AddOnDevice(int* values, int count, int number, bool is_async = true) {
    void* args[] = {values, Scalar(count), Scalar(number)};
    void* map = make_map_desc(values, 0, static_cast<std::size_t>(count) * sizeof(int), OMPC_BOTH);
    return tasklet_target_create(add_, queue_, 3, args, 0, nullptr, 1, args, 1, &map,
                                 is_async ? 1 : 0);
  }
  static int AddOnHost(int* values, int count, int number) {
    void* args[] = {values, Scalar(count), Scalar(number)};
    return tasklet_create(Add, 3, args, 0, nullptr, 1, args);
  }
  static ompc_counts Counts() {
    ompc_counts counts = {};
    EXPECT_EQ(ompc_get_counts(&counts), 0);
    return counts;
  }

  void *add_ = nullptr, *copy_ = nullptr;
  int queue_ = -1;
};

TEST_F(Ompc, TasksOnTheHostAndOnDevicesFollowEachOthersValues) {
  std::vector<int> values(10, 0);
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(AddOnDevice(values.data(), 10, 1), 0);
    EXPECT_EQ(AddOnHost(values.data(), 10, 10), 0);
  }
  EXPECT_EQ(tasklet_wait_all(), 0) << ompc_error();
  EXPECT_EQ(values, std::vector<int>(10, 66));
  EXPECT_EQ(Counts().host_to_device, 6u);
  EXPECT_EQ(Counts().device_to_host, 6u);
}

TEST_F(Ompc, AnArgumentThatOnlyComesBackIsNotCopiedToTheDevice) {
  std::vector<int> from(10, 7), to(10, 0);
  void* args[] = {from.data(), to.data(), Scalar(10)};
  void* maps[] = {make_map_desc(from.data(), 0, 40, 0), make_map_desc(to.data(), 0, 40, 1)};
  EXPECT_EQ(tasklet_target_create(copy_, queue_, 3, args, 1, &args[0], 1, &args[1], 2, maps, 1), 0);
  EXPECT_EQ(tasklet_wait_all(), 0) << ompc_error();
  EXPECT_EQ(to, from);
  EXPECT_EQ(Counts().host_to_device, 1u);
  EXPECT_EQ(Counts().device_to_host, 1u);
}

TEST_F(Ompc, WhereOnlyAPartComesBackTheRestOfTheBlockIsKept) {
  std::vector<int> values = {1, 2, 3, 4}, from(2, 9);
  ASSERT_EQ(ompc_target_map(values.data(), 16), 0);
  void* args[] = {from.data(), &values[1], Scalar(2)};
  void* maps[] = {make_map_desc(from.data(), 0, 8, 0), make_map_desc(values.data(), 4, 8, 1)};
  EXPECT_EQ(tasklet_target_create(copy_, queue_, 3, args, 0, nullptr, 0, nullptr, 2, maps, 1), 0);
  EXPECT_EQ(tasklet_wait_all(), 0) << ompc_error();
  EXPECT_EQ(values, (std::vector<int>{1, 9, 9, 4}));
}

TEST_F(Ompc, AMapsHostPointerIsAnArgumentEvenWhereItsPartBeginsLater) {
  std::vector<int> values = {1, 2, 3, 4}, to(3, 0);
  // copy(values - of which only the last three are mapped -, ...) reads from values[0] on.
  void* args[] = {values.data(), to.data(), Scalar(3)};
  const auto tail = [](void** its) {
    const int* const all = static_cast<int*>(its[0]);
    std::memcpy(its[1], all + 1, 12);
  };
  void* maps[] = {make_map_desc(values.data(), 4, 12, 0), make_map_desc(to.data(), 0, 12, 1)};
  void* const kernel = Kernel("tail", tail);
  EXPECT_EQ(tasklet_target_create(kernel, queue_, 3, args, 1, args, 1, &args[1], 2, maps, 1), 0);
  EXPECT_EQ(tasklet_wait_all(), 0) << ompc_error();
  EXPECT_EQ(to, (std::vector<int>{2, 3, 4}));
}

TEST_F(Ompc, DependenciesOfUnknownSizeOrderTasksAndTheirMapsMayComeLater) {
  std::vector<int> values(10, 0);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(AddOnHost(values.data(), 10, 1), 0);
    EXPECT_EQ(AddOnHost(values.data(), 5, 1), 0);
  }
  EXPECT_EQ(AddOnDevice(values.data(), 10, 100), 0) << ompc_error();
  EXPECT_EQ(AddOnHost(values.data(), 10, 1), 0);
  EXPECT_EQ(tasklet_wait_all(), 0) << ompc_error();
  EXPECT_EQ(values, (std::vector<int>{141, 141, 141, 141, 141, 121, 121, 121, 121, 121}));
  EXPECT_EQ(Counts().host_to_device, 1u);
}

TEST_F(Ompc, ABlockThatADeviceHasGrows) {
  std::vector<int> values(10, 0);
  for (int count = 1; count <= 10; ++count) {
    EXPECT_EQ(AddOnDevice(values.data(), count, 1), 0) << ompc_error();
  }
  EXPECT_EQ(tasklet_wait_all(), 0) << ompc_error();
  EXPECT_EQ(values, (std::vector<int>{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}));
}

TEST_F(Ompc, MemoryThatIsUsedAgainAfterUnmapHasNothingStale) {
  for (int round = 0; round < 5; ++round) {
    int values[10];  // The same place of the stack each time.
    for (int& value : values) value = round * 10;
    EXPECT_EQ(AddOnDevice(values, 10, 1), 0);
    EXPECT_EQ(ompc_target_unmap(values), 0) << ompc_error();
    for (const int value : values) EXPECT_EQ(value, round * 10 + 1);
  }
  int other = 0;
  EXPECT_EQ(ompc_target_unmap(&other), 0) << "there was none";
}

TEST_F(Ompc, ARegionsEndForgetsMemoryThatHasNoExplicitMap) {
  std::vector<int> kept(10, 0), others(10, 0);
  ASSERT_EQ(ompc_target_map(kept.data(), 40), 0);
  EXPECT_EQ(AddOnDevice(kept.data(), 10, 1), 0);
  EXPECT_EQ(AddOnDevice(others.data(), 10, 1), 0);
  EXPECT_EQ(ompc_target_end_region(), 0) << ompc_error();
  EXPECT_EQ(kept, others);
  void* const all_of_kept = make_map_desc(kept.data(), 0, 0, 2);
  void* const all_of_others = make_map_desc(others.data(), 0, 0, 2);
  void* args[] = {kept.data(), Scalar(1), Scalar(1)};
  EXPECT_EQ(
      tasklet_target_create(add_, queue_, 3, args, 0, nullptr, 0, nullptr, 1, &all_of_kept, 1), 0);
  args[0] = others.data();
  EXPECT_NE(
      tasklet_target_create(add_, queue_, 3, args, 0, nullptr, 0, nullptr, 1, &all_of_others, 1),
      0);
  EXPECT_THAT(ompc_error(), HasSubstr("whose size was not told"));
  EXPECT_NE(tasklet_wait_all(), 0) << "it is told again";
  EXPECT_EQ(tasklet_wait_all(), 0);
}

TEST_F(Ompc, ACallThatIsNotAsynchronousReturnsWhenItsTaskHasEnded) {
  static int value;
  value = 0;
  EXPECT_EQ(AddOnDevice(&value, 1, 1, false), 0);
  EXPECT_EQ(Counts().tasks_on_devices, 1u);
  EXPECT_EQ(tasklet_wait_on(&value), 0);
  EXPECT_EQ(value, 1);
}

TEST_F(Ompc, TasksCreateTasksAndWaitForThemButNotForAll) {
  static int value, answer;
  static void *its_add, *its_map;
  static int its_queue;
  value = 0;
  its_add = add_;
  its_queue = queue_;
  its_map = make_map_desc(&value, 0, sizeof value, OMPC_BOTH);
  const auto creates = [](void**) {
    void* args[] = {&value, Scalar(1), Scalar(5)};
    tasklet_target_create(its_add, its_queue, 3, args, 0, nullptr, 0, nullptr, 1, &its_map, 0);
    tasklet_wait_on(&value);
    value += 1;
    answer = tasklet_wait_all();
  };
  EXPECT_EQ(tasklet_create_named("creates", creates, 0, nullptr, 0, nullptr, 0, nullptr), 0);
  EXPECT_EQ(tasklet_wait_all(), 0) << ompc_error();
  EXPECT_EQ(value, 6);
  EXPECT_NE(answer, 0);
}

// What functions of tasks, which capture nothing, have of the test.
void* its_kernel = nullptr;
int its_queue = 0;
std::vector<int> inner;
int answer = 0;
std::string why;

// One of `inner` is added to, by a task that this one waits for.
int AddToInner(std::size_t at) {
  void* args[] = {&inner[at], Scalar(1), Scalar(1)};
  void* map = make_map_desc(&inner[at], 0, sizeof(int), OMPC_BOTH);
  return tasklet_target_create(its_kernel, its_queue, 3, args, 0, nullptr, 0, nullptr, 1, &map, 0);
}

// As many as devices have at a time, and more: none of them keeps its place from those within.
TEST_F(Ompc, TasksOnDevicesWaitForTasksThereThatTheyCreate) {
  constexpr std::size_t kTasks = 24;
  its_kernel = add_;
  its_queue = queue_;
  inner.assign(kTasks, 0);
  std::vector<int> outer(kTasks, 0);
  void* const adds = Kernel("adds", [](void** args) {
    int at = 0;
    std::memcpy(&at, &args[1], sizeof at);
    *static_cast<int*>(args[0]) = AddToInner(static_cast<std::size_t>(at)) == 0 ? 1 : -1;
  });
  for (std::size_t i = 0; i < kTasks; ++i) {
    void* args[] = {&outer[i], Scalar(static_cast<int>(i))};
    void* map = make_map_desc(&outer[i], 0, sizeof(int), OMPC_BOTH);
    EXPECT_EQ(tasklet_target_create(adds, queue_, 2, args, 0, nullptr, 0, nullptr, 1, &map, 1), 0);
  }
  EXPECT_EQ(tasklet_wait_all(), 0) << ompc_error();
  EXPECT_EQ(outer, std::vector<int>(kTasks, 1));
  EXPECT_EQ(inner, std::vector<int>(kTasks, 1));
}

TEST_F(Ompc, ATaskThatWouldWaitForATaskOfItsOwnBlockIsRefusedAndARegionEndsAllTheSame) {
  its_kernel = add_;
  its_queue = queue_;
  inner.assign(1, 0);
  const auto adds = [](void**) {
    answer = AddToInner(0);
    why = ompc_error();
  };
  void* args[] = {inner.data()};
  ASSERT_EQ(AddOnDevice(inner.data(), 1, 5), 0);
  EXPECT_EQ(tasklet_create_named("adds", adds, 0, nullptr, 0, nullptr, 1, args), 0);
  EXPECT_NE(ompc_target_end_region(), 0) << "it is told again";
  EXPECT_NE(answer, 0);
  EXPECT_THAT(why, HasSubstr("task add: task adds(inout 0x"));
  EXPECT_THAT(why, HasSubstr("would wait for itself on block 0x"));
  EXPECT_EQ(inner[0], 5);
  void* const all = make_map_desc(inner.data(), 0, 0, OMPC_BOTH);
  EXPECT_NE(tasklet_target_create(add_, queue_, 0, nullptr, 0, nullptr, 0, nullptr, 1, &all, 1), 0);
  EXPECT_THAT(ompc_error(), HasSubstr("whose size was not told")) << "the block has ended";
  EXPECT_NE(tasklet_wait_all(), 0);
}

TEST_F(Ompc, ATaskThatEndsItsOwnBlockIsRefusedAndTheBlockIsAsItWas) {
  inner.assign(10, 0);
  const auto unmaps = [](void**) {
    answer = ompc_target_unmap(inner.data());
    why = ompc_error();
  };
  void* args[] = {inner.data()};
  ASSERT_EQ(ompc_target_map(inner.data(), 40), 0);
  EXPECT_EQ(tasklet_create_named("unmaps", unmaps, 0, nullptr, 0, nullptr, 1, args), 0);
  EXPECT_EQ(tasklet_wait_all(), 0) << ompc_error();
  EXPECT_NE(answer, 0);
  EXPECT_THAT(why, HasSubstr("ompc_target_unmap: task unmaps(inout 0x"));
  EXPECT_EQ(AddOnDevice(inner.data(), 10, 1), 0) << ompc_error();
  EXPECT_EQ(ompc_target_unmap(inner.data()), 0) << ompc_error();
  EXPECT_EQ(inner, std::vector<int>(10, 1));
}

TEST_F(Ompc, ATaskThatFailsIsReportedWithItsNameAndItsAccesses) {
  std::vector<int> values(101, 0);  // A device has room for 100.
  EXPECT_EQ(AddOnDevice(values.data(), 101, 1), 0);
  EXPECT_NE(tasklet_wait_all(), 0);
  EXPECT_THAT(ompc_error(), HasSubstr("tasklet_wait_all: task add(inout 0x"));
  EXPECT_EQ(tasklet_wait_all(), 0);
}

TEST_F(Ompc, AMistakeIsASentenceAndNoTask) {
  std::vector<int> values(10, 0);
  void* args[] = {values.data(), Scalar(10), Scalar(1)};
  const auto says = [&](const char* text, int answer) {
    EXPECT_NE(answer, 0);
    EXPECT_THAT(ompc_error(), HasSubstr(text));
  };
  const auto create = [&](void* kernel, int queue, int outs, void* const* out) {
    return tasklet_target_create(kernel, queue, 3, args, 0, nullptr, outs, out, 0, nullptr, 1);
  };
  EXPECT_EQ(ompc_target_get_kernel("no"), nullptr);
  EXPECT_STREQ(ompc_error(), "ompc_target_get_kernel: there is no kernel no");
  says("the kernel is null", create(nullptr, queue_, 0, nullptr));
  says("queue 7 was not created", create(add_, 7, 0, nullptr));
  says("task add: argument 0, 0x", create(add_, queue_, 1, args));
  says("is a block whose size no map told", 1);
  void* const null = nullptr;
  says("a dependency is null", create(add_, queue_, 1, &null));
  says("a map descriptor is null",
       tasklet_target_create(add_, queue_, 3, args, 0, nullptr, 0, nullptr, 1, &null, 1));
  void* maps[] = {make_map_desc(&values[1], 0, 4, 0), make_map_desc(&values[1], 8, 4, 0)};
  says("maps of two blocks have the host pointer 0x",
       tasklet_target_create(add_, queue_, 3, args, 0, nullptr, 0, nullptr, 2, maps, 1));
  EXPECT_EQ(ompc_target_unmap(&values[1]), 0);
  EXPECT_EQ(ompc_target_unmap(&values[3]), 0);
  ASSERT_EQ(make_map_desc(args, 0, 8, 3), nullptr);
  says("a copy type is 0 (to the device), 1 (to the host) or 2 (both), not 3", 1);
  ASSERT_EQ(ompc_target_map(values.data(), 40), 0);
  says("points into the block [0x", create(add_, queue_, 0, nullptr));
  says("shares memory with [0x", ompc_target_map(&values[5], 40));
  ompc_kernel kernel = {};
  kernel.name = "add";
  kernel.function = Add;
  says("there is a kernel add already", ompc_target_register(&kernel));
  kernel.name = "other";
  kernel.function = nullptr;
  says("kernel other has no function for the host", ompc_target_register(&kernel));
  kernel.name = "cuda";
  kernel.cuda_function = "f";
  says("ompc_target_register: a CUDA function has an image or its file",
       ompc_target_register(&kernel));
  says("it was called before", ompc_init(nullptr));
  EXPECT_NE(tasklet_wait_all(), 0);
  EXPECT_THAT(ompc_error(), HasSubstr("task add: argument 0")) << "the first";
  EXPECT_EQ(values, std::vector<int>(10, 0));
}

TEST(OmpcOpenCl, TheKernelsTextRunsWithPointersFirstAndThenScalars) {
  // PoCL keeps what it compiles.
  setenv("POCL_CACHE_DIR", testing::TempDir().c_str(), 1);
  ompc_options options = {};
  options.devices = "opencl";
  if (ompc_init(&options) != 0) {
    ASSERT_THAT(ompc_error(), HasSubstr("no OpenCL"));
    GTEST_SKIP() << ompc_error();
  }
  const std::size_t scalar_bytes[] = {sizeof(int)};
  ompc_kernel kernel = {};
  kernel.name = "scale";
  kernel.opencl_function = "scale";
  kernel.opencl_source =
      "kernel void scale(global const int* from, global int* to, int factor) {\n"
      "  const size_t i = get_global_id(0);\n  to[i] = factor * from[i];\n}\n";
  kernel.opencl_global[0] = 100;
  kernel.opencl_units = 2;
  kernel.scalars_count = 1;
  kernel.scalar_bytes = scalar_bytes;
  ASSERT_EQ(ompc_target_register(&kernel), 0) << ompc_error();
  std::vector<int> from(100, 7), to(100, 0);
  void* args[] = {from.data(), Scalar(-3), to.data()};
  void* maps[] = {make_map_desc(from.data(), 0, 400, 0), make_map_desc(to.data(), 0, 400, 1)};
  void* const scale = ompc_target_get_kernel("scale");
  EXPECT_EQ(tasklet_target_create(scale, 0, 3, args, 0, nullptr, 0, nullptr, 2, maps, 1), 0);
  EXPECT_EQ(tasklet_wait_all(), 0) << ompc_error();
  EXPECT_EQ(to, std::vector<int>(100, -21));
  args[0] = &from[1];
  EXPECT_NE(tasklet_target_create(scale, 0, 3, args, 0, nullptr, 0, nullptr, 2, maps, 1), 0);
  EXPECT_THAT(ompc_error(), HasSubstr("OpenCL's pointers are the beginnings of different blocks"));
  EXPECT_NE(ompc_finish(), 0);
}

TEST(OmpcBefore, NothingIsDoneBeforeInit) {
  EXPECT_NE(tasklet_wait_all(), 0);
  EXPECT_STREQ(ompc_error(), "tasklet_wait_all: ompc_init was not called, or failed");
  EXPECT_LT(ompc_target_create_queue(), 0);
}

// ompc_begin registers ompc_finish by atexit, and the runtime is a static object.
TEST(OmpcExit, InATaskThatAnotherRunsBesideKeepsItsCode) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run = [] {
    alarm(60);
    ompc_begin();
    const auto exits = [](void**) { std::exit(3); };
    const auto goes_on = [](void** args) {
      for (int* const number = static_cast<int*>(args[0]);; ++*number) (void)ompc_task_yield();
    };
    int number = 0;
    void* args[] = {&number};
    EXPECT_EQ(tasklet_create_named("goes_on", goes_on, 1, args, 0, nullptr, 1, args), 0);
    EXPECT_EQ(tasklet_create_named("exits", exits, 0, nullptr, 0, nullptr, 0, nullptr), 0);
    EXPECT_EQ(tasklet_wait_all(), 0);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(3), "");
}

// The OS thread that brings tasks into the pool stays there for a while, on nobody's behalf.
TEST(OmpcExit, RightBehindATaskWaitsForIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run = [] {
    ompc_begin();
    const auto lasts = [](void**) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      std::fputs("it has ended\n", stderr);
    };
    EXPECT_EQ(tasklet_create_named("lasts", lasts, 0, nullptr, 0, nullptr, 0, nullptr), 0);
    std::exit(0);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0), "it has ended");
}

}  // namespace
