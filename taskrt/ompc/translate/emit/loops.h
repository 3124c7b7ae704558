// Loops and sections whose parts a team shares.
//
// Pure. Threads: any.
#pragma once

#include <string>
#include <vector>

#include "taskrt/ompc/translate/regions/region.h"

namespace taskrt {

// `body`: of the innermost loop.
std::string TextOf(const LoopRegion& loop, const std::string& body);
std::string TextOf(const ScanPhases& scan, const std::string& before, const std::string& after);
// `bodies`: of the sections.
std::string TextOf(const SectionsRegion& sections, const std::vector<std::string>& bodies);

}  // namespace taskrt
