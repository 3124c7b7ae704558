#include <cstddef>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "llcl/c/described.h"
#include "llcl/c/handles.h"
#include "llcl/c/region.h"
#include "llcl/c/results.h"
#include "llcl/job.h"

namespace {

using llcl::c::Ended;
using llcl::c::Guarded;
using llcl::c::Invalid;

// `make` is the C++ call.
template <typename Make>
llcl_status New(const char* call, llcl_job* job, llcl_region** region, Make make) {
  if (job == nullptr) return Invalid(call, "job is NULL");
  if (region == nullptr) return Invalid(call, "region is NULL");
  *region = nullptr;
  return Guarded(call, [&] {
    absl::StatusOr<llcl::Region> made = make(job->endpoint());
    if (!made.ok()) return Ended(call, made.status());
    *region = job->regions.Add(std::make_unique<llcl_region>(llcl_region{job, *std::move(made)}));
    return LLCL_OK;
  });
}

}  // namespace

extern "C" {

llcl_status llcl_allocate(llcl_job* job, uint64_t bytes, llcl_region** region) {
  return New(__func__, job, region, [&](auto& endpoint) { return endpoint.Allocate(bytes); });
}

llcl_status llcl_register(llcl_job* job, void* memory, uint64_t bytes, llcl_region** region) {
  if (memory == nullptr) return Invalid(__func__, "memory is NULL");
  return New(__func__, job, region, [&](auto& endpoint) {
    return endpoint.Register({static_cast<std::byte*>(memory), bytes});
  });
}

llcl_status llcl_register_shared(llcl_job* job, int fd, uint64_t offset, uint64_t bytes,
                                 llcl_region** region) {
  return New(__func__, job, region,
             [&](auto& endpoint) { return endpoint.RegisterShared(fd, offset, bytes); });
}

llcl_status llcl_free(llcl_region* region) {
  return Guarded(__func__, [&] {
    if (region != nullptr) region->job->regions.Remove(region);
    return LLCL_OK;
  });
}

void* llcl_start(const llcl_region* region) {
  return region == nullptr ? nullptr : region->region.local().start;
}
uint64_t llcl_bytes(const llcl_region* region) {
  return region == nullptr ? 0 : region->region.local().bytes;
}

llcl_status llcl_describe(const llcl_region* region, llcl_remote* description) {
  if (region == nullptr) return Invalid(__func__, "region is NULL");
  if (description == nullptr) return Invalid(__func__, "description is NULL");
  *description = llcl::c::Described(region->region.remote());
  return LLCL_OK;
}

llcl_status llcl_exchange(llcl_job* job, const llcl_region* region, llcl_remote* all,
                          size_t count) {
  if (job == nullptr) return Invalid(__func__, "job is NULL");
  if (region == nullptr) return Invalid(__func__, "region is NULL");
  if (all == nullptr) return Invalid(__func__, "all is NULL");
  if (count < static_cast<std::size_t>(job->endpoint().size())) {
    return Invalid(__func__, "count is less than the number of ranks");
  }
  return Guarded(__func__, [&, call = __func__] {
    const auto regions = llcl::Exchange(job->endpoint(), region->region);
    if (!regions.ok()) {
      return Ended(call, regions.status());
    }
    for (std::size_t rank = 0; rank < regions->size(); ++rank) {
      all[rank] = llcl::c::Described((*regions)[rank]);
    }
    return LLCL_OK;
  });
}

int llcl_owner(const llcl_remote* description) {
  return description == nullptr ? -1 : ToInt(llcl::c::RegionOf(*description).owner);
}
uint64_t llcl_remote_bytes(const llcl_remote* description) {
  return description == nullptr ? 0 : llcl::c::RegionOf(*description).bytes;
}

}  // extern "C"
