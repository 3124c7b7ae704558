// Which part of a network its paths can visit: the blocks (maximal subgraphs without a cut vertex)
// that lie between source and target in the block-cut tree, one after the other. Pure.
//
// Source: J. Hopcroft and R. Tarjan, Algorithm 447: efficient algorithms for graph manipulation,
// Communications of the ACM 16 (1973).
#pragma once

#include <vector>

#include "apps/simpath/reduce/network.h"

namespace simpath {

// Each block between the cut vertices by which every path enters and leaves it, from the target's
// to the source's; none where no path joins source and target. The numbers of paths of the blocks
// multiply. Linear in time but for sorting.
std::vector<Network> BlocksBetweenPoles(const Network& network);

// The links by the components of the network without source and target, as paths from one to the
// other stay in one component; links that join source and target are a component each. The numbers
// of paths of the components add up.
std::vector<std::vector<Link>> ComponentsBetweenPoles(const Network& network);

}  // namespace simpath
