// The reductions that a program declares, which are found by their name, an operator's too, and the
// variable's type.
#include <algorithm>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "taskrt/ompc/translate/regions/translator.h"

namespace taskrt {
namespace {

// "unsigned long" of "long unsigned int", as C has several words for one type.
std::string InOrder(std::vector<std::string> words) {
  const auto has = [&](const char* word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  if (!has("char") && (has("signed") || has("unsigned") || has("long") || has("short"))) {
    std::erase(words, "int");
    std::erase(words, "signed");
    if (words.empty()) words.push_back("int");
  }
  const bool is_tagged = has("struct") || has("union") || has("enum");
  if (!is_tagged && std::all_of(words.begin(), words.end(),
                                [](const std::string& word) { return IsWordCharacter(word[0]); })) {
    std::sort(words.begin(), words.end());
  }
  return absl::StrJoin(words, " ");
}

}  // namespace

const TypeDeclaration* Translator::FindTypedef(const std::string& name) const {
  const auto in = [&](const Scope& scope) -> const TypeDeclaration* {
    const auto at = std::find_if(scope.types.rbegin(), scope.types.rend(), [&](const auto& each) {
      return each.name == name && each.text.starts_with("typedef ");
    });
    return at == scope.types.rend() ? nullptr : &*at;
  };
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const TypeDeclaration* const found = in(*scope)) return found;
  }
  for (auto scopes = enclosing_.rbegin(); scopes != enclosing_.rend(); ++scopes) {
    for (auto scope = scopes->rbegin(); scope != scopes->rend(); ++scope) {
      if (const TypeDeclaration* const found = in(*scope)) return found;
    }
  }
  return in(globals_);
}

// The same text for the same type, as far as this file has its typedefs.
std::string Translator::PlainType(const std::string& type) const {
  static const auto& left = *new std::set<std::string>{
      "static", "extern", "const", "volatile", "register", "__const", "_Atomic", "__extension__"};
  std::string text = type;
  for (int depth = 0; depth < 16; ++depth) {
    const std::vector<Token> tokens = TokensOf(text);
    std::vector<std::string> words;
    bool has_typedef = false;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (left.contains(tokens[i].text)) continue;
      const TypeDeclaration* const its =
          tokens[i].kind == Token::Kind::kWord && !IsOtherName(tokens, i)
              ? FindTypedef(tokens[i].text)
              : nullptr;
      const auto declared =
          its == nullptr
              ? std::nullopt
              : ParseDeclared(std::string_view(its->text).substr(8, its->text.size() - 9));
      if (!declared || declared->variables.size() != 1 || has_typedef) {
        words.push_back(tokens[i].text);
        continue;
      }
      const std::string plain = declared->variables[0].Declare("");
      has_typedef = Trimmed(plain) != tokens[i].text;
      for (const Token& token : TokensOf(plain)) words.push_back(token.text);
    }
    if (!has_typedef) return InOrder(words);
    text = absl::StrJoin(words, " ");
  }
  return text;
}

// `type`: the variable's, or its elements'.
absl::StatusOr<Translator::FoundReduction> Translator::FindReduction(const std::string& name,
                                                                     const std::string& type,
                                                                     ReductionName kind) const {
  const bool is_operator = kind == ReductionName::kOperator;
  const std::string plain = PlainType(type);
  std::vector<const OwnReduction*> visible;
  if (const auto known = reductions_.find(name); known != reductions_.end()) {
    for (const OwnReduction& each : known->second) {
      if (at_ < each.end) visible.push_back(&each);
    }
  }
  for (auto each = visible.rbegin(); each != visible.rend(); ++each) {
    for (const std::string& its : (*each)->types) {
      if (PlainType(its) == plain) return FoundReduction{*each, true};
    }
  }
  const bool is_record = plain.starts_with("struct ") || plain.starts_with("union ");
  if (is_operator && !is_record) return FoundReduction{};
  if (visible.empty() && !is_operator) {
    return absl::InvalidArgumentError(absl::StrCat("a declare reduction of ", name));
  }
  if (!is_operator && visible.size() == 1) return FoundReduction{visible[0], false};
  return absl::InvalidArgumentError(
      absl::StrCat("a declare reduction of ", name, " for ", Trimmed(type)));
}

// (IDENTIFIER : TYPES : COMBINER) initializer(...)
absl::Status Translator::DeclareReduction(const Directive& directive) {
  const auto form = absl::InvalidArgumentError("declare reduction(NAME : TYPES : COMBINER)");
  const Clause* const all = directive.Find("");
  if (all == nullptr) return form;
  const std::size_t first = FindOutside(all->text, ':');
  if (first == std::string::npos) return form;
  const std::string rest = all->text.substr(first + 1);
  const std::size_t second = FindOutside(rest, ':');
  if (second == std::string::npos) return form;
  OwnReduction reduction;
  reduction.types = SplitAtCommas(rest.substr(0, second));
  reduction.combiner = Trimmed(std::string_view(rest).substr(second + 1));
  if (const Clause* const initializer = directive.Find("initializer"))
    reduction.initializer = initializer->text;
  for (const Scope& scope : scopes_) reduction.end = std::min(reduction.end, scope.end);
  reductions_[Trimmed(std::string_view(all->text).substr(0, first))].push_back(reduction);
  return absl::OkStatus();
}

}  // namespace taskrt
