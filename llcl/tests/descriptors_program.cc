// A rank for descriptors_test.sh: when all ranks have met, it takes all descriptors that are left.
// What needs one is refused in a sentence, and what needs none goes on.
#include <fcntl.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "llcl/blocking.h"
#include "llcl/endpoint.h"
#include "llcl/job.h"
#include "llcl/launch/launch.h"
#include "llcl/owned_fd.h"
#include "llcl/team.h"
#include "llcl/tests/fail.h"

namespace {

using llcl::Require;

// A sentence, and no failure of this test.
[[noreturn]] void End(const absl::Status& why) {
  std::fprintf(stderr, "refused: %s\n", std::string(why.message()).c_str());
  std::_Exit(1);
}

// By shared memory the first operation on a region maps it, for which descriptors are needed.
void AddTo(const std::string& bytes, llcl::Endpoint& endpoint) {
  llcl::RemoteRegion there;
  std::memcpy(&there, bytes.data(), sizeof there);
  Require(llcl::Atomic<std::uint64_t>(endpoint, {.target = {there}, .operand = 1}) ==
              llcl::Outcome::kDone,
          "an atomic needs a descriptor");
}

void Meet(llcl::Endpoint& endpoint) {
  Require(
      llcl::PostAndWait(endpoint, [&](auto then) { return endpoint.world().TryBarrier(then); }) ==
          llcl::Outcome::kDone,
      "the ranks do not meet");
}

}  // namespace

int main() {
  auto launch = llcl::FindLaunch();
  if (!launch.ok()) End(launch.status());
  auto conduit = llcl::MakeConduit(**launch);
  if (!conduit.ok()) End(conduit.status());
  auto endpoint = llcl::Endpoint::Make(*std::move(conduit), {.handlers = {[](const auto&) {}}});
  if (!endpoint.ok()) End(endpoint.status());
  const auto mine = (*endpoint)->Allocate(8);
  if (!mine.ok()) End(mine.status());
  const llcl::RemoteRegion& region = mine->remote();
  const auto all = (*launch)->Allgather({reinterpret_cast<const char*>(&region), sizeof region});
  if (!all.ok()) End(all.status());
  for (const std::string& bytes : *all) AddTo(bytes, **endpoint);
  Meet(**endpoint);

  std::vector<llcl::OwnedFd> taken;
  while (taken.empty() || taken.back().get() >= 0) {
    taken.emplace_back(open("/dev/null", O_RDONLY | O_CLOEXEC));
  }
  // By shared memory one descriptor is for many regions.
  const auto refused = (*endpoint)->Allocate(std::uint64_t{1} << 32);
  Require(!refused.ok(), "memory is allocated without a descriptor");
  Require(refused.status().message().find("Too many open files") != std::string::npos,
          "a refusal does not say why");
  for (const std::string& bytes : *all) {
    llcl::RemoteRegion there;
    std::memcpy(&there, bytes.data(), sizeof there);
    AddTo(bytes, **endpoint);
    const std::vector<std::byte> large(1'000'000);
    const llcl::Outcome sent = llcl::Send(
        **endpoint, {.to = there.owner, .handler = llcl::HandlerId{0}, .payload = large});
    Require(sent == llcl::Outcome::kRefused, "large messages have memory without a descriptor");
  }
  Meet(**endpoint);
  std::printf("rank %d goes on\n", ToInt((*endpoint)->rank()));
  return 0;
}
