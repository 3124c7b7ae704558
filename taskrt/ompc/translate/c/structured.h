// Structured blocks: one way in, at the top, and one way out, at the bottom.
//
// Pure. Threads: any. Source: OpenMP 5.1, section 1.2.2; gcc's functions inside of functions.
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "taskrt/ompc/translate/c/loop.h"
#include "taskrt/ompc/translate/c/source.h"

namespace taskrt {

// Where the body of a function begins whose definition begins here, in a block; nullopt: no
// definition does.
std::optional<std::size_t> FunctionBodyAt(const Source& source, std::size_t at);

// A value: places of the text.
struct Block {
  std::size_t begin = 0, end = 0;
  enum class Kind { kStatement, kLoopBody } kind = Kind::kStatement;  // of continue
};
// Errors: InvalidArgument, "file:line: expected no WORD ..." where control may leave the block of
// `directive`, or enter it from elsewhere in the function.
absl::Status CheckStructured(const Source& source, const Block& block, const Block& function,
                             const std::string& directive, const Macros& macros);

}  // namespace taskrt
