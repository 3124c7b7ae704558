#include "taskrt/ompc/translate/directives/parse.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "taskrt/ompc/translate/c/source.h"
#include "taskrt/ompc/translate/directives/clauses.h"
#include "taskrt/ompc/translate/directives/constructs.h"

namespace taskrt {
namespace {

// The caller knows the line.
absl::Status Expected(const std::string& what) { return absl::InvalidArgumentError(what); }

// The letters that are to be added, left out or changed, or that have changed places, until one
// word is the other.
std::size_t Distance(std::string_view one, std::string_view other) {
  std::vector<std::vector<std::size_t>> all(one.size() + 1,
                                            std::vector<std::size_t>(other.size() + 1));
  for (std::size_t i = 0; i <= one.size(); ++i) {
    for (std::size_t j = 0; j <= other.size(); ++j) {
      if (i == 0 || j == 0) {
        all[i][j] = i + j;
        continue;
      }
      all[i][j] = std::min({all[i - 1][j] + 1, all[i][j - 1] + 1,
                            all[i - 1][j - 1] + (one[i - 1] == other[j - 1] ? 0 : 1)});
      const bool is_turned =
          i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1];
      if (is_turned) all[i][j] = std::min(all[i][j], all[i - 2][j - 2] + 1);
    }
  }
  return all[one.size()][other.size()];
}

// ", as parallel is one", of a word that may be meant; or none.
std::string Nearest(const std::string& word) {
  std::string nearest;
  std::size_t least = std::min<std::size_t>(3, word.size() / 2);
  for (const Construct& each : Constructs()) {
    const std::string name(each.name.substr(0, each.name.find(' ')));
    const std::size_t distance = Distance(word, name);
    if (distance == 0) return "";
    if (distance >= least) continue;
    least = distance;
    nearest = absl::StrCat(": ", name, "?");
  }
  return nearest;
}

absl::Status Unknown(const std::string& directive) {
  return Expected(absl::StrCat(
      "a directive behind #pragma omp that ompc --constructs lists as one that runs, not ",
      directive, Nearest(directive)));
}

// Is the clause in a list of the table?
bool IsIn(std::string_view list, const std::string& clause) {
  const std::string word = absl::StrCat(" ", clause.empty() ? "-" : clause);
  for (std::size_t at = list.find(word); at != std::string_view::npos;
       at = list.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if (end == list.size() || list[end] == ' ') return true;
  }
  return false;
}

absl::Status CheckClause(Directive& directive, const Clause& clause, bool& is_ignored) {
  std::string names;
  for (const std::string& part : directive.parts) {
    const Construct& construct = *FindConstruct(part);
    if (IsIn(construct.clauses, clause.name)) return absl::OkStatus();
    is_ignored = is_ignored || IsIn(construct.ignored, clause.name);
    for (const std::string_view list : {construct.clauses, construct.ignored}) {
      for (std::string_view rest = list; !rest.empty();) {
        rest.remove_prefix(1);
        const std::string name(rest.substr(0, rest.find(' ')));
        rest.remove_prefix(name.size());
        if (name != "-") absl::StrAppend(&names, names.empty() ? "" : ", ", name);
      }
    }
  }
  if (is_ignored) return absl::OkStatus();
  return Expected(absl::StrCat(names.empty() ? "no clause" : absl::StrCat("one of ", names),
                               " behind ", directive.name, ", not ", clause.name));
}

// The directive's words: the longest construct that they are, or several that are combined.
absl::Status ReadName(const Source& source, std::size_t& at, Directive& directive) {
  const auto after = [&](std::size_t from) { return source.AfterSpace(source.AfterWord(from)); };
  std::vector<std::string> words;
  std::size_t behind = at;
  for (std::size_t next = at; words.size() < 3 && !source.WordAt(next).empty();
       next = after(next)) {
    words.push_back(source.WordAt(next));
    const std::string name = absl::StrJoin(words, " ");
    if (FindConstruct(name) == nullptr) continue;
    directive.name = name;
    directive.parts = {name};
    behind = after(next);
  }
  const std::string given = absl::StrJoin(words, " ");
  // Or a combination, from its first word on.
  words.clear();
  for (std::size_t next = at; IsPart(source.WordAt(next)); next = after(next)) {
    words.push_back(source.WordAt(next));
    const std::vector<std::string> parts = PartsOf(words);
    if (parts.size() < 2) continue;
    directive.name = absl::StrJoin(words, " ");
    directive.parts = parts;
    behind = after(next);
  }
  if (words.size() > 1 && directive.parts.size() < words.size()) {
    return Unknown(absl::StrJoin(words, " "));
  }
  if (directive.parts.empty()) return Unknown(given.substr(0, given.find(' ')));
  const Construct* const construct = FindConstruct(directive.parts[0]);
  if (construct->fate == Fate::kRefused) return Unknown(directive.name);
  at = behind;
  return absl::OkStatus();
}

// Is one of its parts a loop, or are they sections, that one member may run in order?
bool MayHave(const Directive& directive, const std::string& modifier) {
  const auto has = [&](std::string_view part) {
    return std::find(directive.parts.begin(), directive.parts.end(), part) != directive.parts.end();
  };
  const bool is_others = has("taskloop") || has("distribute");
  return !is_others &&
         (has("for") || has("simd") || (modifier == "conditional" && has("sections")));
}

// A clause that its modifier makes another one.
Clause Named(const Clause& clause) {
  static constexpr std::pair<std::string_view, std::string_view> kModifiers[] = {
      {"lastprivate", "conditional"}, {"reduction", "inscan"}};
  for (const auto& [name, modifier] : kModifiers) {
    if (clause.name != name || !clause.text.starts_with(modifier)) continue;
    const std::string rest = Trimmed(std::string_view(clause.text).substr(modifier.size()));
    if (rest.starts_with(':') || rest.starts_with(',')) {
      return {std::string(modifier), Trimmed(std::string_view(rest).substr(1))};
    }
  }
  return clause;
}

absl::StatusOr<ItemList> ParseList(const std::string& clause, const std::string& type,
                                   std::string_view text) {
  ItemList list{type, {}};
  for (const std::string& part : SplitAtCommas(text)) {
    const auto item = ParseListItem(part);
    if (!item.ok()) return item.status();
    list.items.push_back(*item);
  }
  if (list.items.empty()) return Expected(absl::StrCat("something in ", clause, "'s list"));
  return list;
}

}  // namespace

