#include "taskrt/ompc/translate/regions/watch.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/c/source.h"

namespace taskrt {
namespace {

// Is there an arrow, a star before an operand, or an index that goes further than to an element of
// an array or of a pointer's target?
bool ReadsMemory(const Scopes& scopes, const std::string& text) {
  const std::vector<Token> tokens = TokensOf(text);
  const auto is_operand = [&](std::size_t i) {
    return tokens[i].kind != Token::Kind::kMark || tokens[i].Is(")") || tokens[i].Is("]");
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].Is("-") && i + 1 < tokens.size() && tokens[i + 1].Is(">")) return true;
    if (tokens[i].Is("*") && (i == 0 || !is_operand(i - 1))) return true;
    if (tokens[i].kind != Token::Kind::kWord) continue;
    const Variable* const variable = scopes.FindDeclared(tokens[i].text);
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

}  // namespace

bool TakeSaved(Clause& clause) {
  const std::size_t colon = FindOutside(clause.text, ':');
  if (clause.name != "firstprivate" || colon == std::string::npos) return false;
  if (Trimmed(std::string_view(clause.text).substr(0, colon)) != "saved") return false;
  clause.text = Trimmed(std::string_view(clause.text).substr(colon + 1));
  return true;
}

Watch Watch::Begin(const Scopes& scopes) {
  Watch before = std::exchange(*this, Watch());
  is_on_ = true;
  own_ = scopes.depth();
  return before;
}

void Watch::NotePointer(const Scopes& scopes, const std::string& name) {
  if (!is_on_ || saved_.contains(name)) return;
  for (std::size_t i = own_; i < scopes.depth(); ++i) {
    const auto& variables = scopes.all()[i].variables;
    if (std::any_of(variables.begin(), variables.end(),
                    [&](const Variable& each) { return each.name == name; })) {
      return;
    }
  }
  watched_.pointers.insert(name);
}

void Watch::NoteValues(const Scopes& scopes, const std::string& expression) {
  if (!is_on_) return;
  watched_.reads_memory |= ReadsMemory(scopes, expression);
  for (const std::string& name : NamesIn(expression)) {
    NotePointer(scopes, name);
    if (watched_.pointers.contains(name)) watched_.values.insert(name);
  }
}

void Watch::NoteCopied(const std::string& name) {
  if (is_on_) watched_.copied.insert(name);
}

// Its first word is the variable that the item is a part of.
void Watch::NoteItem(Scopes& scopes, const Directive& directive, const ListItem& item) {
  if (!is_on_) return;
  saved_.clear();
  for (Clause clause : directive.clauses) {
    if (!TakeSaved(clause)) continue;
    for (const std::string& name : NamesIn(clause.text)) saved_.insert(name);
  }
  std::string whole = item.base;
  if (item.is_section) whole += "[0]";
  for (std::size_t i = 0; i < item.inner.size(); ++i) whole += "[0]";
  watched_.reads_memory |= ReadsMemory(scopes, whole);
  const std::vector<std::string> names = NamesIn(item.base);
  if (!names.empty()) {
    const std::string behind = item.base.substr(item.base.find(names[0]) + names[0].size());
    const Variable* const variable = scopes.Find(names[0]);
    // Pointers in a structure, or in an array.
    const bool has_pointers =
        behind.find('.') != std::string::npos || (variable != nullptr && variable->is_array() &&
                                                  variable->before.find('*') != std::string::npos);
    has_pointers ? NoteValues(scopes, names[0]) : NotePointer(scopes, names[0]);
    NoteValues(scopes, behind);
  }
  NoteValues(scopes, item.lower);
  NoteValues(scopes, item.length);
  for (const Range& range : item.inner)
    NoteValues(scopes, absl::StrCat(range.lower, " ", range.length));
  saved_.clear();
}

}  // namespace taskrt
