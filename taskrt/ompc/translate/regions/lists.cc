// The lists of depend and map: C's arrays, or, where their lengths are known when the construct is
// met alone, lists that are filled then (omp_depend.h).
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "taskrt/ompc/translate/regions/translator.h"

namespace taskrt {
namespace {

std::string OrZero(const std::string& lower) { return lower.empty() ? "0" : lower; }

// The elements that a section has from the last brackets of `array` on.
std::string LengthOf(const std::string& array, const Range& range) {
  if (!range.length.empty()) return absl::StrCat("(", range.length, ")");
  return absl::StrCat("(OMPC_LENGTH(", array, ") - (", OrZero(range.lower), "))");
}

std::string CopyOf(const std::string& type) {
  return type == "in"         ? "0"
         : type == "out"      ? "1"
         : type == "inout"    ? "2"
         : type == "in, lost" ? "OMPC_TO_LOSE"
                              : "OMPC_SCRATCH";
}

}  // namespace

std::string BlockOf(const ListItem& item) {
  if (!item.is_section) return absl::StrCat("OMPC_BLOCK(", item.base, ")");
  std::string array = item.base, lower = OrZero(item.lower);
  for (const Range& range : item.inner) {
    array = absl::StrCat("(", array, ")[", lower, "]");
    lower = OrZero(range.lower);
  }
  return absl::StrCat("OMPC_PART(", array, ", ", lower, ")");
}

Span SpanOf(const ListItem& item) {
  Span span{absl::StrCat("(", item.base, ")"), absl::StrCat("(", item.base, ")"), "1"};
  Range range{item.lower, item.length};
  std::string array = item.base;
  for (std::size_t i = 0;; ++i) {
    const std::string length = LengthOf(array, range);
    absl::StrAppend(&span.first, "[", OrZero(range.lower), "]");
    absl::StrAppend(&span.last, "[(", OrZero(range.lower), ") + ", length, " - 1]");
    absl::StrAppend(&span.count, " * ", length);
    if (i == item.inner.size()) return span;
    array = absl::StrCat("(", array, ")[0]");
    absl::StrAppend(&span.count, " * OMPC_IS_ROW(", array, ")");
    range = item.inner[i];
  }
}

std::string MapOf(const ListItem& item, const std::string& type) {
  const std::string copy = CopyOf(type);
  if (!item.inner.empty()) {
    const Span span = SpanOf(item);
    return absl::StrCat("OMPC_MAP_SPAN(", item.base, ", ", span.first, ", ", span.last, ", ",
                        span.count, ", ", copy, ")");
  }
  if (item.length.empty() && item.lower.empty()) {
    return absl::StrCat("OMPC_MAP(", item.base, ", ", copy, ")");
  }
  return absl::StrCat("OMPC_MAP_PART(", item.base, ", ", OrZero(item.lower), ", ",
                      item.length.empty() ? LengthOf(item.base, {item.lower, ""}) : item.length,
                      ", ", copy, ")");
}

std::string ArrayOf(const std::string& type, const std::string& name,
                    const std::vector<std::string>& elements) {
  if (elements.empty()) return "";
  return absl::StrCat(type, name, "[] = {", absl::StrJoin(elements, ", "), "}; ");
}

std::string FieldsFor(const std::string& count, const std::string& field, const std::string& name,
                      const std::vector<std::string>& elements) {
  if (elements.empty()) return "";
  return absl::StrCat(", .", count, " = ", elements.size(), ", .", field, " = ", name);
}

std::string ListArrays(const Lists& lists) {
  if (lists.filled.empty()) {
    return absl::StrCat(ArrayOf("void *", "ompc_in", lists.in),
                        ArrayOf("void *", "ompc_out", lists.out));
  }
  std::string text = "struct ompc_list ompc_in = {0}, ompc_out = {0}; ";
  for (const std::string& in : lists.in) {
    absl::StrAppend(&text, "ompc_list_add(&ompc_in, ", in, "); ");
  }
  for (const std::string& out : lists.out) {
    absl::StrAppend(&text, "ompc_list_add(&ompc_out, ", out, "); ");
  }
  return text + lists.filled;
}

std::string ListFields(const Lists& lists) {
  if (lists.filled.empty()) {
    return absl::StrCat(FieldsFor("in_count", "in_data", "ompc_in", lists.in),
                        FieldsFor("out_count", "out_data", "ompc_out", lists.out));
  }
  return ", .in_count = ompc_in.count, .in_data = ompc_in.data, .out_count = ompc_out.count, "
         ".out_data = ompc_out.data";
}

std::string ListArguments(const Lists& lists) {
  if (!lists.filled.empty()) {
    return "ompc_in.count, ompc_in.data, ompc_out.count, ompc_out.data";
  }
  const auto passed = [](const std::string& name, const std::vector<std::string>& elements) {
    return elements.empty() ? std::string("0, NULL") : absl::StrCat(elements.size(), ", ", name);
  };
  return absl::StrCat(passed("ompc_in", lists.in), ", ", passed("ompc_out", lists.out));
}

std::string ListsEnd(const Lists& lists) {
  return lists.filled.empty() ? "" : " ompc_list_free(&ompc_in); ompc_list_free(&ompc_out);";
}

// The item as it is written at this place, with its sections.
absl::StatusOr<ListItem> Translator::WrittenItem(ListItem item, Pieces pieces) {
  const bool is_whole = pieces == Pieces::kOne;
  const Variable* const variable = Find(item.base);
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
  item.base = Rewritten(item.base);
  item.lower = Rewritten(item.lower);
  item.length = Rewritten(item.length);
  for (Range& range : item.inner) range = {Rewritten(range.lower), Rewritten(range.length)};
  return item;
}

// The blocks that the item of a depend means.
absl::StatusOr<std::vector<std::string>> Translator::BlocksOf(const ListItem& item) {
  const std::string base = item.base.substr(0, item.base.find_first_of("[.-"));
  const Variable* const variable = Find(base);
  const bool is_pointer = !item.is_section && variable != nullptr && base == item.base &&
                          !variable->is_array() && variable->before.find('*') != std::string::npos;
  if (item.base == "omp_all_memory" && variable == nullptr) {
    return absl::InvalidArgumentError("no omp_all_memory in depend");
  }
  const auto written = WrittenItem(item, Pieces::kAny);
  if (!written.ok()) return written.status();
  if (!is_pointer) return std::vector<std::string>{BlockOf(*written)};
  return std::vector<std::string>{absl::StrCat("OMPC_BLOCK_OR_PLACE(", written->base, ")"),
                                  absl::StrCat("(void *)&(", written->base, ")")};
}

// The loops of a list's iterators, around what adds an element.
absl::Status Translator::AddIterated(const Directive& directive, const ItemList& list,
                                     Lists& lists) {
  std::string before, behind;
  Push(source_.text().size());
  const std::size_t depth = scopes_.size();
  for (std::size_t i = 0; i < list.iterators.size(); ++i) {
    const Iterator& iterator = list.iterators[i];
    const std::vector<Variable> variables = ParseParameters(iterator.declared);
    if (variables.size() != 1 || variables[0].name.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("a name before the = in iterator, not ", iterator.declared));
    }
    WatchItem(directive, {"", false, iterator.begin, iterator.end, {{iterator.step, ""}}});
    Variable variable = variables[0];
    variable.is_parameter = false;
    const std::string number = std::to_string(i), end = "ompc_end" + number,
                      step = "ompc_step" + number, begin = "ompc_begin" + number;
    absl::StrAppend(&before, "{ ", variable.Declare(begin), " = ", Rewritten(iterator.begin), "; ",
                    variable.Declare(end), " = ", Rewritten(iterator.end), "; const long ", step,
                    " = ", iterator.step.empty() ? "1" : Rewritten(iterator.step), "; for (",
                    variable.Declare(variable.name), " = ", begin, "; ", step, " > 0 ? ",
                    variable.name, " < ", end, " : ", variable.name, " > ", end, "; ",
                    variable.name, " += ", step, ") { ");
    behind += "} } ";
    scopes_.back().variables.push_back(variable);
  }
  std::string added;
  for (const ListItem& item : list.items) {
    WatchItem(directive, item);
    if (list.type == "depobj") {
      WatchValues(item.base);
      absl::StrAppend(&added, "ompc_list_add_object(&ompc_in, &ompc_out, &(", Rewritten(item.base),
                      ")); ");
      continue;
    }
    const auto blocks = BlocksOf(item);
    if (!blocks.ok()) return blocks.status();
    for (const std::string& block : *blocks) {
      if (list.type != "out") absl::StrAppend(&added, "ompc_list_add(&ompc_in, ", block, "); ");
      if (list.type != "in") absl::StrAppend(&added, "ompc_list_add(&ompc_out, ", block, "); ");
    }
  }
  scopes_.resize(depth - 1);
  absl::StrAppend(&lists.filled, before, added, behind);
  return absl::OkStatus();
}

