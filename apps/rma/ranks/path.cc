#include "apps/rma/ranks/path.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "apps/rma/ranks/conduits.h"

namespace rma {
namespace {

// What the memory of both ranks has at `offset`; never zero.
std::byte ByteAt(std::uint64_t offset) { return static_cast<std::byte>(1 + offset % 251); }

llcl::EndpointOptions OptionsOf(Offload offload) {
  llcl::EndpointOptions options;
  options.executor.mode = offload == Offload::kOffload  ? llcl::Mode::kOffload
                          : offload == Offload::kDirect ? llcl::Mode::kDirect
                                                        : llcl::Mode::kHybrid;
  return options;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Path>> Path::Open(llcl::Launch& launch, const Options& options) {
  auto conduit = OpenConduit(launch, options.network, options.provider);
  if (!conduit.ok()) return conduit.status();
  auto path = std::unique_ptr<Path>(new Path(options));
  path->endpoint_ =
      std::make_unique<llcl::Endpoint>(*std::move(conduit), OptionsOf(options.offload));
  const std::uint64_t read = static_cast<std::uint64_t>(options.threads) * options.bytes;
  auto target = path->endpoint_->Allocate(read);
  if (!target.ok()) return target.status();
  path->target_ = *std::move(target);
  for (std::uint64_t i = 0; i < read; ++i) path->target_.local().start[i] = ByteAt(i);
  path->memory_.resize(read * kSlots);
  auto local = path->endpoint_->Register(path->memory_);
  if (!local.ok()) return local.status();
  path->local_ = *std::move(local);
  const llcl::RemoteRegion& mine = path->target_.remote();
  const auto all = launch.Allgather({reinterpret_cast<const char*>(&mine), sizeof mine});
  if (!all.ok()) return all.status();
  std::memcpy(&path->there_, (*all)[static_cast<std::size_t>(options.partner)].data(), sizeof mine);
  return path;
}

llcl::RemoteAddress Path::There(int thread) const {
  return {.region = there_, .offset = static_cast<std::uint64_t>(thread) * options_.bytes};
}

llcl::LocalAddress Path::Here(int thread, std::uint64_t number) const {
  const std::uint64_t slot = static_cast<std::uint64_t>(thread) * kSlots + number % kSlots;
  return {.region = local_.local(), .offset = slot * options_.bytes};
}

void Path::Clear() { std::fill(memory_.begin(), memory_.end(), std::byte{0}); }

bool Path::IsRight(int thread, std::uint64_t reads, std::uint64_t bytes) const {
  const std::uint64_t first = There(thread).offset;
  for (std::uint64_t number = 0; number < std::min(reads, kSlots); ++number) {
    const std::byte* const slot = Here(thread, number).data();
    for (std::uint64_t i = 0; i < bytes; ++i) {
      if (slot[i] != ByteAt(first + i)) return false;
    }
  }
  return true;
}

}  // namespace rma
