// A program as it was read: its text in pieces, and its directives with the code that each takes.
// The first of the translator's three passes makes it (parser.h), the second resolves it.
//
// Pure. Threads: any.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "taskrt/ompc/translate/c/loop.h"
#include "taskrt/ompc/translate/c/scope.h"
#include "taskrt/ompc/translate/directives/directive.h"

namespace taskrt {

struct ParsedConstruct;
struct ParsedFunction;

// Values: kinds of pieces.
struct PlainText {};      // stays as it is
struct Word {};           // may be the name of a variable
struct LineEnds {};       // only its ends of lines stay
struct LibraryHeader {};  // #include <omp.h>
struct OpenedScope {      // is visible from here to its end
  std::shared_ptr<const Scope> scope;
};
struct Declarations {  // become the innermost scope's, outside of functions the file's
  std::shared_ptr<const Scope> scope;
};
struct MacroDefinition {
  std::string name, text;
};

// A value: a piece of the text, from `begin` up to `end`.
struct Piece {
  std::size_t begin = 0, end = 0;
  std::variant<PlainText, Word, LineEnds, LibraryHeader, OpenedScope, Declarations,
               std::shared_ptr<const MacroDefinition>, std::shared_ptr<const ParsedFunction>,
               std::shared_ptr<const ParsedConstruct>>
      is;
};
using Code = std::vector<Piece>;

// A value: a definition, whose body is the piece.
struct ParsedFunction {
  std::string name;
  std::vector<Variable> parameters;
  Code body;
};

// Values: a section of sections, from `begin` up to `end`.
struct ParsedSection {
  std::size_t begin = 0, end = 0;
  Code code;
};
// The block of a loop with inscan: the text begins at `begin`, the directive scan is
// [directive, behind).
struct ParsedScan {
  std::size_t begin = 0, directive = 0, behind = 0;
  bool is_inclusive = false;
  Code before, after;
};
// A task_iteration, at `begin`.
struct TaskIteration {
  std::size_t begin = 0;
  Directive directive;
};
// The function `name`, which runs on `device` where `base` is called.
struct ParsedVariant {
  std::string base, device, name;
};
// A directive that takes a metadirective's place where the condition holds; empty: always.
struct Choice {
  std::string condition;
  Code code;
};

// A value: a directive and the code that it takes. Places are the text's.
struct ParsedConstruct {
  Directive directive;
  std::vector<std::string> nest;  // the names of the constructs around it, the outermost first
  std::size_t begin = 0;          // of the directive
  std::size_t at = 0;             // behind the directive
  std::size_t end = 0;            // behind its statement; `at`: it has none
  Code code;                      // of its statement; with `loops` of the innermost one's body
  std::size_t code_end = 0;
  std::vector<Loop> loops;  // whose iterations it shares
  std::vector<ParsedSection> sections;
  std::optional<ParsedScan> scan;
  std::vector<TaskIteration> iterations;  // of taskloop
  std::vector<Choice> choices;            // of metadirective
  ParsedVariant variant;                  // of declare variant
};

// Does a directive of this part take no statement?
bool StandsAlone(const Directive& directive, const std::string& part);
// Does this part of the construct share the iterations of the loops that follow?
bool SharesLoops(const Directive& directive, std::size_t part);

}  // namespace taskrt
