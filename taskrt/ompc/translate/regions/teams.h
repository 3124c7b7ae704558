// Teams of threads and the work that their members share: parallel, teams, sections, single and
// scope.
//
// Pure. Threads: one. Source: OpenMP 5.1, sections 2.6, 2.7 and 2.10.
#pragma once

#include <cstddef>

#include "absl/status/statusor.h"
#include "taskrt/ompc/translate/program/code.h"
#include "taskrt/ompc/translate/regions/loops.h"
#include "taskrt/ompc/translate/regions/region.h"
#include "taskrt/ompc/translate/regions/resolution.h"

namespace taskrt {

// `body`: the rest of the construct.
absl::StatusOr<ParallelRegion> ParallelOf(Resolution& all, const ParsedConstruct& construct,
                                          std::size_t part, const ResolveBody& body);
absl::StatusOr<TeamsRegion> TeamsOf(Resolution& all, const ParsedConstruct& construct,
                                    std::size_t part, const ResolveBody& body);
absl::StatusOr<SectionsRegion> SectionsOf(Resolution& all, const ParsedConstruct& construct,
                                          std::size_t part, const ResolveCode& resolve);
absl::StatusOr<SingleRegion> SingleOf(Resolution& all, const ParsedConstruct& construct,
                                      const ResolveBody& body);
absl::StatusOr<ScopeRegion> ScopeOf(Resolution& all, const ParsedConstruct& construct,
                                    const ResolveBody& body);

// Resolves the code of a block that has a scope of its own.
absl::StatusOr<ResolvedCode> InBlock(Resolution& all, const ResolveBody& body);

}  // namespace taskrt
