#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <thread>

#include "llcl/smp/door.h"

namespace llcl {
namespace {

OwnedFd MemoryWith(std::uint64_t value) {
  OwnedFd memory(memfd_create("test", MFD_CLOEXEC));
  EXPECT_EQ(write(memory.get(), &value, sizeof value), 8);
  return memory;
}

TEST(SmpDoor, AClientThatKnowsTheSecretGetsTheOfferedMemory) {
  const auto door = *SmpDoor::Open("secret");
  const OwnedFd memory = MemoryWith(42);
  door->Offer(7, memory.get());
  const auto fetched = Fetch(door->address(), "secret", 7, std::chrono::seconds(5));
  ASSERT_TRUE(fetched.ok()) << fetched.status();
  std::uint64_t value = 0;
  EXPECT_EQ(pread(fetched->get(), &value, sizeof value, 0), 8);
  EXPECT_EQ(value, 42u);
  EXPECT_EQ(door->turned_away(), 0);
}

TEST(SmpDoor, AWrongSecretIsTurnedAwayAndCounted) {
  const auto door = *SmpDoor::Open("secret");
  const OwnedFd memory = MemoryWith(1);
  door->Offer(7, memory.get());
  for (const char* wrong : {"", "secre", "secret2", "SECRET"}) {
    EXPECT_TRUE(absl::IsPermissionDenied(
        Fetch(door->address(), wrong, 7, std::chrono::seconds(5)).status()))
        << wrong;
  }
  EXPECT_EQ(door->turned_away(), 4);
}

TEST(SmpDoor, ANumberThatIsWithdrawnOrNeverWasIsNotFound) {
  const auto door = *SmpDoor::Open("secret");
  const OwnedFd memory = MemoryWith(1);
  door->Offer(7, memory.get());
  door->Withdraw(7);
  EXPECT_TRUE(
      absl::IsNotFound(Fetch(door->address(), "secret", 7, std::chrono::seconds(5)).status()));
  EXPECT_TRUE(
      absl::IsNotFound(Fetch(door->address(), "secret", 8, std::chrono::seconds(5)).status()));
}

TEST(SmpDoor, AnAddressWithoutADoorIsUnavailable) {
  EXPECT_TRUE(
      absl::IsUnavailable(Fetch("llcl-nobody", "secret", 7, std::chrono::seconds(5)).status()));
  std::string address;
  {
    const auto door = *SmpDoor::Open("secret");
    address = door->address();
  }
  EXPECT_TRUE(absl::IsUnavailable(Fetch(address, "secret", 7, std::chrono::seconds(5)).status()));
}

TEST(SmpDoor, AClientThatHangsUpIsTurnedAwayAndHoldsUpNoOther) {
  const auto door = *SmpDoor::Open("secret");
  const OwnedFd memory = MemoryWith(1);
  door->Offer(7, memory.get());
  {
    const OwnedFd silent(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un at = {};
    at.sun_family = AF_UNIX;
    std::memcpy(at.sun_path + 1, door->address().data(), door->address().size());
    const auto size =
        static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + door->address().size());
    ASSERT_EQ(connect(silent.get(), reinterpret_cast<sockaddr*>(&at), size), 0);
  }  // It hangs up.
  EXPECT_TRUE(Fetch(door->address(), "secret", 7, std::chrono::seconds(5)).ok());
  EXPECT_EQ(door->turned_away(), 1);
}

}  // namespace
}  // namespace llcl
