// MpC: C with shared data, translated to plain C over dsm/sms.h.
//
//   shared int a[NZ][NY][NX]::[NPROCS][1][1](0,NPROCS);
//
// becomes a typed pointer that is used as the array is,
//
//   int (*a)[NY][NX];
//
// and a function at the end of the file that allocates it, which mpc_init calls. An array without
// a mapping has process 0 for its home, and so has a scalar,
//
//   shared double sum;
//
// whose uses become those of what a pointer points to. `static shared` is of one file; in others
// `extern shared int a[][NY][NX];` declares what is shared elsewhere. A pointer to shared data
// (`shared int *p`) is a pointer, since addresses are the same in all processes, and may be
// declared anywhere; it is each process' own.
//
// Only these are rewritten; all else stays as it is, on its line. Refused, by name: shared data in
// functions, with initializers, pointers that are themselves shared, and another variable,
// parameter or type of the name of a shared scalar in its file.
//
// Pure. Source: [Mid18] section 2.1, figure 2(b). The paper shows the mapped array; the other forms
// are what programs in C with such arrays need.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace dsm {

// `file`: its name, for messages and #line. Errors: InvalidArgument, "file:line: what was
// expected".
absl::StatusOr<std::string> TranslateMpc(std::string_view source, std::string_view file);

}  // namespace dsm
