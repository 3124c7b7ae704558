// What an engine promises, each on one process's memory; and what the system's own accesses
// may do with each.
#include "dsm/engine/engine.h"

#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "dsm/engine/reserved.h"
#include "llcl/shared_memory.h"

namespace dsm {
namespace {

constexpr std::uint64_t kPages = 16;
constexpr std::uintptr_t kBase = 0x2000'0000'0000;
const auto kPageBytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));

// Memory in two views, an engine for it, and a listener that installs each page that is
// touched, filled with its number, for reading or writing.
class Engines : public testing::TestWithParam<EngineKind>, public FaultListener {
 protected:
  void SetUp() override {
    absl::StatusOr<llcl::OwnedFd> fd = llcl::NewSharedMemory(kPages * kPageBytes);
    ASSERT_TRUE(fd.ok()) << fd.status();
    fd_ = *std::move(fd);
    auto seen = Reserved::SharedAt(kBase, fd_.get(), kPages * kPageBytes);
    ASSERT_TRUE(seen.ok()) << seen.status();
    seen_ = *std::move(seen);
    auto received = llcl::Mapped::Of(fd_.get(), kPages * kPageBytes);
    ASSERT_TRUE(received.ok()) << received.status();
    received_ = *std::move(received);
    auto engine = MakeEngine(GetParam(), {seen_.data(), kPages * kPageBytes});
    if (absl::IsUnavailable(engine.status())) GTEST_SKIP() << engine.status();
    ASSERT_TRUE(engine.ok()) << engine.status();
    engine_ = *std::move(engine);
    ASSERT_EQ(engine_->kind(), GetParam());
    ASSERT_TRUE(engine_->OpenCopies(0, kPages * kPageBytes).ok());
    auto watch = engine_->Listen(*this);
    ASSERT_TRUE(watch.ok()) << watch.status();
    watch_ = *std::move(watch);
  }

  bool OnFault(std::uint64_t offset, FaultKind kind) override {
    const bool writes = kind == FaultKind::kWrite;
    faults_.fetch_add(1);
    if (writes) write_faults_.fetch_add(1);
    const std::uint64_t at = offset / kPageBytes * kPageBytes;
    if (is_installed_[at / kPageBytes].exchange(true)) {
      return writes ? engine_->AllowWrites(at, kPageBytes) : true;
    }
    std::memset(received_.data() + at, static_cast<int>(at / kPageBytes + 1), kPageBytes);
    return engine_->Install(at, kPageBytes, writes ? PageMode::kWritable : PageMode::kReadOnly);
  }
  volatile std::uint8_t& Byte(std::uint64_t page, std::uint64_t at = 0) {
    return *reinterpret_cast<volatile std::uint8_t*>(seen_.data() + page * kPageBytes + at);
  }
  std::uint8_t Received(std::uint64_t page) const {
    return static_cast<std::uint8_t>(received_.data()[page * kPageBytes]);
  }
  // The page's bytes come from a pipe: what read(2) returns.
  ssize_t ReadFromAPipeInto(std::uint64_t page) {
    std::array<int, 2> ends;
    EXPECT_EQ(pipe(ends.data()), 0);
    const llcl::OwnedFd from(ends[0]), to(ends[1]);
    EXPECT_EQ(write(to.get(), "abc", 3), 3);
    return read(from.get(), seen_.data() + page * kPageBytes, 3);
  }

  llcl::OwnedFd fd_;
  Reserved seen_;
  llcl::Mapped received_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<FaultWatch> watch_;
  std::array<std::atomic<bool>, kPages> is_installed_ = {};
  std::atomic<int> faults_{0}, write_faults_{0};
};

TEST_P(Engines, APageAppearsWhenItIsTouchedAndGoesWhenItIsInvalidated) {
  EXPECT_EQ(Byte(3), 4);
  EXPECT_EQ(Byte(3, 100), 4);
  EXPECT_EQ(faults_, 1);
  EXPECT_EQ(write_faults_, 0);
  is_installed_[3] = false;
  ASSERT_TRUE(engine_->Invalidate(3 * kPageBytes, kPageBytes));
  EXPECT_EQ(Byte(3), 4);
  EXPECT_EQ(faults_, 2);
}

TEST_P(Engines, AWriteSaysSoAndIsSeenInTheOtherView) {
  Byte(5) = 99;
  EXPECT_EQ(write_faults_, 1);
  EXPECT_EQ(Received(5), 99);
  EXPECT_EQ(Byte(6), 7);
  Byte(6) = 98;
  EXPECT_EQ(write_faults_, 2) << "read first, then written";
  EXPECT_EQ(Received(6), 98);
  Byte(6) = 97;
  EXPECT_EQ(write_faults_, 2);
  ASSERT_TRUE(engine_->Protect(6 * kPageBytes, kPageBytes));
  EXPECT_EQ(Byte(6), 97);
  Byte(6) = 96;
  EXPECT_EQ(write_faults_, 3);
}

