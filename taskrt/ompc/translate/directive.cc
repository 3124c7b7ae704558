#include "taskrt/ompc/translate/directive.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/source.h"

namespace taskrt {
namespace {

// The caller knows the line.
absl::Status Expected(const std::string& what) { return absl::InvalidArgumentError(what); }

// Each directive that there is, with its clauses.
const std::map<std::string, std::vector<std::string>>& Known() {
  static const auto& known = *new std::map<std::string, std::vector<std::string>>{
      {"parallel",
       {"default", "shared", "private", "firstprivate", "num_threads", "if", "proc_bind"}},
      {"single", {"nowait", "private", "firstprivate", "copyprivate"}},
      {"master", {}},
      {"masked", {}},
      {"critical", {"", "hint"}},
      {"atomic",
       {"read", "write", "update", "capture", "hint", "seq_cst", "acq_rel", "acquire", "release",
        "relaxed"}},
      {"barrier", {}},
      {"flush", {"", "seq_cst", "acq_rel", "acquire", "release"}},
      {"task",
       {"depend", "default", "firstprivate", "private", "shared", "if", "final", "priority",
        "untied", "mergeable", "affinity"}},
      {"taskloop",
       {"default", "firstprivate", "private", "shared", "if", "final", "priority", "untied",
        "mergeable", "grainsize", "num_tasks", "nogroup"}},
      {"taskgroup", {}},
      {"taskwait", {"depend"}},
      {"taskyield", {}},
      {"target",
       {"depend", "map", "device", "async", "nowait", "firstprivate", "private", "if", "priority",
        "num_units", "work_item"}},
      {"target data", {"map", "device", "if"}},
      {"target enter data", {"map", "device", "if", "depend", "nowait"}},
      {"target exit data", {"map", "device", "if", "depend", "nowait"}},
      {"target update", {"to", "from", "device", "if", "depend", "nowait"}},
      {"declare target", {"", "to", "enter", "link", "device_type"}},
      {"end declare target", {}},
      {"begin declare target", {"device_type"}},
      {"declare variant", {"", "match"}},
  };
  return known;
}

// Words behind a directive that make another one of it.
bool IsDirectiveWord(const std::string& word) {
  static const auto& words = *new std::vector<std::string>{
      "for",      "simd",     "sections", "loop",      "teams", "distribute",
      "parallel", "taskloop", "data",     "enter",     "exit",  "update",
      "single",   "master",   "masked",   "reduction", "mapper"};
  return std::find(words.begin(), words.end(), word) != words.end();
}

absl::Status Unknown(const std::string& directive) {
  return Expected(
      absl::StrCat("a directive of tasks or targets behind #pragma omp, not ", directive));
}

absl::Status CheckClause(const Directive& directive, const Clause& clause) {
  const std::vector<std::string>& known = Known().at(directive.name);
  if (std::find(known.begin(), known.end(), clause.name) != known.end()) return absl::OkStatus();
  if (clause.text.empty() && IsDirectiveWord(clause.name)) {
    return Unknown(absl::StrCat(directive.name, " ", clause.name));
  }
  std::string names;
  for (const std::string& name : known) {
    absl::StrAppend(&names, names.empty() || name.empty() ? "" : ", ", name);
  }
  return Expected(absl::StrCat(names.empty() ? "no clause" : absl::StrCat("one of ", names),
                               " behind ", directive.name, ", not ", clause.name));
}

// Directives of several words: as many as are one.
std::string NameOf(const Source& source, std::size_t& at) {
  const auto take = [&] {
    const std::string word = source.WordAt(at);
    at = source.AfterSpace(source.AfterWord(at));
    return word;
  };
  std::string name = take();
  while (true) {
    const std::string longer = absl::StrCat(name, " ", source.WordAt(at));
    const auto next = Known().lower_bound(longer);
    const bool begins = next != Known().end() && next->first.starts_with(longer) &&
                        (next->first.size() == longer.size() || next->first[longer.size()] == ' ');
    if (longer.back() == ' ' || !begins) return name;
    take();
    name = longer;
  }
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
  directive.name = NameOf(source, at);
  if (!Known().contains(directive.name)) {
    const std::string next = source.WordAt(at);
    return Unknown(absl::StrCat(directive.name, IsDirectiveWord(next) ? " " : "",
                                IsDirectiveWord(next) ? next : ""));
  }
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
    if (absl::Status known = CheckClause(directive, clause); !known.ok()) return known;
    if (at < text.size() && text[at] == '(') {
      const auto end = source.AfterBrackets(at);
      if (!end.ok()) return Expected(absl::StrCat("a ) behind ", clause.name, "("));
      clause.text = Trimmed(text.substr(at + 1, *end - at - 2));
      at = source.AfterSpace(*end);
    }
    directive.clauses.push_back(clause);
  }
  return directive;
}

absl::StatusOr<ListItem> ParseListItem(std::string_view text) {
  ListItem item;
  item.base = Trimmed(text);
  // The last brackets, if a section is in them.
  std::size_t open = std::string::npos;
  for (std::size_t from = 0;;) {
    const std::size_t next = FindOutside(std::string_view(item.base).substr(from), '[');
    if (next == std::string::npos) break;
    open = from + next;
    const auto after = Source(item.base, "").AfterBrackets(open);
    if (!after.ok()) return Expected(absl::StrCat("a ] in ", item.base));
    from = *after;
    const std::string inside = item.base.substr(open + 1, from - open - 2);
    const std::size_t colon = FindOutside(inside, ':');
    if (colon == std::string::npos || inside.find('?') != std::string::npos) continue;
    if (from != item.base.size()) {
      return Expected(absl::StrCat("a section in the last brackets alone, not ", item.base));
    }
    item.is_section = true;
    item.lower = Trimmed(inside.substr(0, colon));
    item.length = Trimmed(inside.substr(colon + 1));
    if (!item.lower.empty() && item.length.empty()) {
      return Expected(absl::StrCat("a length behind the : of ", item.base));
    }
    item.base = item.base.substr(0, open);
    break;
  }
  if (item.base.empty()) return Expected("a variable or an element of an array");
  return item;
}

absl::StatusOr<ItemList> ParseDepend(const Clause& clause) {
  const std::size_t colon = FindOutside(clause.text, ':');
  std::string type =
      colon == std::string::npos ? "" : Trimmed(std::string_view(clause.text).substr(0, colon));
  // Tasks that may run in any order run in that of their creation.
  if (type == "mutexinoutset" || type == "inoutset") type = "inout";
  if (type != "in" && type != "out" && type != "inout") {
    return Expected(absl::StrCat("in:, out: or inout: in depend(", clause.text, ")"));
  }
  return ParseList("depend", type, std::string_view(clause.text).substr(colon + 1));
}

absl::StatusOr<ItemList> ParseMap(const Clause& clause) {
  const std::size_t colon = FindOutside(clause.text, ':');
  if (colon == std::string::npos) return ParseList("map", "inout", clause.text);
  std::string type = Trimmed(std::string_view(clause.text).substr(0, colon));
  if (type.starts_with("close")) {
    type = Trimmed(std::string_view(type).substr(5));
    if (type.starts_with(',')) type = Trimmed(std::string_view(type).substr(1));
  }
  static const auto& known = *new std::map<std::string, std::string>{
      {"in", "in"},       {"to", "in"},           {"out", "out"},
      {"from", "out"},    {"inout", "inout"},     {"tofrom", "inout"},
      {"alloc", "alloc"}, {"release", "release"}, {"delete", "delete"},
  };
  const auto found = known.find(type);
  if (found == known.end()) {
    return Expected(
        absl::StrCat("in:, out:, inout:, to:, from:, tofrom:, alloc:, release: or delete: in map(",
                     clause.text, ")"));
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
