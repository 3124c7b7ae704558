// The command of a translator: a file of some C in, C out.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace translator {

// A value.
struct Translator {
  std::string name;
  std::string description;
  // `file`: for errors, which name it and the line.
  absl::StatusOr<std::string> (*translate)(std::string_view source, std::string_view file);
};

// What main returns: 0, or 2 after one sentence, with no output written. The output is written
// whole or not at all.
int Main(const Translator& translator, int argc, char** argv);

}  // namespace translator
