// OpenMP's tasks and targets, translated to plain C over taskrt/ompc.h.
//
//   #pragma omp task depend(in:A[k][k]) depend(out:A[k][i])
//   { trsm(A[k][k], A[k][i], ts, ts); }
//
// becomes a block that creates the task, on the same line. Known are parallel, single, task, target
// (with depend, map, device, and the paper's async), taskwait, and the paper's declare variant; of
// these what is below. All else of #pragma omp is refused; other text stays as it is.
//
// - A task's or target's statement is one call of a function that the file declares, f(...). Its
//   arguments are evaluated when the task is created, as firstprivate would have it.
// - An element of a list that is a pointer means the block that it points to; any other means its
//   own memory. X[a:n] is that part of what X points to, or of the array X. X[:], or X alone, is
//   all of it: the array, the variable; of a pointer the block whose size an earlier map gave.
// - A target runs the variant of its function that is declared for its device; without a device
//   clause the only variant, without variants the function: that is the kernel's name. It runs what
//   was registered for it (ompc_target_register), or else the function itself. Which device it is
//   the scheduler chooses.
// - A parallel region is run by one thread, as OpenMP allows. At its end all tasks have ended and
//   devices keep only blocks of ompc_target_map (ompc_target_end_region).
// - ompc_init is called before the first of these, where the program has not.
//
// Pure. Source: [WLBS20] section 2.4, Programs 1 and 2.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace taskrt {

// `file`: its name, for messages and #line. Errors: InvalidArgument, "file:line: expected ...".
absl::StatusOr<std::string> TranslateOpenMp(std::string_view source, std::string_view file);

}  // namespace taskrt
