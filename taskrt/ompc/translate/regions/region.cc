#include "taskrt/ompc/translate/regions/region.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace taskrt {

void ResolvedCode::Add(const std::string& text) {
  if (elements.empty() || elements.back().region != nullptr) elements.emplace_back();
  elements.back().text += text;
}
void ResolvedCode::Add(Region region) {
  elements.push_back({"", std::make_shared<const Region>(std::move(region))});
}
void ResolvedCode::Add(ResolvedCode code) {
  for (Element& element : code.elements) {
    if (element.region == nullptr) {
      Add(element.text);
    } else {
      elements.push_back(std::move(element));
    }
  }
}

std::string PlaceName(const Variable& variable) { return absl::StrCat("ompc_at_", variable.name); }

}  // namespace taskrt
