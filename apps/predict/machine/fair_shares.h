// Max-min fair shares of resources that flows have in common.
//
// Each flow has a speed that it would have alone and wants so much of some resources at
// that speed. All flows are slowed by the same factor until a resource is used up; the flows
// that use it keep that factor, and the others go on (progressive filling). So no flow could be
// faster without making one slower that is slowed as much or more.
//
// Pure.
#pragma once

#include <cstddef>
#include <vector>

namespace predict {

// A value. What a flow takes of a resource at its full speed, in the resource's unit a second.
struct Use {
  std::size_t resource = 0;  // index into the capacities
  double amount = 0;
};

// The factor of each flow, from 0 to 1, of its full speed. `capacities` are above 0, amounts 0 or
// more; a flow that uses nothing has 1.
std::vector<double> FairShares(const std::vector<std::vector<Use>>& flows,
                               const std::vector<double>& capacities);

}  // namespace predict
