#include "taskrt/ompc/translate/regions/resolution.h"

#include <algorithm>

namespace taskrt {

absl::StatusOr<std::set<std::string>> UsesOf(Resolution& all, std::size_t end,
                                             const ResolveBody& body) {
  return all.scopes.UsesOf(end, [&] { return body().status(); });
}

std::string ConditionOf(Resolution& all, const Directive& directive, std::string_view part) {
  std::string condition;
  for (const Clause& clause : directive.clauses) {
    if (clause.name != "if") continue;
    const std::size_t colon = FindOutside(clause.text, ':');
    const bool is_plain =
        colon == std::string::npos || FindOutside(clause.text, '?') != std::string::npos;
    const std::string of = is_plain ? "" : Trimmed(std::string_view(clause.text).substr(0, colon));
    if (!is_plain && of != part) continue;
    condition = all.scopes.Rewritten(
        is_plain ? clause.text : Trimmed(std::string_view(clause.text).substr(colon + 1)));
  }
  return condition;
}

std::string LineEndsOf(const Source& source, std::size_t begin, std::size_t end) {
  const std::string_view text = source.text().substr(begin, end - begin);
  return std::string(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')), '\n');
}

}  // namespace taskrt
