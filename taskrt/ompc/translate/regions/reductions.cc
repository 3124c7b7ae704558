#include "taskrt/ompc/translate/regions/reductions.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "taskrt/ompc/translate/c/source.h"

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

// The same text for the same type, as far as this file has its typedefs.
std::string PlainType(const Scopes& scopes, const std::string& type) {
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
              ? scopes.FindTypedef(tokens[i].text)
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

}  // namespace

const ReductionOperator* FindReductionOperator(std::string_view name) {
  using Way = ReductionOperator::Way;
  static constexpr ReductionOperator kAll[] = {
      {"+", "+", "0", Way::kAssign},  {"-", "+", "0", Way::kAssign}, {"*", "*", "1", Way::kAssign},
      {"&", "&", "~0", Way::kAssign}, {"|", "|", "0", Way::kAssign}, {"^", "^", "0", Way::kAssign},
      {"&&", "&&", "1", Way::kJoin},  {"||", "||", "0", Way::kJoin}, {"min", "", "", Way::kLeast},
      {"max", "", "", Way::kGreatest}};
  const auto at = std::find_if(std::begin(kAll), std::end(kAll),
                               [&](const ReductionOperator& each) { return each.name == name; });
  return at == std::end(kAll) ? nullptr : at;
}

absl::StatusOr<Reductions::Found> Reductions::Find(const Scopes& scopes, std::size_t at,
                                                   const std::string& name, const std::string& type,
                                                   Name kind) const {
  const std::string plain = PlainType(scopes, type);
  std::vector<const OwnReduction*> visible;
  if (const auto known = declared_.find(name); known != declared_.end()) {
    for (const OwnReduction& each : known->second) {
      if (at < each.end) visible.push_back(&each);
    }
  }
  for (auto each = visible.rbegin(); each != visible.rend(); ++each) {
    for (const std::string& its : (*each)->types) {
      if (PlainType(scopes, its) == plain) return Found{**each, true};
    }
  }
  const bool is_record = plain.starts_with("struct ") || plain.starts_with("union ");
  if (kind == Name::kOperator && !is_record) return Found{};
  if (visible.empty() && kind == Name::kIdentifier) {
    return absl::InvalidArgumentError(absl::StrCat("a declare reduction of ", name));
  }
  if (kind == Name::kIdentifier && visible.size() == 1) return Found{*visible[0], false};
  return absl::InvalidArgumentError(
      absl::StrCat("a declare reduction of ", name, " for ", Trimmed(type)));
}

absl::Status Reductions::Declare(const Scopes& scopes, const Directive& directive) {
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
  for (const Scope& scope : scopes.all()) reduction.end = std::min(reduction.end, scope.end);
  declared_[Trimmed(std::string_view(all->text).substr(0, first))].push_back(reduction);
  return absl::OkStatus();
}

}  // namespace taskrt
