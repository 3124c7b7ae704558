// OpenMP in C, translated to plain C over taskrt/ompc.h and ompc/omp_*.h.
//
//   #pragma omp task depend(in:A[k][k]) depend(out:A[k][i])
//   { trsm(A[k][k], A[k][i], ts, ts); }
//
// becomes a block that creates the task, on the same line, and a function behind the one that it is
// in, which is the statement. directives/constructs.h has the table of the constructs and clauses
// that run, and of those that have no effect; all others of #pragma omp are refused, and [WLBS20]'s
// async, num_units and work_item run. Other text stays as it is, but <omp.h>, whose functions are
// those of ompc/omp_library.h.
//
// - A region has a team of threads (omp_set_num_threads, OMP_NUM_THREADS, num_threads). A region in
//   another one has one thread, unless omp_set_max_active_levels says otherwise, and a region in a
//   task has one always. Threads are bound to no place.
// - Text is read before the preprocessor. A program whose pragmas are in #if, or whose statements
//   name variables by macros, is preprocessed first: gcc -E -fopenmp.
// - A task's variables are those of OpenMP: copies, or places where shared. The variables that a
//   declaration names, as its arrays' sizes, are its own, too. Dependencies order the tasks that
//   one task creates; a program's outside of tasks, those that use the blocks of ompc.h.
// - An element of a list that is a pointer means the block that it points to; any other means its
//   own memory. X[a:n] is that part of what X points to, or of the array X. X[:], or X alone, is
//   all of it: the array, the variable; of a pointer the block whose size an earlier map gave. A
//   pointer variable in depend means itself, too: tasks may give it another value. In depend
//   X[a:n][b:m] means the block of its first element; in a map it is one piece of memory.
// - A target's statement that is one call, f(...), of a function that the file declares is the
//   kernel f, or the variant of f that is declared for its device (without a device clause the only
//   one): what was registered by that name (ompc_target_register), or else the function itself. Its
//   arguments are taken when the task is created. Any other statement runs on simulated devices and
//   on the host. On OpenCL's devices a loop runs, too, which a directive shares, where its text is
//   C that OpenCL has (device/device_text.h). Which device it is the scheduler chooses. No
//   directive of a target, and no dependency, is in a target's statement; a region in it has one
//   thread on a device.
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
// - The block of a taskgraph creates tasks, and all else that it does is done when it is run: at
//   the first encounter, and again where a list of its tasks depends on a value that has changed,
//   where another thread replays the same graph, or where the block cannot be recorded, as with a
//   list that is read from memory behind a pointer: A[k][0:n] of a double **A, p->x.
// - ompc_init is called before the first target or dependency, where the program has not.
//
// Three passes translate a file: program/ reads the text and the code that each directive takes,
// regions/ resolves what each directive does to which variables, as values, and emit/ writes them.
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
