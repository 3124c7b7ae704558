// MpC: C with shared arrays, translated to plain C over dsm/sms.h.
//
//   shared int a[NZ][NY][NX]::[NPROCS][1][1](0,NPROCS);
//
// becomes a typed pointer that is used as the array is,
//
//   static int (*a)[NY][NX];
//
// and a function at the end of the file that allocates all of them, which mpc_init calls.
// Only such declarations are rewritten; all else stays as it is, on its line.
//
// Pure. Source: [Mid18] section 2.1, figure 2(b); the paper shows no other form, so what
// else is shared (a scalar, an array without a mapping, one in a function) is refused.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace dsm {

// `file`: its name, for messages and #line. Errors: InvalidArgument, "file:line: what was
// expected".
absl::StatusOr<std::string> TranslateMpc(std::string_view source, std::string_view file);

}  // namespace dsm
