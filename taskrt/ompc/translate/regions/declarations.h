// Directives that declare: threadprivate and declare target.
//
// Pure. Threads: one. Source: OpenMP 5.1, sections 2.14.7 and 2.21.2.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "taskrt/ompc/translate/directives/directive.h"
#include "taskrt/ompc/translate/regions/region.h"
#include "taskrt/ompc/translate/regions/resolution.h"

namespace taskrt {

// A variable's word becomes that of the calling thread's copy. The variables of a file have a
// record that is found once; the copies of a function's are looked up by its place, as tasks'
// functions know no more of it.
absl::StatusOr<ThreadPrivateRegion> ThreadPrivateOf(Resolution& all, const Directive& directive);
// Its functions are the host's, which simulated devices call, too; its variables are the host's.
absl::Status DeclareTarget(Resolution& all, const Directive& directive);

}  // namespace taskrt
