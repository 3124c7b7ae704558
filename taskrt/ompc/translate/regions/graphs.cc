// taskgraph: the block, and the variables outside of it that its tasks use, whose places a replay
// gives them anew. A task's lists are recorded as they are: where they depend on the value of a
// variable outside, the record holds as long as the variable has it. Where they are read from
// memory behind a pointer, the block is run each time.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "taskrt/ompc/translate/regions/translator.h"

namespace taskrt {

bool TakeSaved(Clause& clause) {
  const std::size_t colon = FindOutside(clause.text, ':');
  if (clause.name != "firstprivate" || colon == std::string::npos) return false;
  if (Trimmed(std::string_view(clause.text).substr(0, colon)) != "saved") return false;
  clause.text = Trimmed(std::string_view(clause.text).substr(colon + 1));
  return true;
}

std::string SavedField(const Arguments& arguments) {
  return arguments.saved == 0 ? "" : absl::StrCat(", .saved = ", arguments.saved, "UL");
}

// Is there an arrow, a star before an operand, or an index that goes further than to an element of
// an array or of a pointer's target?
bool Translator::ReadsMemory(const std::string& text) const {
  const std::vector<Token> tokens = TokensOf(text);
  const auto is_operand = [&](std::size_t i) {
    return tokens[i].kind != Token::Kind::kMark || tokens[i].Is(")") || tokens[i].Is("]");
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].Is("-") && i + 1 < tokens.size() && tokens[i + 1].Is(">")) return true;
    if (tokens[i].Is("*") && (i == 0 || !is_operand(i - 1))) return true;
    if (tokens[i].kind != Token::Kind::kWord) continue;
    const Variable* const variable = FindDeclared(tokens[i].text);
    if (variable == nullptr) continue;
    std::size_t brackets = 0, depth = 0, dimensions = 0;
    for (std::size_t at = i + 1; at < tokens.size(); ++at) {
      if (depth == 0 && !tokens[at].Is("[")) break;
      if (tokens[at].Is("[") && depth++ == 0) ++brackets;
      if (tokens[at].Is("]")) --depth;
    }
    for (const char c : variable->after) {
      if (c == '[' && depth++ == 0) ++dimensions;
      if (c == ']') --depth;
    }
    const bool is_pointer = variable->before.find('*') != std::string::npos;
    // A parameter that is an array of pointers is a place of pointers.
    if (is_pointer && variable->is_parameter && variable->is_array() && brackets > 0) return true;
    if (brackets > dimensions + (is_pointer ? 1 : 0)) return true;
  }
  return false;
}

void Translator::WatchPointer(const std::string& name) {
  if (watched_ == nullptr || watched_->saved.contains(name)) return;
  for (std::size_t i = watched_->own; i < scopes_.size(); ++i) {
    const auto& variables = scopes_[i].variables;
    if (std::any_of(variables.begin(), variables.end(),
                    [&](const Variable& each) { return each.name == name; })) {
      return;
    }
  }
  watched_->pointers.insert(name);
}

void Translator::WatchValues(const std::string& text) {
  if (watched_ == nullptr) return;
  watched_->reads_memory |= ReadsMemory(text);
  for (const std::string& name : NamesIn(text)) {
    const std::size_t before = watched_->pointers.size();
    WatchPointer(name);
    if (watched_->pointers.size() > before || watched_->pointers.contains(name)) {
      watched_->values.insert(name);
    }
  }
}

