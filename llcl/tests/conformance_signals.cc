// Operations asked for by a signal handler, as a distributed shared memory does that
// fetches a page when it is touched (endpoint.h lists what a handler may call).
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <vector>

#include "llcl/owned_fd.h"
#include "llcl/shared_memory.h"
#include "llcl/tests/conformance.h"

namespace llcl {
namespace {

constexpr std::size_t kPages = 64;
constexpr std::size_t kPage = 4096, kBytes = kPages * kPage;

// Another rank's memory as pages that are fetched when they are touched: into one
// mapping, which is registered, so that they appear in the other at once.
struct FetchedPages {
  Endpoint* endpoint = nullptr;
  RemoteAddress there;
  LocalAddress arriving;
  std::byte* seen = nullptr;
  std::atomic<int> faults{0};
};
FetchedPages pages;

void OnFault(int /*signal*/, siginfo_t* info, void* /*context*/) {
  const auto offset = reinterpret_cast<std::uintptr_t>(info->si_addr) -
                      reinterpret_cast<std::uintptr_t>(pages.seen);
  if (offset >= kBytes) _exit(70);
  const std::size_t at = offset / kPage * kPage;
  Flag done;
  while (pages.endpoint->TryRead({.from = pages.there + at,
                                  .to = pages.arriving + at,
                                  .bytes = kPage,
                                  .then = done.completion()}) != Posted::kPosted) {
  }
  done.SleepUntilDone();
  if (done.outcome() != Outcome::kDone) _exit(71);
  if (mprotect(pages.seen + at, kPage, PROT_READ) != 0) _exit(72);
  pages.faults.fetch_add(1, std::memory_order_relaxed);
}

using Signals = Conformance;

TEST_P(Signals, AHandlerOfPageFaultsReadsThePageFromAnotherRank) {
  if (RanksOfThisProcess(GetParam().ranks) != 1) {
    GTEST_SKIP() << "the simulated network takes locks wherever it is asked";
  }
  Run([&](Member& member) {
    const Region mine = member.Allocate(kBytes);
    for (std::size_t i = 0; i < kBytes / 8; ++i) {
      const std::uint64_t word = static_cast<std::uint64_t>(member.rank()) << 32 | i;
      std::memcpy(mine.local().start + i * 8, &word, 8);
    }
    const auto all = member.Exchange(mine);
    const auto fd = NewSharedMemory(kBytes);
    ASSERT_TRUE(fd.ok()) << fd.status();
    auto arriving = member.endpoint().RegisterShared(fd->get(), 0, kBytes);
    ASSERT_TRUE(arriving.ok()) << arriving.status();
    void* const seen = mmap(nullptr, kBytes, PROT_NONE, MAP_SHARED, fd->get(), 0);
    ASSERT_NE(seen, MAP_FAILED);

    pages.endpoint = &member.endpoint();
    pages.there = {all[static_cast<std::size_t>(member.next())]};
    pages.arriving = {arriving->local()};
    pages.seen = static_cast<std::byte*>(seen);
    pages.faults = 0;
    struct sigaction action = {}, before = {};
    action.sa_sigaction = &OnFault;
    action.sa_flags = SA_SIGINFO;
    ASSERT_EQ(sigaction(SIGSEGV, &action, &before), 0);
    OnThreads([&](int thread) {
      // Each page is one thread's: several would each fetch it.
      const auto threads = static_cast<std::size_t>(GetParam().threads);
      for (std::size_t page = static_cast<std::size_t>(thread); page < kPages; page += threads) {
        const std::size_t word = page * kPage / 8 + static_cast<std::size_t>(thread);
        std::uint64_t got = 0;
        std::memcpy(&got, pages.seen + word * 8, 8);
        EXPECT_EQ(got, static_cast<std::uint64_t>(member.next()) << 32 | word);
      }
    });
    ASSERT_EQ(sigaction(SIGSEGV, &before, nullptr), 0);
    EXPECT_EQ(pages.faults.load(), static_cast<int>(kPages));
    munmap(seen, kBytes);
    member.Barrier();
  });
}

std::vector<Case> OffloadOnly() {
  std::vector<Case> cases;
  for (const Case& one : Cases()) {
    if (one.mode == Mode::kOffload) cases.push_back(one);
  }
  return cases;
}
INSTANTIATE_TEST_SUITE_P(Conduits, Signals, testing::ValuesIn(OffloadOnly()), NameOf);

}  // namespace
}  // namespace llcl
