#include "taskrt/ompc/translate/regions/region.h"

#include "absl/strings/str_cat.h"

namespace taskrt {

void ResolvedCode::Add(const std::string& text) { elements.push_back({text, nullptr}); }
void ResolvedCode::Add(Region region) {
  elements.push_back({"", std::make_shared<const Region>(std::move(region))});
}
void ResolvedCode::Add(const ResolvedCode& code) {
  elements.insert(elements.end(), code.elements.begin(), code.elements.end());
}

std::string PlaceName(const Variable& variable) { return absl::StrCat("ompc_at_", variable.name); }

}  // namespace taskrt
