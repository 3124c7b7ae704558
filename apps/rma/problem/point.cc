#include "apps/rma/problem/point.h"

namespace rma {

std::string_view ToString(Network network) {
  switch (network) {
    case Network::kSmp:
      return "smp";
    case Network::kTcp:
      return "tcp";
    case Network::kOfi:
      return "ofi";
    case Network::kTofu:
      return "tofu";
    case Network::kInfiniband:
      break;
  }
  return "infiniband";
}

std::string_view ToString(Offload offload) {
  switch (offload) {
    case Offload::kInPlace:
      return "in-place";
    case Offload::kDirect:
      return "direct";
    case Offload::kOffload:
      return "offload";
    case Offload::kHybrid:
      break;
  }
  return "hybrid";
}

std::string SeriesOf(const Point& point) {
  return std::string(ToString(point.network)) + ", " + std::string(ToString(point.offload)) + ", " +
         std::to_string(point.bytes) + " B";
}

}  // namespace rma
