#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
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
  OwnedFd Open() const { return OpenMemoryFile(child_, words_.proof(), 1); }
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

// Pages that a handler of signals brings, as dsm's.
class FaultingPages {
 public:
  explicit FaultingPages(std::size_t bytes)
      : memory_(static_cast<std::byte*>(
                    mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
                bytes) {
    struct sigaction action = {};
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    action.sa_sigaction = [](int, siginfo_t* info, void*) {
      const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(info->si_addr) & ~kInPage;
      if (mprotect(reinterpret_cast<void*>(page), kInPage + 1, PROT_READ | PROT_WRITE) != 0)
        abort();
    };
    sigaction(SIGSEGV, &action, &before_);
  }
  ~FaultingPages() {
    sigaction(SIGSEGV, &before_, nullptr);
    munmap(memory_.data(), memory_.size());
  }
  std::span<std::byte> memory() const { return memory_; }

 private:
  static constexpr std::uintptr_t kInPage = 4095;
  const std::span<std::byte> memory_;
  struct sigaction before_ = {};
};

TEST_F(MemoryFileTest, MemoryHereThatAHandlerBringsIsBrought) {
  const OwnedFd file = Open();
  if (file.get() < 0) GTEST_SKIP() << "the system does not allow it";
  const FaultingPages to(kBytes), from(kBytes);
  EXPECT_EQ(Copy(file.get(), CommandKind::kRead, to.memory(), 0), CopiedBy::kDone);
  EXPECT_EQ(std::count(to.memory().begin(), to.memory().end(), std::byte{1}), kBytes);
  EXPECT_EQ(Copy(file.get(), CommandKind::kWrite, from.memory(), 0), CopiedBy::kDone);
  std::vector<std::byte> back(kBytes);
  EXPECT_EQ(Copy(file.get(), CommandKind::kRead, back, 0), CopiedBy::kDone);
  EXPECT_EQ(back, std::vector<std::byte>(kBytes));
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
  EXPECT_LT(OpenMemoryFile(child_, proof, 1).get(), 0);
  proof = {AddressOf(memory_) + kBytes, kValue};
  EXPECT_LT(OpenMemoryFile(child_, proof, 1).get(), 0);
  End();
  EXPECT_LT(Open().get(), 0);
}

}  // namespace
}  // namespace llcl
