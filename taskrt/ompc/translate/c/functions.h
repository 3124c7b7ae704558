// The functions that a C file declares outside of others: what is known of them is how their
// parameters are passed to a task.
//
// Pure. Threads: any.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "taskrt/ompc/translate/c/source.h"

namespace taskrt {

// A value.
struct Parameter {
  bool is_pointer = false;
  std::string type;  // of what is none, without const and its like
};

// A value.
struct Function {
  std::vector<Parameter> parameters;
  bool is_callable = true;  // by a task: no ..., no pointers to functions
};

// "void f(float *a, unsigned n)", with anything before the parameters. Empty name: it is none.
struct Declaration {
  std::string name, parameters;  // between their parentheses
  Function function;
};
Declaration ParseDeclaration(std::string_view text);

// "int f(int a, double *b)" of "int f(a, b) double *b; int a;", as C89 has definitions, however
// many of the parameters' declarations are there; nullopt: it is none of these.
std::optional<std::string> PrototypeOf(std::string_view text);

// By their names. Errors: InvalidArgument, "file:line: expected ...".
absl::StatusOr<std::map<std::string, Function>> FunctionsOf(const Source& source);

}  // namespace taskrt
