// A rank of a simulated job (sim/fabric.h) as a conduit.
#pragma once

#include <memory>

#include "llcl/conduit/conduit.h"
#include "llcl/sim/fabric.h"

namespace llcl {

// `fabric` outlives it.
std::unique_ptr<Conduit> MakeSimConduit(SimFabric& fabric, Rank rank);

}  // namespace llcl