absl::StatusOr<Directive> ParseDirective(std::string_view text) {
  const Source source(text, "");
  Directive directive;
  std::size_t at = source.AfterSpace(0);
  if (absl::Status known = ReadName(source, at, directive); !known.ok()) return known;
  std::vector<Clause> written;
  while (at < text.size()) {
    if (text[at] == ',') {
      at = source.AfterSpace(at + 1);
      continue;
    }
    Clause clause;
    clause.name = source.WordAt(at);
    if (clause.name.empty() && text[at] != '(') {
      return Expected(
          absl::StrCat("a clause behind ", directive.name, ", not ", std::string(text.substr(at))));
    }
    at = source.AfterSpace(source.AfterWord(at));
    bool is_ignored = false;
    if (absl::Status known = CheckClause(directive, clause, is_ignored); !known.ok()) return known;
    if (at < text.size() && text[at] == '(') {
      const auto end = source.AfterBrackets(at);
      if (!end.ok()) return Expected(absl::StrCat("a ) behind ", clause.name, "("));
      clause.text = Trimmed(text.substr(at + 1, *end - at - 2));
      at = source.AfterSpace(*end);
    }
    written.push_back(Named(clause));
    if (!is_ignored) directive.clauses.push_back(Named(clause));
  }
  if (absl::Status agree = CheckClauses(directive, written); !agree.ok()) return agree;
  for (const std::string modifier : {"inscan", "conditional"}) {
    if (directive.Has(modifier) && !MayHave(directive, modifier)) {
      return Expected(absl::StrCat("no ", modifier, " behind ", directive.name));
    }
  }
  return directive;
}

