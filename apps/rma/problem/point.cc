#include "apps/rma/problem/point.h"

#include "apps/program/words.h"

namespace rma {

namespace {

constexpr program::Words<Network> kNetworks = {
    {Network::kSmp, "smp"},     {Network::kTcp, "tcp"},   {Network::kOfi, "ofi"},
    {Network::kMixed, "mixed"}, {Network::kTofu, "tofu"}, {Network::kInfiniband, "infiniband"}};
constexpr program::Words<Offload> kOffloads = {{Offload::kInPlace, "in-place"},
                                               {Offload::kDirect, "direct"},
                                               {Offload::kOffload, "offload"},
                                               {Offload::kHybrid, "hybrid"}};

constexpr program::Words<Way> kWays = {
    {Way::kAny, "any"}, {Way::kInside, "inside"}, {Way::kBeyond, "beyond"}};

}  // namespace

std::string_view ToString(Network network) { return kNetworks.Print(network); }

std::string_view ToString(Offload offload) { return kOffloads.Print(offload); }

std::string_view ToString(Way way) { return kWays.Print(way); }

std::string SeriesOf(const Point& point) {
  return std::string(ToString(point.network)) + ", " + std::string(ToString(point.offload)) + ", " +
         std::to_string(point.bytes) + " B" +
         (point.way == Way::kAny ? "" : ", " + std::string(ToString(point.way)));
}

}  // namespace rma
