#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "llcl/smp/memory_file.h"

namespace llcl {
namespace {

constexpr std::uint64_t kValue = 0x0123456789ABCDEF;
constexpr std::uint64_t kBytes = 8192;

std::uint64_t AddressOf(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

// A process with two pages of ones, and a third page that is not mapped there.
class MemoryFileTest : public testing::Test {
 protected:
  MemoryFileTest() {
    memory_ = static_cast<std::byte*>(
        mmap(nullptr, kBytes + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::fill_n(memory_, kBytes, std::byte{1});
    munmap(memory_ + kBytes, 4096);
    child_ = fork();
    if (child_ == 0) {
      while (true) pause();
    }
    munmap(memory_, kBytes);
  }
  ~MemoryFileTest() override { End(); }

  void End() {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
    child_ = 0;
  }
  OwnedFd Open() const { return OpenMemoryFile(child_, words_.proof(), Rank{1}); }
  CopiedBy Copy(int file, CommandKind kind, std::span<std::byte> here, std::uint64_t offset) const {
    return CopyByFile(file, kind, here.data(), AddressOf(memory_) + offset, here.size());
  }

  MemoryProofWords words_{2, kValue};
  std::byte* memory_ = nullptr;
  pid_t child_ = 0;
};

TEST_F(MemoryFileTest, AnotherProcessIsReadAndWritten) {
  const OwnedFd file = Open();
  if (file.get() < 0) GTEST_SKIP() << "the system does not allow it";
  std::vector<std::byte> here(kBytes, std::byte{7}), back(kBytes);
  EXPECT_EQ(Copy(file.get(), CommandKind::kRead, back, 0), CopiedBy::kDone);
  EXPECT_EQ(back, std::vector<std::byte>(kBytes, std::byte{1}));
  EXPECT_EQ(Copy(file.get(), CommandKind::kWrite, here, 0), CopiedBy::kDone);
  EXPECT_EQ(Copy(file.get(), CommandKind::kRead, back, 0), CopiedBy::kDone);
  EXPECT_EQ(back, here);
}

TEST_F(MemoryFileTest, MemoryThatIsNotMappedThereIsNotRead) {
  const OwnedFd file = Open();
  if (file.get() < 0) GTEST_SKIP() << "the system does not allow it";
  std::vector<std::byte> here(kBytes);
  EXPECT_EQ(Copy(file.get(), CommandKind::kRead, here, 4096), CopiedBy::kNotMapped);
  EXPECT_EQ(Copy(file.get(), CommandKind::kWrite, here, 4096), CopiedBy::kNotMapped);
}

TEST_F(MemoryFileTest, AProcessThatHasEndedIsKnownAsThat) {
  const OwnedFd file = Open();
  if (file.get() < 0) GTEST_SKIP() << "the system does not allow it";
  End();
  std::vector<std::byte> here(16);
  EXPECT_EQ(Copy(file.get(), CommandKind::kRead, here, 0), CopiedBy::kEnded);
  EXPECT_EQ(Copy(file.get(), CommandKind::kWrite, here, 0), CopiedBy::kEnded);
}

TEST_F(MemoryFileTest, AProcessThatDoesNotHaveTheProofIsNotOpened) {
  MemoryProof proof = words_.proof();
  ++proof.value;
  EXPECT_LT(OpenMemoryFile(child_, proof, Rank{1}).get(), 0);
  proof = {AddressOf(memory_) + kBytes, kValue};
  EXPECT_LT(OpenMemoryFile(child_, proof, Rank{1}).get(), 0);
  End();
  EXPECT_LT(Open().get(), 0);
}

}  // namespace
}  // namespace llcl
