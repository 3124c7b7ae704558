#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <vector>

#include "llcl/owned_fd.h"
#include "llcl/smp/door.h"
#include "llcl/smp/mapper.h"

namespace llcl {
namespace {

// Listens, and never sends anything, like the door of a rank that is stopped.
OwnedFd Mute(const std::string& name) {
  OwnedFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  EXPECT_EQ(bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(listen(socket.get(), 8), 0);
  return socket;
}

SmpMapper::Found Take(SmpMapper& mapper, int doorbell) {
  while (true) {
    if (auto found = mapper.TryTake()) return *std::move(found);
    pollfd fd = {doorbell, POLLIN, 0};
    EXPECT_EQ(poll(&fd, 1, 10'000), 1);
    std::uint64_t rings = 0;
    (void)!read(doorbell, &rings, sizeof rings);
  }
}

TEST(SmpMapper, ASilentRankDoesNotKeepItFromTheRegionsOfOthers) {
  const OwnedFd bell(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  const std::string silent = "llcl-mapper-test-" + std::to_string(getpid());
  const OwnedFd mute = Mute(silent);
  const auto door = *SmpDoor::Open("secret");
  const auto memory = NewSharedMemory(4096);
  ASSERT_TRUE(memory.ok());
  const RegionId id{3, 1};
  door->Offer(SmpMapper::NumberOf(id), memory->get());
  SmpMapper mapper("secret", bell.get());
  mapper.Ask(Rank{1}, silent, SmpMapper::NumberOf(id));
  mapper.Ask(Rank{2}, door->address(), SmpMapper::NumberOf(id));
  mapper.Ask(Rank{2}, door->address(), SmpMapper::NumberOf({4, 1}));
  const SmpMapper::Found first = Take(mapper, bell.get());
  EXPECT_EQ(first.rank, Rank{1});
  EXPECT_TRUE(absl::IsUnavailable(first.memory.status())) << first.memory.status();
  const SmpMapper::Found second = Take(mapper, bell.get());
  EXPECT_EQ(second.rank, Rank{2});
  ASSERT_TRUE(second.memory.ok()) << second.memory.status();
  EXPECT_EQ(second.memory->bytes(), 4096u);
  EXPECT_TRUE(absl::IsNotFound(Take(mapper, bell.get()).memory.status()));
}

TEST(SmpDoor, WithoutDescriptorsItWaitsForSomeWithoutSpinning) {
  const auto door = *SmpDoor::Open("secret");
  const OwnedFd guest(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path + 1, door->address().data(), door->address().size());
  rlimit before = {};
  getrlimit(RLIMIT_NOFILE, &before);
  // All numbers below the first free one are taken.
  const int first_free = dup(guest.get());
  close(first_free);
  const rlimit none = {static_cast<rlim_t>(first_free), before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const std::clock_t start = std::clock();
  EXPECT_EQ(
      connect(guest.get(), reinterpret_cast<sockaddr*>(&address),
              static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + door->address().size())),
      0);
  (void)poll(nullptr, 0, 300);
  EXPECT_LT(std::clock() - start, CLOCKS_PER_SEC / 10);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(
      absl::IsNotFound(Fetch(door->address(), "secret", 1, std::chrono::seconds(5)).status()));
}

}  // namespace
}  // namespace llcl
