#include "apps/rma/problem/collective.h"

#include "apps/program/words.h"

namespace rma {

namespace {

constexpr program::Words<Collective> kCollectives = {{Collective::kBarrier, "barrier"},
                                                     {Collective::kBroadcast, "broadcast"},
                                                     {Collective::kAllgather, "allgather"},
                                                     {Collective::kAllreduce, "allreduce"},
                                                     {Collective::kAlltoall, "alltoall"}};

}  // namespace

std::string_view ToString(Collective collective) { return kCollectives.Print(collective); }

std::string SeriesOf(const CollectivePoint& point) {
  return std::string(ToString(point.network)) + ", " + std::string(ToString(point.collective));
}

}  // namespace rma
