// OpenMP's tasks and targets, translated to plain C over taskrt/ompc.h and ompc/omp_calls.h.
//
//   #pragma omp task depend(in:A[k][k]) depend(out:A[k][i])
//   { trsm(A[k][k], A[k][i], ts, ts); }
//
// becomes a block that creates the task, on the same line, and a function behind the one that it is
// in, which is the statement. Known are, with the clauses in parentheses:
//
//   parallel (private, firstprivate), single (the same, nowait), master, masked, barrier: one
//     thread runs a region, as OpenMP allows; at its end, and a single's, all its tasks have ended
//   task (depend, shared, private, firstprivate, default, if, final, priority), taskgroup,
//     taskloop (the same but depend; grainsize, num_tasks, nogroup), taskwait (depend), taskyield
//   critical, atomic, flush
//   target (depend, map, device, nowait, if, private, firstprivate, priority, and the paper's
//     async, num_units and work_item), target data, target enter data, target exit data, target
//     update, declare target, and the paper's declare variant
//
// Without effect are untied, mergeable, affinity, hint, proc_bind, num_threads, copyprivate and the
// memory orders. All else of #pragma omp is refused; other text stays as it is, but <omp.h>, whose
// functions are those of ompc/omp_library.h.
//
// - Text is read before the preprocessor. A program whose pragmas are in #if, or whose statements
//   name variables by macros, is preprocessed first: gcc -E -fopenmp.
// - A task's variables are those of OpenMP: copies, or places where shared. The variables that a
//   declaration names, as its arrays' sizes, are its own, too. Dependencies order the tasks that
//   one task creates; a program's outside of tasks, those that use the blocks of ompc.h.
// - An element of a list that is a pointer means the block that it points to; any other means its
//   own memory. X[a:n] is that part of what X points to, or of the array X. X[:], or X alone, is
//   all of it: the array, the variable; of a pointer the block whose size an earlier map gave.
// - A target's statement that is one call, f(...), of a function that the file declares is the
//   kernel f, or the variant of f that is declared for its device (without a device clause the only
//   one): what was registered by that name (ompc_target_register), or else the function itself. Its
//   arguments are taken when the task is created. Any other statement runs on simulated devices and
//   on the host. Which device it is the scheduler chooses. No directive is in a target's statement.
// - A pointer in a structure is not attached to what it points to: on a device it has the host's
//   value. A target names the memory by a pointer of its own.
// - num_units(n): at most n of the kernel's tasks compute at a time on a device. work_item(n, ...):
//   OpenCL's global size; a simulated device runs the function once, whatever the size.
// - After a target that waits, and after taskwait and the end of a taskgroup, the host has what
//   maps bring back and may change it. Data regions, and ompc_target_map, keep the devices' values
//   until then. A variable has one value at a time: where host and device differ on purpose, what
//   the host has of it before an update or the region's end is not defined. In a task, target data
//   and target enter data on what no device has yet do nothing: each target there takes and brings
//   its own. Variables of declare target are the host's alone.
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
