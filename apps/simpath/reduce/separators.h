// Parts of a network that only two of its vertices join to the rest. Pure.
#pragma once

#include <cstdint>
#include <functional>

#include "apps/simpath/reduce/network.h"

namespace simpath {

// Replaces each side of a 2-separator {u, v} that holds no pole inside by a link from u to v, whose
// weight is what `paths` says of the side, a network with the poles u and v. Only the largest sides
// are replaced: what they hold themselves is for `paths`.
//
// The method: for each vertex u, the cut vertices of the network without u, where a link joins the
// poles. Vertices times links in time; stops before the `steps` that are left, links looked at,
// would be below 0. The number of sides.
//
// The new link stands where the last link of the side at u or v stood. No frontier gets wider: one
// of u and v had a link of the side there, and while the other stays longer than it did, the side
// is connected, so that some inner vertex of it would have been in the frontier.
//
// Precondition: the network is one block, no two links join the same vertices or both poles, and
// without the poles it is connected.
std::uint64_t ReplaceSides(Network& network, std::uint64_t& steps,
                           const std::function<Term(Network side)>& paths);

}  // namespace simpath
