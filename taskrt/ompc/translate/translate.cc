#include "taskrt/ompc/translate/translate.h"

#include "taskrt/ompc/translate/regions/translator.h"

namespace taskrt {

absl::StatusOr<std::string> TranslateOpenMp(std::string_view source, std::string_view file) {
  return Translator(source, file).Run();
}

}  // namespace taskrt
