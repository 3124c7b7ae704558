// Kernels of the C interface: what they say of devices, and that CUDA's run as they say.
#include "taskrt/ompc/pointers/ompc_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "taskrt/cuda/device.h"
#include "taskrt/ompc/pointers/pointer_runtime.h"
#include "taskrt/tests/fake_cuda.h"

namespace taskrt {
namespace {

using testing::ElementsAre;

ompc_kernel OnCuda(const char* function, const char* image) {
  ompc_kernel kernel = {};
  kernel.name = "scale";
  kernel.cuda_function = function;
  kernel.cuda_image = image;
  return kernel;
}

TEST(OmpcKernel, UnitsWorkSizesAndScalarsReachTheKernel) {
  const std::size_t scalar_bytes[] = {8, 4};
  ompc_kernel its = OnCuda("f", "ptx");
  its.opencl_function = "g";
  its.opencl_binary_file = "g.aocx";
  its.opencl_units = 4;
  its.cuda_grid[0] = 7;
  its.cuda_block[1] = 32;
  its.cuda_shared_bytes = 1024;
  its.scalars_count = 2;
  its.scalar_bytes = scalar_bytes;
  const absl::StatusOr<Kernel> kernel = KernelOf(its);
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  EXPECT_EQ(kernel->opencl()->units, 4);
  EXPECT_EQ(kernel->opencl()->binary_file, "g.aocx");
  EXPECT_THAT(kernel->opencl()->scalar_bytes, ElementsAre(8, 4));
  EXPECT_EQ(kernel->cuda()->function, "f");
  EXPECT_EQ(kernel->cuda()->image, "ptx");
  EXPECT_THAT(kernel->cuda()->grid, ElementsAre(7, 1, 1));
  EXPECT_THAT(kernel->cuda()->block, ElementsAre(1, 32, 1));
  EXPECT_EQ(kernel->cuda()->shared_bytes, 1024u);
  EXPECT_THAT(kernel->cuda()->scalar_bytes, ElementsAre(8, 4));
}

TEST(OmpcKernel, AFieldThatIsZeroHasItsDefault) {
  ompc_kernel its = {};
  its.name = "all";
  its.opencl_function = "f";
  its.opencl_source = "kernel void f() {}";
  const absl::StatusOr<Kernel> kernel = KernelOf(its);
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  EXPECT_EQ(kernel->opencl()->units, 1);
  EXPECT_EQ(kernel->cuda(), nullptr);
}

TEST(OmpcKernel, AnImageMayBeAFileOfAnyBytes) {
  const std::string path = testing::TempDir() + "/image.cubin", image("a\0b\r\n", 5);
  std::ofstream(path, std::ios::binary) << image;
  ompc_kernel its = OnCuda("f", nullptr);
  its.cuda_image_file = path.c_str();
  const absl::StatusOr<Kernel> kernel = KernelOf(its);
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  EXPECT_EQ(kernel->cuda()->image, image);
}

TEST(OmpcKernel, AMistakeIsASentence) {
  const auto says = [](const ompc_kernel& kernel) {
    return std::string(KernelOf(kernel).status().message());
  };
  EXPECT_EQ(says(OnCuda("f", nullptr)), "a CUDA function has an image or its file");
  EXPECT_EQ(says(OnCuda(nullptr, "ptx")), "a CUDA image has a function");
  ompc_kernel both = OnCuda("f", "ptx");
  both.cuda_image_file = "/nowhere";
  EXPECT_EQ(says(both), "a CUDA function has an image or its file, not both");
  both.cuda_image = nullptr;
  EXPECT_EQ(says(both), "the image /nowhere cannot be read");
  ompc_kernel units = {};
  units.name = "units";
  units.opencl_function = "f";
  units.opencl_source = "kernel void f() {}";
  units.opencl_units = -2;
  EXPECT_EQ(says(units), "an OpenCL function has one unit or more, not -2");
  for (const double flops : {std::numeric_limits<double>::infinity(), -1.0}) {
    ompc_kernel endless = OnCuda("f", "ptx");
    endless.flops = flops;
    EXPECT_THAT(says(endless), testing::StartsWith("a kernel's flops are a number from 0 on, not"));
  }
}

TEST(OmpcKernel, ACudaFunctionRunsWithPointersFirstAndThenScalarsInItsGrid) {
  constexpr int kCount = 10;
  FakeCuda fake;
  std::array<unsigned, 3> grid = {}, block = {};
  fake.functions["scale"] = {{sizeof(cuda::DevicePointer), sizeof(int)},
                             [&](const FakeLaunch& launch) {
                               int factor = 0;
                               std::memcpy(&factor, launch.arguments[1], sizeof factor);
                               int* const values = *static_cast<int**>(launch.arguments[0]);
                               for (int i = 0; i < kCount; ++i) values[i] *= factor;
                               grid = launch.grid;
                               block = launch.block;
                             }};
  const std::size_t scalar_bytes[] = {sizeof(int)};
  ompc_kernel its = OnCuda("scale", "fake");
  its.cuda_grid[0] = 2;
  its.cuda_block[0] = 5;
  its.scalars_count = 1;
  its.scalar_bytes = scalar_bytes;
  auto devices = CudaDevicesOf(FakeDriver(fake), 1);
  ASSERT_TRUE(devices.ok()) << devices.status();
  RuntimeOptions options;
  options.devices = *std::move(devices);
  const auto runtime = *PointerRuntime::Create(std::move(options));
  ASSERT_TRUE(runtime->Register(nullptr, *KernelOf(its)).ok());
  std::vector<int> values(kCount, 7);
  void *factor = nullptr, *far = &values[1];
  const int three = 3;
  std::memcpy(&factor, &three, sizeof three);
  const PointerMap map = {.host = reinterpret_cast<std::uintptr_t>(values.data()),
                          .bytes = kCount * sizeof(int),
                          .to_device = true,
                          .to_host = true};
  const PointerMap* const maps[] = {&map};
  void* args[] = {factor, values.data()};
  const PointerRuntime::Code& code = *runtime->Find("scale");
  ASSERT_TRUE(runtime->Submit(code, {args, {}, {}, maps}).ok());
  const absl::Status done = runtime->WaitAll();
  EXPECT_TRUE(done.ok()) << done;
  EXPECT_EQ(values, std::vector<int>(kCount, 21));
  EXPECT_THAT(grid, ElementsAre(2, 1, 1));
  EXPECT_THAT(block, ElementsAre(5, 1, 1));
  args[1] = far;
  EXPECT_EQ(runtime->Submit(code, {args, {}, {}, maps}).message(),
            "task scale: CUDA's pointers are the beginnings of different blocks");
  EXPECT_FALSE(runtime->WaitAll().ok());
}

}  // namespace
}  // namespace taskrt
