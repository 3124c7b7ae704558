// Teams of threads, and blocks that some of their members run.
//
// Pure. Threads: any.
#pragma once

#include <string>

#include "taskrt/ompc/translate/regions/region.h"

namespace taskrt {

std::string TextOf(const ParallelRegion& parallel);
// In the function of a parallel region.
std::string TextOf(const CopyIn& copies);
std::string TextOf(const TeamsRegion& teams, const std::string& body);
std::string TextOf(const SingleRegion& single, const std::string& body);
std::string TextOf(const ScopeRegion& scope, const std::string& body);
std::string TextOf(const BlockRegion& block, const std::string& body);
std::string TextOf(StandAlone directive);

// The variable of a critical section.
std::string SectionName(const std::string& name);
// The statements around one, with `separator` between them.
std::string AroundSection(const std::string& name, const std::string& separator);

}  // namespace taskrt
