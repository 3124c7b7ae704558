#include "taskrt/ompc/translate/translate.h"

#include "absl/status/status.h"
#include "taskrt/ompc/translate/c/functions.h"
#include "taskrt/ompc/translate/c/source.h"
#include "taskrt/ompc/translate/directives/pragmas.h"
#include "taskrt/ompc/translate/emit/emit.h"
#include "taskrt/ompc/translate/program/parser.h"
#include "taskrt/ompc/translate/regions/resolve.h"

namespace taskrt {

absl::StatusOr<std::string> TranslateOpenMp(std::string_view source, std::string_view file) {
  const std::string text = WithPlainPragmas(source);
  const Source plain(text, file);
  const auto functions = FunctionsOf(plain);
  if (!functions.ok()) return functions.status();
  const auto code = Parser(plain).ParseFile();
  if (!code.ok()) return code.status();
  const auto program = Resolve(plain, *code, *functions);
  if (!program.ok()) return program.status();
  std::string all = Emit(*program, plain.file());
  if (absl::Status done = HasNoPragmas(Source(all, file)); !done.ok()) return done;
  return all;
}

}  // namespace taskrt
