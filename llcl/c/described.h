// A region's description as the bytes of an llcl_remote.
#pragma once

#include <cstring>
#include <type_traits>

#include "llcl/c/region.h"
#include "llcl/region.h"

namespace llcl::c {

static_assert(sizeof(llcl_remote) == sizeof(RemoteRegion));
static_assert(alignof(llcl_remote) == alignof(RemoteRegion));
static_assert(std::is_trivially_copyable_v<RemoteRegion>);

inline llcl_remote Described(const RemoteRegion& region) {
  llcl_remote described;
  std::memcpy(&described, &region, sizeof described);
  return described;
}

inline RemoteRegion RegionOf(const llcl_remote& described) {
  RemoteRegion region;
  std::memcpy(static_cast<void*>(&region), &described, sizeof region);
  return region;
}

}  // namespace llcl::c
