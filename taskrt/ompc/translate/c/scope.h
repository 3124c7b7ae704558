// The variables that a place of a C file sees, as their declarations' text: what a task's own
// function declares again.
//
//   static float *const a[2][n] = ...   specifiers "float", before "*const ", after "[2][n]"
//
// Pure. Threads: any.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "taskrt/ompc/translate/c/source.h"

namespace taskrt {

// A value.
struct Variable {
  std::string name;
  std::string specifiers;  // without static and its like
  std::string before, after;
  bool is_parameter = false;        // of a function
  bool is_static = false;           // or extern: there is one of it
  bool is_global = false;           // of the file
  bool is_declared_target = false;  // of the file, by declare target
  bool is_shared = false;           // by the tasks of a parallel region
  bool is_threadprivate = false;
  bool is_nested_function = false;  // gcc's function inside of a function
  std::string shown;                // what its name has become in the text; empty: nothing else

  bool is_array() const { return after.starts_with('['); }
  bool is_const() const;
  // The declaration of another by this one's type.
  std::string Declare(const std::string& as) const;
};

// A value: a type that a block declares, and its text.
struct TypeDeclaration {
  std::string name, text;
};

// A value: what a declaration declares.
struct Declared {
  std::vector<Variable> variables;
  std::vector<Variable> functions;  // that are no pointers
  std::vector<TypeDeclaration> types;
};
// `text`: from a statement's begin to before its semicolon. None: it is no declaration.
std::optional<Declared> ParseDeclared(std::string_view text);
// What a function's parameters declare: `text` is between the parentheses.
std::vector<Variable> ParseParameters(std::string_view text);

// A value: a block, a loop with its declaration, or a function.
struct Scope {
  std::size_t end = 0;  // where it is over
  std::vector<Variable> variables;
  std::vector<TypeDeclaration> types;
};

}  // namespace taskrt