absl::StatusOr<ListItem> ParseListItem(std::string_view text) {
  ListItem item;
  item.base = Trimmed(text);
  // The last brackets, as far as sections are in them.
  std::size_t first = std::string::npos;
  for (std::size_t from = 0;;) {
    const std::size_t next = FindOutside(std::string_view(item.base).substr(from), '[');
    if (next == std::string::npos) break;
    const std::size_t open = from + next;
    const auto after = Source(item.base, "").AfterBrackets(open);
    if (!after.ok()) return Expected(absl::StrCat("a ] in ", item.base));
    from = *after;
    const std::string inside = item.base.substr(open + 1, from - open - 2);
    const std::size_t colon = FindOutside(inside, ':');
    const bool is_index = colon == std::string::npos || inside.find('?') != std::string::npos;
    if (is_index && first == std::string::npos) continue;
    if (is_index) return Expected(absl::StrCat("sections in the last brackets, not ", item.base));
    Range range{Trimmed(inside.substr(0, colon)), Trimmed(inside.substr(colon + 1))};
    if (FindOutside(range.length, ':') != std::string::npos) {
      return Expected(absl::StrCat("a section without a stride, not ", item.base));
    }
    if (first == std::string::npos) {
      first = open;
      item.is_section = true;
      item.lower = range.lower;
      item.length = range.length;
    } else {
      item.inner.push_back(std::move(range));
    }
  }
  item.base = item.base.substr(0, first);
  if (item.base.empty()) return Expected("a variable or an element of an array");
  return item;
}

absl::StatusOr<std::vector<Iterator>> ParseIterators(std::string_view text) {
  std::vector<Iterator> iterators;
  for (const std::string& each : SplitAtCommas(text)) {
    const auto form =
        Expected(absl::StrCat("NAME = BEGIN:END or NAME = BEGIN:END:STEP in "
                              "iterator, not ",
                              each));
    const std::size_t equals = FindOutside(each, '=');
    if (equals == std::string::npos || FindOutside(each, '?') != std::string::npos) return form;
    Iterator iterator;
    iterator.declared = Trimmed(std::string_view(each).substr(0, equals));
    if (TokensOf(iterator.declared).size() == 1) iterator.declared.insert(0, "int ");
    std::vector<std::string> range;
    for (std::string_view rest = std::string_view(each).substr(equals + 1);;) {
      const std::size_t colon = FindOutside(rest, ':');
      range.push_back(Trimmed(rest.substr(0, colon)));
      if (colon == std::string_view::npos) break;
      rest.remove_prefix(colon + 1);
    }
    if (range.size() < 2 || range.size() > 3 || range[0].empty() || range[1].empty()) return form;
    iterator.begin = range[0];
    iterator.end = range[1];
    if (range.size() == 3) iterator.step = range[2];
    iterators.push_back(iterator);
  }
  return iterators;
}

absl::StatusOr<ItemList> ParseDepend(const Clause& clause) {
  const std::size_t colon = FindOutside(clause.text, ':');
  const auto wrong = Expected(absl::StrCat(
      "in:, out:, inout:, mutexinoutset:, inoutset: or depobj: in depend(", clause.text, ")"));
  if (colon == std::string::npos) return wrong;
  // "iterator(...), type"
  std::vector<std::string> words = SplitAtCommas(std::string_view(clause.text).substr(0, colon));
  if (words.empty() || words.size() > 2) return wrong;
  std::string type = words.back();
  std::vector<Iterator> iterators;
  if (words.size() == 2) {
    const std::size_t open = words[0].find('(');
    if (!words[0].ends_with(')') || Trimmed(words[0].substr(0, open)) != "iterator") return wrong;
    auto parsed =
        ParseIterators(std::string_view(words[0]).substr(open + 1, words[0].size() - open - 2));
    if (!parsed.ok()) return parsed.status();
    iterators = *std::move(parsed);
  }
  // Tasks that may run in any order run in that of their creation.
  if (type == "mutexinoutset" || type == "inoutset") type = "inout";
  if (type != "in" && type != "out" && type != "inout" && type != "depobj") return wrong;
  auto list = ParseList("depend", type, std::string_view(clause.text).substr(colon + 1));
  if (list.ok()) list->iterators = std::move(iterators);
  return list;
}

