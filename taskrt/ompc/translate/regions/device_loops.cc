#include "taskrt/ompc/translate/regions/device_loops.h"

#include <algorithm>
#include <set>

#include "absl/strings/numbers.h"
#include "taskrt/ompc/translate/directives/parse.h"

namespace taskrt {
namespace {

using From = DeviceVariable::From;

// How the task has a captured variable; none: as no kernel can.
std::optional<DeviceVariable> DeviceVariableOf(const Capture& capture) {
  const Variable& variable = capture.variable;
  if (variable.is_threadprivate || capture.sharing == Sharing::kShared) return std::nullopt;
  if (capture.sharing == Sharing::kPrivate) return DeviceVariable{variable, From::kNowhere};
  if (capture.sharing == Sharing::kFirstPrivate) return DeviceVariable{variable, From::kValue};
  const bool is_number = variable.before.empty() && variable.after.empty();
  const ImpliedMap map = capture.default_map.value_or(DefaultMap()).scalar;
  const bool is_copied = map == ImpliedMap::kAsEver || map == ImpliedMap::kCopy;
  const bool is_value = is_number && !capture.is_mapped && is_copied;
  return DeviceVariable{variable, is_value ? From::kValue : From::kPlace};
}

// "static, 4": 4; none: it may be something else.
std::optional<std::string> ChunkOf(const Directive& directive) {
  const Clause* const schedule = directive.Find("schedule");
  if (schedule == nullptr) return "";
  const std::string& text = schedule->text;
  if (text.find('?') != std::string::npos) return std::nullopt;
  const std::size_t colon = FindOutside(text, ':');  // Of a modifier.
  const std::vector<std::string> parts =
      SplitAtCommas(std::string_view(text).substr(colon == std::string::npos ? 0 : colon + 1));
  return parts.size() < 2 ? "" : parts[1];
}

// The directive and those between it and the loop, whose begin is `at` then. None: one is another.
std::optional<Directive> AllBeforeLoop(const Source& source, const Directive& directive,
                                       std::size_t& at) {
  Directive all = directive;
  for (at = source.AfterSpace(at); source.IsDirective(at); at = source.AfterSpace(at)) {
    const std::size_t end = source.AfterDirective(at);
    std::size_t word = source.AfterSpace(at + 1);
    at = end;
    const std::string kind = source.WordAt(word);
    const bool is_line = kind == "line" || (!kind.empty() && kind[0] >= '0' && kind[0] <= '9');
    if (is_line) continue;
    if (kind != "pragma") return std::nullopt;
    word = source.AfterSpace(source.AfterWord(word));
    const auto inner = ParseDirective(source.Text(source.AfterWord(word), end));
    if (source.WordAt(word) != "omp" || !inner.ok()) return std::nullopt;
    all.parts.insert(all.parts.end(), inner->parts.begin(), inner->parts.end());
    all.clauses.insert(all.clauses.end(), inner->clauses.begin(), inner->clauses.end());
  }
  return all;
}

}  // namespace

std::optional<DeviceLoop> DeviceLoopOf(const Resolution& resolution,
                                       const ParsedConstruct& construct,
                                       const std::vector<Capture>& captures) {
  const Source& source = resolution.source;
  const Scopes& scopes = resolution.scopes;
  std::size_t begin = construct.at;
  const auto all = AllBeforeLoop(source, construct.directive, begin);
  if (!all) return std::nullopt;
  auto reductions = DeviceReductionsOf(*all);
  int count = 1;
  if (!reductions ||
      (all->Has("collapse") && !absl::SimpleAtoi(all->Find("collapse")->text, &count))) {
    return std::nullopt;
  }
  const auto chunk = ChunkOf(*all);
  if (!chunk) return std::nullopt;
  auto loops = ParseLoops(source, begin, count, "target", scopes.macros());
  const auto depends = [](const Loop& each) { return each.depends; };
  if (!loops.ok() || loops->empty() || std::any_of(loops->begin(), loops->end(), depends)) {
    return std::nullopt;
  }
  const auto end = source.AfterStatement(loops->back().body);
  if (!end.ok()) return std::nullopt;
  DeviceLoop loop;
  loop.body = source.Text(loops->back().body, *end);
  loop.chunk = *chunk;
  loop.macros = scopes.macros();
  loop.reductions = *std::move(reductions);
  std::set<std::string> known;
  for (const Capture& capture : captures) {
    const auto variable = DeviceVariableOf(capture);
    if (!variable) return std::nullopt;
    loop.variables.push_back(*variable);
    known.insert(capture.variable.name);
  }
  for (const Loop& each : *loops) {
    const Variable* const outside = scopes.FindDeclared(each.variable);
    if (!each.declares && outside == nullptr) return std::nullopt;
    loop.counters.push_back(each.declares ? *each.declares : *outside);
    known.insert(each.variable);
  }
  loop.loops = *std::move(loops);
  // A private variable is none of the task's arguments.
  for (const Clause& clause : all->clauses) {
    if (clause.name != "private") continue;
    const auto items = ParseItems(clause);
    if (!items.ok()) return std::nullopt;
    for (const ListItem& item : *items) {
      const Variable* const variable = scopes.FindDeclared(item.base);
      if (variable == nullptr) return std::nullopt;
      if (known.insert(item.base).second) loop.variables.push_back({*variable, From::kNowhere});
    }
  }
  return loop;
}

}  // namespace taskrt
