// The unbalanced tree search benchmark's tree T1: geometric, 4 children in the
// mean down to depth 10, root 19. A node is a SHA-1 digest; its children's are
// digests of it and their number, so the tree is unknown before it is walked.
//
// Source: Olivier et al.: UTS, an unbalanced tree search benchmark. LCPC
// 2006; the tree is that of the original program, node for node.
#pragma once

#include "lwt/workloads/sha1.h"

namespace uts {

inline constexpr long kNodesOfT1 = 4'130'071;

// A value.
struct Node {
  Digest digest;
  int depth = 0;
};

Node RootOfT1();
int ChildrenOf(const Node& node);
Node ChildOf(const Node& node, int number);

}  // namespace uts