absl::StatusOr<ItemList> ParseMap(const Clause& clause) {
  const std::size_t colon = FindOutside(clause.text, ':');
  if (colon == std::string::npos) return ParseList("map", "inout", clause.text);
  std::string type = Trimmed(std::string_view(clause.text).substr(0, colon));
  // Of memory that the runtime keeps up to date anyway.
  for (bool is_modifier = true; is_modifier;) {
    is_modifier = false;
    for (const std::string modifier : {"close", "always", "present"}) {
      if (!type.starts_with(modifier)) continue;
      type = Trimmed(std::string_view(type).substr(modifier.size()));
      if (type.starts_with(',')) type = Trimmed(std::string_view(type).substr(1));
      is_modifier = true;
    }
  }
  static const auto& known = *new std::map<std::string, std::string>{
      {"in", "in"},       {"to", "in"},           {"out", "out"},
      {"from", "out"},    {"inout", "inout"},     {"tofrom", "inout"},
      {"alloc", "alloc"}, {"release", "release"}, {"delete", "delete"},
  };
  const auto found = known.find(type);
  if (found == known.end()) {
    return Expected(
        absl::StrCat("to:, from:, tofrom:, alloc:, release: or delete: in map(", clause.text, ")"));
  }
  return ParseList("map", found->second, std::string_view(clause.text).substr(colon + 1));
}

absl::StatusOr<std::vector<ListItem>> ParseItems(const Clause& clause) {
  const auto list = ParseList(clause.name, "", clause.text);
  if (!list.ok()) return list.status();
  return list->items;
}

absl::StatusOr<Variant> ParseVariant(const Directive& directive) {
  const auto form = Expected("declare variant(FUNCTION) match(context=(target) device=(DEVICE))");
  if (directive.clauses.size() != 2 || !directive.clauses[0].name.empty() ||
      directive.clauses[1].name != "match") {
    return form;
  }
  Variant variant;
  // A name, or the declaration that has it before its parameters.
  const std::string function = directive.clauses[0].text;
  const std::string before = Trimmed(std::string_view(function).substr(0, function.find('(')));
  const auto begin = std::find_if_not(before.rbegin(), before.rend(), IsWordCharacter).base();
  variant.base = std::string(begin, before.end());
  const std::string& match = directive.clauses[1].text;
  const Source source(match, "");
  bool is_target = false;
  for (std::size_t at = source.AfterSpace(0); at < match.size();) {
    const std::string name = source.WordAt(at);
    at = source.AfterSpace(source.AfterWord(at));
    if (at == match.size() || match[at] != '=') return form;
    at = source.AfterSpace(at + 1);
    if (at == match.size() || match[at] != '(') return form;
    const auto end = source.AfterBrackets(at);
    if (!end.ok()) return form;
    const std::string value = Trimmed(std::string_view(match).substr(at + 1, *end - at - 2));
    is_target = is_target || (name == "context" && value == "target");
    if (name == "device") variant.device = value;
    at = source.AfterSpace(*end);
    if (at < match.size() && match[at] == ',') at = source.AfterSpace(at + 1);
  }
  if (!is_target || variant.device.empty() || variant.base.empty()) return form;
  return variant;
}

}  // namespace taskrt
