#include <algorithm>

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/directives/context.h"
#include "taskrt/ompc/translate/regions/translator.h"

namespace taskrt {
namespace {

// A directive that may take its place, where the condition holds.
struct Choice {
  std::string condition, text;
};

bool StandsAlone(const Directive& directive) {
  static constexpr std::string_view kAlone[] = {
      "taskwait", "taskyield",         "barrier",          "flush",        "error",
      "depobj",   "target enter data", "target exit data", "target update"};
  return std::find(std::begin(kAlone), std::end(kAlone), directive.name) != std::end(kAlone);
}

}  // namespace

// The first directive whose context the place has; where that depends on a value, one of several.
absl::Status Translator::MetaDirective(const Directive& directive) {
  std::vector<Choice> choices;
  std::string otherwise;
  for (const Clause& clause : directive.clauses) {
    if (clause.name != "when") {
      otherwise = clause.text;
      continue;
    }
    const std::size_t colon = FindOutside(clause.text, ':');
    if (colon == std::string::npos) return absl::InvalidArgumentError("SELECTOR: in when");
    const auto condition =
        ConditionOfContext(std::string_view(clause.text).substr(0, colon), nest_);
    if (!condition.ok()) return condition.status();
    if (!condition->has_value()) continue;
    choices.push_back({**condition, Trimmed(std::string_view(clause.text).substr(colon + 1))});
    if (choices.back().condition.empty()) break;
  }
  if (choices.empty() || !choices.back().condition.empty()) choices.push_back({"", otherwise});
  std::vector<Directive> all;
  bool takes_statement = false;
  for (const Choice& choice : choices) {
    const auto its = ParseDirective(choice.text.empty() ? "nothing" : choice.text);
    if (!its.ok()) return its.status();
    all.push_back(*its);
    takes_statement |= !StandsAlone(*its);
  }
  if (all.size() == 1) return Translate(all[0]);
  const std::size_t begin = at_;
  out_ += " {";
  for (std::size_t i = 0; i < all.size(); ++i) {
    at_ = begin;
    const std::string& condition = choices[i].condition;
    if (!condition.empty()) absl::StrAppend(&out_, " if (", Rewritten(condition), ") {");
    const Body body = [&]() -> absl::Status {
      if (absl::Status done = Translate(all[i]); !done.ok()) return done;
      if (at_ != begin || !takes_statement) return absl::OkStatus();
      const auto end = source_.AfterStatement(at_);
      return end.ok() ? Walk(*end) : end.status();
    };
    if (absl::Status done = Around("", "", body); !done.ok()) return done;
    if (!condition.empty()) out_ += " } else";
  }
  out_ += " }";
  return absl::OkStatus();
}

}  // namespace taskrt