// Its first word is the variable that the item is a part of.
void Translator::WatchItem(const Directive& directive, const ListItem& item) {
  if (watched_ == nullptr) return;
  watched_->saved.clear();
  for (Clause clause : directive.clauses) {
    if (!TakeSaved(clause)) continue;
    for (const std::string& name : NamesIn(clause.text)) watched_->saved.insert(name);
  }
  std::string whole = item.base;
  if (item.is_section) whole += "[0]";
  for (std::size_t i = 0; i < item.inner.size(); ++i) whole += "[0]";
  watched_->reads_memory |= ReadsMemory(whole);
  const std::vector<std::string> names = NamesIn(item.base);
  if (!names.empty()) {
    const std::string behind = item.base.substr(item.base.find(names[0]) + names[0].size());
    const Variable* const variable = Find(names[0]);
    // Pointers in a structure, or in an array.
    const bool has_pointers =
        behind.find('.') != std::string::npos || (variable != nullptr && variable->is_array() &&
                                                  variable->before.find('*') != std::string::npos);
    has_pointers ? WatchValues(names[0]) : WatchPointer(names[0]);
    WatchValues(behind);
  }
  WatchValues(item.lower);
  WatchValues(item.length);
  for (const Range& range : item.inner) WatchValues(absl::StrCat(range.lower, " ", range.length));
  watched_->saved.clear();
}

absl::Status Translator::TaskGraph(const Directive& directive) {
  const auto end = source_.AfterStatement(at_);
  if (!end.ok()) return end.status();
  if (is_in_target_) {
    return absl::InvalidArgumentError(
        "no taskgraph inside of a target, whose statement runs on a device");
  }
  Watched watched{scopes_.size(), {}, {}, {}, {}, false};
  Watched* const outer = std::exchange(watched_, &watched);
  const auto uses = UsesOf(at_, *end);
  watched_ = outer;
  if (!uses.ok()) return uses.status();
  const auto captures = CapturesOf({directive.name, directive.parts, {}}, *uses, "taskgraph");
  if (!captures.ok()) return captures.status();
  std::vector<Variable> environment;
  for (const Capture& capture : *captures) environment.push_back(capture.variable);
  watched.copied.insert(watched.pointers.begin(), watched.pointers.end());
  for (const std::string& name : watched.copied) {
    const Variable* const global = Find(name);
    if (global != nullptr && global->is_global) environment.push_back(*global);
  }
  std::vector<std::string> places, bytes, watches;
  for (const Variable& variable : environment) {
    if (variable.is_threadprivate) continue;
    const std::string shown = ShownOf(variable);
    places.push_back(absl::StrCat("(void *)&(", shown, ")"));
    const bool is_value = variable.is_parameter && variable.shown.empty();
    bytes.push_back(absl::StrCat("sizeof(", is_value ? "(void)0, " : "", shown, ")"));
    watches.push_back(watched.values.contains(variable.name) ? "1"
                      : watched.pointers.contains(variable.name)
                          ? absl::StrCat("OMPC_IS_PLAIN_POINTER(", shown, ")")
                          : "0");
  }
  std::string id = "0", is_reset = "0";
  for (const Clause& clause : directive.clauses) {
    if (clause.name == "graph_id") id = Rewritten(clause.text);
    if (clause.name == "graph_reset") {
      is_reset = clause.text.empty() ? "1" : absl::StrCat("!!(", Rewritten(clause.text), ")");
    }
  }
  const auto condition = ConditionOf(directive, "taskgraph");
  if (!condition.ok()) return condition.status();
  if (recorders_.empty()) ++graphs_;
  const std::string counted =
      places.empty() ? ""
                     : absl::StrCat(", .count = ", places.size(),
                                    ", .places = ompc_places, .bytes = ompc_bytes, .watched = "
                                    "ompc_watched");
  return Around(
      absl::StrCat(ArrayOf("void *", "ompc_places", places),
                   ArrayOf("const size_t ", "ompc_bytes", bytes),
                   ArrayOf("const int ", "ompc_watched", watches),
                   "const struct ompc_graph ompc_graph = {.construct = &ompc_construct_", graphs_,
                   ", .id = (long)(", id, "), .is_reset = ", is_reset, ", .is_plain = ",
                   watched.reads_memory ? "1"
                   : condition->empty() ? "0"
                                        : absl::StrCat("!(", *condition, ")"),
                   ", .nogroup = ", directive.Has("nogroup") ? 1 : 0, counted,
                   "}; const int ompc_ran = ompc_graph_begin(&ompc_graph); if (ompc_ran) {"),
      "} ompc_graph_end(&ompc_graph, ompc_ran);");
}

}  // namespace taskrt