TEST_P(Engines, PagesAreInstalledTogetherBeforeAnybodyTouchesThem) {
  std::memset(received_.data(), 7, kPages * kPageBytes);
  ASSERT_TRUE(engine_->Install(0, kPages * kPageBytes, PageMode::kReadOnly));
  for (std::uint64_t page = 0; page < kPages; ++page) EXPECT_EQ(Byte(page), 7);
  EXPECT_EQ(faults_, 0);
}

TEST_P(Engines, ThreadsThatTouchTheSamePagesAllGoOn) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (std::uint64_t page = 0; page < kPages; ++page) {
        // The listener of this test may install a page that another thread fills yet.
        while (Byte(page, kPageBytes - 1) != page + 1) std::this_thread::yield();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(Engines, SystemCallsReachAbsentPagesOnlyWithAServer) {
  if (GetParam() == EngineKind::kServer) {
    ASSERT_EQ(ReadFromAPipeInto(9), 3) << std::strerror(errno);
    EXPECT_EQ(write_faults_, 1);
    EXPECT_EQ(Byte(9), 'a');
    EXPECT_EQ(Byte(9, 3), 10) << "the rest is as it was fetched";
  } else {
    EXPECT_EQ(ReadFromAPipeInto(9), -1);
    EXPECT_EQ(errno, EFAULT);
  }
  Byte(10) = 1;
  EXPECT_EQ(ReadFromAPipeInto(10), 3) << "what is here may be given to them";
}

INSTANTIATE_TEST_SUITE_P(All, Engines,
                         testing::Values(EngineKind::kUserfaultfd, EngineKind::kSegv,
                                         EngineKind::kServer),
                         [](const auto& info) {
                           std::string name = NameOf(info.param);
                           std::erase(name, '-');
                           return name;
                         });

TEST(ServerEngine, IsRefusedInWordsToAProcessWithoutPrivileges) {
  std::ifstream setting("/proc/sys/vm/unprivileged_userfaultfd");
  int anybody_may = 0;
  if (!(setting >> anybody_may) || anybody_may != 0) {
    GTEST_SKIP() << "vm.unprivileged_userfaultfd is not 0: here nobody is refused";
  }
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
    const std::array<__user_cap_data_struct, 2> none = {};
    if (syscall(SYS_capset, &header, none.data()) != 0) _exit(2);
    std::array<std::byte, 1> view;
    const auto engine = MakeEngine(EngineKind::kServer, view);
    _exit(absl::IsUnavailable(engine.status()) &&
                  engine.status().message().find("CAP_SYS_PTRACE") != std::string::npos
              ? 0
              : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(UserfaultfdEngine, NeedsNoPrivilege) {
  std::array<std::byte, 1> any;
  if (!MakeEngine(EngineKind::kUserfaultfd, any).ok()) {
    GTEST_SKIP() << "not even with our privileges";
  }
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    constexpr uid_t kNobody = 65534;
    if (setresuid(kNobody, kNobody, kNobody) != 0) _exit(2);
    auto fd = llcl::NewSharedMemory(kPageBytes);
    const auto seen = Reserved::SharedAt(kBase, fd->get(), kPageBytes);
    const auto engine = MakeEngine(EngineKind::kUserfaultfd, std::span(seen->data(), kPageBytes));
    _exit(engine.ok() && (*engine)->OpenCopies(0, kPageBytes).ok() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  // A process that runs as the user `nobody` already cannot become it.
  EXPECT_TRUE(WEXITSTATUS(status) == 0 || getuid() != 0) << WEXITSTATUS(status);
}

// In the guest of numa_guest_old_kernel_test that is Linux 6.1.
TEST(AutomaticEngine, IsSegvWhereTheSystemLacksTheOther) {
  std::array<std::byte, 1> any;
  const auto automatic = MakeEngine(EngineKind::kAutomatic, any);
  ASSERT_TRUE(automatic.ok()) << automatic.status();
  const auto other = MakeEngine(EngineKind::kUserfaultfd, any);
  EXPECT_EQ((*automatic)->kind(), other.ok() ? EngineKind::kUserfaultfd : EngineKind::kSegv);
  if (std::getenv("TOPO_GUEST") != nullptr) {
    EXPECT_TRUE(absl::IsUnavailable(other.status()));
    EXPECT_NE(other.status().message().find("it lacks what Linux 6.4 has"), std::string::npos)
        << other.status();
  }
}

TEST(AutomaticEngine, IsNeverTheOneWithAServer) {
  auto fd = llcl::NewSharedMemory(kPageBytes);
  ASSERT_TRUE(fd.ok()) << fd.status();
  const auto seen = Reserved::SharedAt(kBase, fd->get(), kPageBytes);
  ASSERT_TRUE(seen.ok()) << seen.status();
  const auto engine = MakeEngine(EngineKind::kAutomatic, {seen->data(), kPageBytes});
  ASSERT_TRUE(engine.ok()) << engine.status();
  EXPECT_NE((*engine)->kind(), EngineKind::kServer);
}

}  // namespace
}  // namespace dsm
