// Join, with memory running out in the first allocation, the second, and so on.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <new>

#include "llcl/job.h"

namespace {

// Of this thread: how many allocations succeed before one fails, and then all again; negative: all.
thread_local long before_failure = -1;

void* Allocate(std::size_t bytes) {
  if (before_failure >= 0 && before_failure-- == 0) throw std::bad_alloc();
  void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return Allocate(bytes); }
void* operator new[](std::size_t bytes) { return Allocate(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t /*bytes*/) noexcept { std::free(memory); }

namespace llcl {
namespace {

class OutOfMemory : public testing::TestWithParam<const char*> {};

TEST_P(OutOfMemory, InAnyAllocationIsAnError) {
  setenv("LLCL_CONDUIT", GetParam(), 1);
  setenv("LLCL_LAUNCH", "none", 1);
  constexpr long kMost = 20'000;
  long failures = 0;
  for (long before = 0; before < kMost; ++before) {
    before_failure = before;
    absl::StatusOr<Job> job = Join();
    const bool has_failed = before_failure < 0;
    before_failure = -1;
    if (!has_failed) {
      EXPECT_TRUE(job.ok()) << job.status();
      break;
    }
    if (job.ok()) continue;  // It does without.
    ASSERT_TRUE(absl::IsResourceExhausted(job.status())) << before << ": " << job.status();
    ++failures;
  }
  EXPECT_GT(failures, 50);
  EXPECT_LT(failures, kMost);
}

INSTANTIATE_TEST_SUITE_P(Conduits, OutOfMemory, testing::Values("smp", "tcp"),
                         [](const auto& conduit) { return std::string(conduit.param); });

}  // namespace
}  // namespace llcl
