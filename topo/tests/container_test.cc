// In a container that forbids memory policy (seccomp, EPERM): a filter of the
// kernel's own, put on this process. Placement degrades to first touch and says
// so; pinning goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <vector>

#include "topo/memory.h"
#include "topo/resident.h"
#include "topo/tests/machines.h"
#include "topo/verify.h"

namespace topo {
namespace {

using ::testing::HasSubstr;

// Every call on memory policy fails with EPERM from now on.
bool ForbidMemoryPolicy() {
  const auto refuse = [](int call) {
    return std::array<sock_filter, 2>{
        sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1),
        sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)};
  };
  std::vector<sock_filter> filter = {
      sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (int call : {SYS_mbind, SYS_move_pages, SYS_get_mempolicy, SYS_set_mempolicy}) {
    for (const sock_filter& instruction : refuse(call)) filter.push_back(instruction);
  }
  filter.push_back(sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program = {static_cast<unsigned short>(filter.size()), filter.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(Container, PlacementFallsBackToFirstTouchAndVerifySaysSo) {
  const Topology& here = Here();
  if (!ForbidMemoryPolicy()) GTEST_SKIP() << "needs seccomp filters: " << std::strerror(errno);

  const Mapping mapping = *Plan(here, Policy::kCompact, 1);
  const auto array = Array<double>::AllocateSliced(here, mapping, 10'000);
  ASSERT_TRUE(array.ok()) << array.status();
  EXPECT_EQ(array->memory().bound().code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(array->memory().bound().message()),
              HasSubstr("this system forbids binding memory"));
  (*array)[9'999] = 1;
  EXPECT_EQ(ResidentNodes(here, array->memory().bytes()).status().code(),
            absl::StatusCode::kUnavailable);

  Verifier verifier(here, mapping);
  ASSERT_TRUE(
      RunThreads(here, mapping, [&](const Slot& slot) { verifier.ObserveThisThread(slot); }).ok());
  verifier.AddMemory("array", array->memory());
  const VerifyReport report = verifier.Finish();
  EXPECT_TRUE(report.ok()) << report.ToString();
  EXPECT_THAT(report.ToString(), HasSubstr("note: array: this system forbids binding memory"));
  EXPECT_THAT(report.ToString(), HasSubstr("note: array: this system does not tell where pages"));
}

TEST(Container, TheMachineIsReadAllTheSame) {
  const absl::StatusOr<Topology> topology = ThisMachine();
  ASSERT_TRUE(topology.ok()) << topology.status();
  EXPECT_EQ(topology->allowed_pus(), Here().allowed_pus());
}

}  // namespace
}  // namespace topo
