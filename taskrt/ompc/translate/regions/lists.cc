#include "taskrt/ompc/translate/regions/lists.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/directives/parse.h"

namespace taskrt {
namespace {

// The word that an item's name begins with.
std::string BaseOf(const ListItem& item) {
  return item.base.substr(0, item.base.find_first_of("[.-"));
}

// The blocks that the item of a depend means. Of a pointer variable, that which it points to, and
// itself.
absl::StatusOr<std::vector<DependBlock>> BlocksOf(Resolution& all, const ListItem& item) {
  using Means = DependBlock::Means;
  const std::string base = BaseOf(item);
  const Variable* const variable = all.scopes.Find(base);
  const bool is_pointer = !item.is_section && variable != nullptr && base == item.base &&
                          !variable->is_array() && variable->before.find('*') != std::string::npos;
  if (item.base == "omp_all_memory" && variable == nullptr) {
    return absl::InvalidArgumentError("no omp_all_memory in depend");
  }
  const auto written = WrittenItem(all, item, Pieces::kAny);
  if (!written.ok()) return written.status();
  if (!is_pointer) return std::vector<DependBlock>{{Means::kBlock, *written}};
  return std::vector<DependBlock>{{Means::kBlockOrPlace, *written}, {Means::kPlace, *written}};
}

absl::StatusOr<IteratedBlocks> IteratedOf(Resolution& all, const Directive& directive,
                                          const ItemList& list) {
  IteratedBlocks its;
  its.type = list.type;
  all.scopes.Push({all.source.text().size(), {}, {}});
  for (const Iterator& iterator : list.iterators) {
    const std::vector<Variable> variables = ParseParameters(iterator.declared);
    if (variables.size() != 1 || variables[0].name.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("a name before the = in iterator, not ", iterator.declared));
    }
    all.watch.NoteItem(all.scopes, directive,
                       {"", false, iterator.begin, iterator.end, {{iterator.step, ""}}});
    Variable variable = variables[0];
    variable.is_parameter = false;
    its.iterations.push_back({variable, all.scopes.Rewritten(iterator.begin),
                              all.scopes.Rewritten(iterator.end),
                              iterator.step.empty() ? "1" : all.scopes.Rewritten(iterator.step)});
    all.scopes.innermost().variables.push_back(variable);
  }
  for (const ListItem& item : list.items) {
    all.watch.NoteItem(all.scopes, directive, item);
    if (list.type == "depobj") {
      all.watch.NoteValues(all.scopes, item.base);
      its.objects.push_back(all.scopes.Rewritten(item.base));
      continue;
    }
    const auto blocks = BlocksOf(all, item);
    if (!blocks.ok()) return blocks.status();
    its.blocks.insert(its.blocks.end(), blocks->begin(), blocks->end());
  }
  all.scopes.Pop();
  return its;
}

absl::Status AddMapped(Resolution& all, const ListItem& item, const std::string& type,
                       const Changed& changed, Lists& lists) {
  const auto written = WrittenItem(all, item, Pieces::kOne);
  if (!written.ok()) return written.status();
  const Variable* const variable = all.scopes.Find(BaseOf(item));
  if (variable != nullptr && variable->is_declared_target) return absl::OkStatus();
  const bool is_array = item.is_section || (variable != nullptr && !variable->after.empty());
  const bool is_lost = type == "in" && (changed.assigned.contains(item.base) ||
                                        (is_array && changed.passed.contains(item.base)));
  MapElement element;
  element.item = *written;
  element.type = type;
  element.is_lost = is_lost;
  lists.maps.push_back(element);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ListItem> WrittenItem(Resolution& all, ListItem item, Pieces pieces) {
  const bool is_whole = pieces == Pieces::kOne;
  const Variable* const variable = all.scopes.Find(item.base);
  const auto rows = [&](const Variable& its) {
    return static_cast<std::size_t>(std::count(its.after.begin(), its.after.end(), '['));
  };
  const bool is_plain = variable != nullptr && variable->before.find('(') == std::string::npos;
  const auto stars =
      is_plain ? std::count(variable->before.begin(), variable->before.end(), '*') : 0;
  if (is_whole && is_plain && !item.inner.empty() &&
      (stars > 1 || (stars > 0 && variable->is_array() && rows(*variable) <= item.inner.size()))) {
    return absl::InvalidArgumentError(absl::StrCat("a section in the last brackets alone of ",
                                                   item.base,
                                                   ", whose elements are pointers to rows"));
  }
  if (is_whole && item.length.empty() && !item.lower.empty() && is_plain &&
      (!variable->is_array() || variable->is_parameter)) {
    return absl::InvalidArgumentError(
        absl::StrCat("a length behind the : of ", item.base, "[", item.lower, ":]"));
  }
  item.base = all.scopes.Rewritten(item.base);
  item.lower = all.scopes.Rewritten(item.lower);
  item.length = all.scopes.Rewritten(item.length);
  for (Range& range : item.inner) {
    range = {all.scopes.Rewritten(range.lower), all.scopes.Rewritten(range.length)};
  }
  return item;
}

absl::StatusOr<Lists> ListsOf(Resolution& all, const Directive& directive, const Changed& changed) {
  Lists lists;
  for (const Clause& clause : directive.clauses) {
    if (clause.name != "depend" && clause.name != "map") continue;
    const auto list = clause.name == "depend" ? ParseDepend(clause) : ParseMap(clause);
    if (!list.ok()) return list.status();
    if (!list->iterators.empty() || list->type == "depobj") {
      auto iterated = IteratedOf(all, directive, *list);
      if (!iterated.ok()) return iterated.status();
      lists.iterated.push_back(*std::move(iterated));
      continue;
    }
    for (const ListItem& item : list->items) {
      all.watch.NoteItem(all.scopes, directive, item);
      if (clause.name == "map") {
        const absl::Status added = AddMapped(all, item, list->type, changed, lists);
        if (!added.ok()) return added;
        continue;
      }
      const auto blocks = BlocksOf(all, item);
      if (!blocks.ok()) return blocks.status();
      for (const DependBlock& block : *blocks) {
        if (list->type != "out") lists.in.push_back(block);
        if (list->type != "in") lists.out.push_back(block);
      }
    }
  }
  return lists;
}

absl::StatusOr<Lists> ListsOf(Resolution& all, const Directive& directive,
                              std::string_view clause) {
  Directive its{directive.name, directive.parts, {}};
  for (const Clause& each : directive.clauses) {
    if (each.name == clause) its.clauses.push_back(each);
  }
  return ListsOf(all, its);
}

absl::StatusOr<DependObjectRegion> DependObjectOf(Resolution& all, const Directive& directive) {
  using Action = DependObjectRegion::Action;
  const Clause* const object = directive.Find("");
  const Clause* const depend = directive.Find("depend");
  const Clause* const update = directive.Find("update");
  if (object == nullptr || directive.clauses.size() != 2) {
    return absl::InvalidArgumentError("depobj(OBJECT) and one of depend, update and destroy");
  }
  DependObjectRegion region;
  region.object = all.scopes.Rewritten(object->text);
  if (depend == nullptr && update == nullptr) return region;
  region.action = update == nullptr ? Action::kSet : Action::kUpdate;
  const auto list = ParseDepend(update == nullptr ? *depend : Clause{"", update->text + ": o"});
  if (!list.ok() && update != nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("in, out, inout, mutexinoutset or inoutset in update(", update->text, ")"));
  }
  if (!list.ok()) return list.status();
  if (list->items.size() != 1 || !list->iterators.empty() || list->type == "depobj") {
    return absl::InvalidArgumentError("one variable or section in the depend of depobj");
  }
  region.type = list->type;
  if (update != nullptr) return region;
  // Of a pointer variable, which means its block, too, the variable.
  const auto blocks = BlocksOf(all, list->items[0]);
  if (!blocks.ok()) return blocks.status();
  region.block = blocks->back();
  return region;
}

}  // namespace taskrt