absl::Status Translator::AddToLists(const Directive& directive, Lists& lists) {
  for (const Clause& clause : directive.clauses) {
    if (clause.name != "depend" && clause.name != "map") continue;
    const auto list = clause.name == "depend" ? ParseDepend(clause) : ParseMap(clause);
    if (!list.ok()) return list.status();
    if (!list->iterators.empty() || list->type == "depobj") {
      if (absl::Status added = AddIterated(directive, *list, lists); !added.ok()) return added;
      continue;
    }
    for (const ListItem& item : list->items) {
      WatchItem(directive, item);
      if (clause.name == "map") {
        const auto written = WrittenItem(item, Pieces::kOne);
        if (!written.ok()) return written.status();
        const Variable* const variable = Find(item.base.substr(0, item.base.find_first_of("[.-")));
        if (variable == nullptr || !variable->is_declared_target) {
          const bool is_array =
              item.is_section || (variable != nullptr && !variable->after.empty());
          const bool is_lost = list->type == "in" && (assigned_.contains(item.base) ||
                                                      (is_array && passed_.contains(item.base)));
          lists.maps.push_back(MapOf(*written, is_lost ? "in, lost" : list->type));
        }
        continue;
      }
      const auto blocks = BlocksOf(item);
      if (!blocks.ok()) return blocks.status();
      for (const std::string& block : *blocks) {
        if (list->type != "out") lists.in.push_back(block);
        if (list->type != "in") lists.out.push_back(block);
      }
    }
  }
  return absl::OkStatus();
}

