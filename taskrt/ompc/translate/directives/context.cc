#include "taskrt/ompc/translate/directives/context.h"

#include <algorithm>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/c/source.h"
#include "taskrt/ompc/translate/directives/directive.h"

namespace taskrt {
namespace {

bool IsOneOf(const std::string& word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// A name may be written as a string.
std::string Unquoted(const std::string& text) {
  const bool is_quoted = text.size() > 1 && text.front() == '"' && text.back() == '"';
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

// "score(3): host" without its score.
std::string WithoutScore(const std::string& text) {
  const std::size_t colon = text.starts_with("score") ? FindOutside(text, ':') : std::string::npos;
  return colon == std::string::npos ? text : Trimmed(std::string_view(text).substr(colon + 1));
}

bool IsHostsArchitecture(const std::string& name) {
#if defined(__x86_64__)
  return IsOneOf(name, {"x86_64", "x86-64", "amd64"});
#elif defined(__aarch64__)
  return IsOneOf(name, {"aarch64", "arm64"});
#else
  return false;
#endif
}

bool HasDevice(const std::string& trait, const std::vector<std::string>& names) {
  return std::all_of(names.begin(), names.end(), [&](const std::string& quoted) {
    const std::string name = Unquoted(quoted);
    if (trait == "kind") return IsOneOf(name, {"host", "cpu", "any"});
    return trait == "arch" && IsHostsArchitecture(name);
  });
}

}  // namespace

absl::StatusOr<std::optional<std::string>> ConditionOfContext(std::string_view selector,
                                                              std::span<const std::string> nest) {
  const auto form = absl::InvalidArgumentError(
      absl::StrCat("SET={TRAIT, ...}, ... in a context selector, not ", std::string(selector)));
  std::string condition;
  bool holds = true;
  for (const std::string& set : SplitAtCommas(selector)) {
    const std::size_t equals = FindOutside(set, '=');
    if (equals == std::string::npos) return form;
    const std::string name = Trimmed(std::string_view(set).substr(0, equals));
    const std::string braces = Trimmed(std::string_view(set).substr(equals + 1));
    if (!braces.starts_with('{') || !braces.ends_with('}')) return form;
    auto around = nest.begin();
    for (const std::string& trait : SplitAtCommas(braces.substr(1, braces.size() - 2))) {
      const Source source(trait, "");
      const std::string word = source.WordAt(0);
      const std::size_t open = source.AfterSpace(source.AfterWord(0));
      std::string text;
      if (open < trait.size() && trait[open] == '(') {
        const auto end = source.AfterBrackets(open);
        if (!end.ok()) return form;
        text = WithoutScore(Trimmed(std::string_view(trait).substr(open + 1, *end - open - 2)));
      }
      if (word.empty()) return form;
      if (name == "user" && word == "condition") {
        absl::StrAppend(&condition, condition.empty() ? "" : " && ", "(", text, ")");
      } else if (name == "device" || name == "target_device") {
        holds = holds && HasDevice(word, SplitAtCommas(text));
      } else if (name == "construct") {
        around = std::find(around, nest.end(), word);
        holds = holds && around != nest.end();
        if (around != nest.end()) ++around;
      } else if (name == "implementation") {
        holds = false;
      } else {
        return form;
      }
    }
  }
  if (!holds) return std::optional<std::string>();
  return std::optional<std::string>(condition);
}

}  // namespace taskrt
