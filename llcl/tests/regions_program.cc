// A rank for regions_test.sh: a thousand regions are allocated, used by another rank and freed.
// The mappings and the descriptors of the process stay as many as they were.
#include <dirent.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "llcl/blocking.h"
#include "llcl/endpoint.h"
#include "llcl/job.h"
#include "llcl/team.h"
#include "llcl/tests/fail.h"

namespace {

using llcl::OrFail;
using llcl::Outcome;
using llcl::Require;

struct Held {
  int mappings = 0, descriptors = 0;
};
Held HeldNow() {
  Held held;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) ++held.mappings;
  DIR* const folder = opendir("/proc/self/fd");
  Require(folder != nullptr, "the system does not say which descriptors are open");
  while (readdir(folder) != nullptr) ++held.descriptors;
  closedir(folder);
  return held;
}

void Meet(llcl::Endpoint& endpoint) {
  Require(
      llcl::PostAndWait(endpoint, [&](auto then) { return endpoint.world().TryBarrier(then); }) ==
          Outcome::kDone,
      "the ranks do not meet");
}

void UseOne(llcl::Endpoint& endpoint, std::uint64_t bytes, const llcl::Region& local) {
  const llcl::Region mine = OrFail(endpoint.Allocate(bytes));
  std::byte* const memory = mine.local().start;
  Require(std::all_of(memory, memory + bytes, [](std::byte byte) { return byte == std::byte{0}; }),
          "memory does not begin as zeros");
  const auto all = OrFail(llcl::Exchange(endpoint, mine));
  const int next = (ToInt(endpoint.rank()) + 1) % endpoint.size();
  const llcl::RemoteAddress last = {all[static_cast<std::size_t>(next)], bytes - 8};
  Require(
      llcl::Write(endpoint, {.from = {local.local()}, .to = last, .bytes = 8}) == Outcome::kDone,
      "a write fails");
  Meet(endpoint);
  Require(std::memcmp(memory + bytes - 8, local.local().start, 8) == 0, "a write is not there");
}

}  // namespace

int main() {
  constexpr int kBefore = 50, kRegions = 1000;
  auto job = OrFail(llcl::Join());
  llcl::Endpoint& endpoint = *job.endpoint;
  std::uint64_t word = 0x0123456789ABCDEF;
  const llcl::Region local = OrFail(endpoint.Register(std::as_writable_bytes(std::span(&word, 1))));
  Held before;
  for (int i = 0; i < kBefore + kRegions; ++i) {
    // Of many sizes, and all of them before the first count.
    UseOne(endpoint, 8 + static_cast<std::uint64_t>(i * 7 % kBefore) * 4096, local);
    if (i + 1 == kBefore) before = HeldNow();
  }
  const Held after = HeldNow();
  if (after.mappings > before.mappings || after.descriptors > before.descriptors) {
    llcl::Fail("after " + std::to_string(kRegions) + " regions there are " +
               std::to_string(after.mappings) + " mappings and " +
               std::to_string(after.descriptors) + " descriptors, where there were " +
               std::to_string(before.mappings) + " and " + std::to_string(before.descriptors));
  }
  Meet(endpoint);
  return 0;
}
