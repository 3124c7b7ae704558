// Problems by name: of the families that public collections have, made from sizes and a seed, so
// that no file is needed. Pure.
//
//   theta:[random,]n=200,m=1949,seed=1       Lovász's theta; m - 1 edges
//   theta:cycle,n=  petersen  kneser,n=,k=  hamming,length=,letters=,distance=5+6 torus,n=,columns=
//   bordered-theta:...                       the same values, in n + 1 rows
//   max-cut:[torus,]n=800,columns=8,weights=signs (or ones),seed=1; the other graphs, too
//   bisection:[random,]n=100,edges=,seed=1   cycle,n=  petersen; no Y of it is positive definite
//   control:n=40,seed=1
//   truss:rows=3,columns=4,reach=2,loads=33,seed=1
//   material:blocks=4900,seed=1
//   qap:n=7,seed=1
//   random:m=50,blocks=20+d10,kind=sparse (or rank-one),elements=6,touched=0,empty=0,seed=1
//   blocks:...                               as random, with 2,100 blocks
//   infeasible:[primal,]n=10,m=6,seed=1      dual  weak
//
// theta-200, theta-300, control-40, max-cut-800 and bordered-theta-800 are short names, of problems
// whose sizes are those of SDPLIB's theta4, theta6, control8, maxG11 and thetaG11. Their numbers
// are not, and nothing about those says something about these.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/sdpa/generate/generated.h"

namespace sdpa {

// InvalidArgument is one sentence that lists what is allowed.
absl::StatusOr<Generated> Generate(std::string_view text);

// Of families, and the short names.
std::vector<std::string> FamilyNames();
std::vector<std::string> ShortNames();

}  // namespace sdpa
