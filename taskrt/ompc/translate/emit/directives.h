// Other directives: atomic, depobj, error, metadirective, taskgraph and threadprivate.
//
// Pure. Threads: any.
#pragma once

#include <string>
#include <vector>

#include "taskrt/ompc/translate/regions/region.h"

namespace taskrt {

// { EXPRESSION's value; PLACE's address and value, old;
//   do { new = old; STATEMENT with `new` in PLACE's place } while (PLACE is not old any more); }
// The macros for that are in omp_atomic.h.
std::string TextOf(const AtomicRegion& atomic);
std::string TextOf(const DependObjectRegion& object);
std::string TextOf(const ErrorRegion& error);
// `bodies`: of the choices.
std::string TextOf(const MetaRegion& meta, const std::vector<std::string>& bodies);
std::string TextOf(const TaskGraphRegion& graph, const std::string& body);
std::string TextOf(const ThreadPrivateRegion& variables);

}  // namespace taskrt
