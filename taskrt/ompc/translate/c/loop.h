// The loops whose iterations are shared: for (T i = lower; i < upper; i += step), in all forms that
// OpenMP knows of it.
//
// Pure. Threads: any.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "taskrt/ompc/translate/c/scope.h"
#include "taskrt/ompc/translate/c/source.h"

namespace taskrt {

// A value: texts of C.
struct Loop {
  std::optional<Variable> declares;  // the variable, where the loop declares it
  std::string variable;
  std::string lower, upper;
  std::string step;      // added each time
  std::string relation;  // <, <=, >, >= or !=, of the variable to `upper`
  std::size_t body = 0;  // where it begins
  bool depends = false;  // a bound names the variable of an outer loop

  // A macro of omp.h, over names of variables that have these values.
  std::string Count(const std::string& lower_name, const std::string& upper_name,
                    const std::string& step_name) const;
};

// The replacement texts of the file's macros, by their names.
using Macros = std::map<std::string, std::string>;

// The loop that begins here, behind space, and the loops that are the whole of its body, so many in
// all; `directive` is before them. Errors: InvalidArgument, "file:line: expected ...".
absl::StatusOr<std::vector<Loop>> ParseLoops(const Source& source, std::size_t at, int count,
                                             const std::string& directive, const Macros& macros);

}  // namespace taskrt