// depobj(o) with depend(TYPE: item), update(TYPE) or destroy.
absl::Status Translator::DependObject(const Directive& directive) {
  const Clause* const object = directive.Find("");
  const Clause* const depend = directive.Find("depend");
  const Clause* const update = directive.Find("update");
  if (object == nullptr || directive.clauses.size() != 2) {
    return absl::InvalidArgumentError("depobj(OBJECT) and one of depend, update and destroy");
  }
  const std::string place = absl::StrCat("&(", Rewritten(object->text), ")");
  const auto kind = [](const std::string& type) {
    return type == "in" ? "OMPC_IN" : type == "out" ? "OMPC_OUT" : "OMPC_INOUT";
  };
  if (depend == nullptr && update == nullptr) {
    absl::StrAppend(&out_, " { ompc_object_set(", place, ", NULL, 0); }");
    return absl::OkStatus();
  }
  const auto list = ParseDepend(update == nullptr ? *depend : Clause{"", update->text + ": o"});
  if (!list.ok() && update != nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("in, out, inout, mutexinoutset or inoutset in update(", update->text, ")"));
  }
  if (!list.ok()) return list.status();
  if (list->items.size() != 1 || !list->iterators.empty() || list->type == "depobj") {
    return absl::InvalidArgumentError("one variable or section in the depend of depobj");
  }
  if (update != nullptr) {
    absl::StrAppend(&out_, " { ompc_object_update(", place, ", ", kind(list->type), "); }");
    return absl::OkStatus();
  }
  // Of a pointer variable, which means its block, too, the variable.
  const auto blocks = BlocksOf(list->items[0]);
  if (!blocks.ok()) return blocks.status();
  absl::StrAppend(&out_, " { ompc_object_set(", place, ", ", blocks->back(), ", ", kind(list->type),
                  "); }");
  return absl::OkStatus();
}

}  // namespace taskrt
