#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/regions/translator.h"

namespace taskrt {

// "void *name[] = {...}; ", of all maps; empty: there are none.
absl::StatusOr<std::string> Translator::MapsOf(const Directive& directive,
                                               const std::string& name) {
  Lists lists;
  Directive maps{directive.name, directive.parts, {}};
  for (const Clause& clause : directive.clauses) {
    if (clause.name == "map") maps.clauses.push_back(clause);
  }
  if (absl::Status added = AddToLists(maps, lists); !added.ok()) return added;
  return ArrayOf("void *", name, lists.maps);
}

absl::Status Translator::TargetData(const Directive& directive) {
  const auto maps = MapsOf(directive, "ompc_data");
  if (!maps.ok()) return maps.status();
  for (const Clause& clause : directive.clauses) {
    if (clause.name != "map") continue;
    const auto list = ParseMap(clause);
    if (list->type == "release" || list->type == "delete") {
      return absl::InvalidArgumentError("to, from, tofrom or alloc in a map of target data");
    }
  }
  if (maps->empty()) return Around("ompc_begin();", "");
  const auto condition = ConditionOf(directive, directive.name);
  if (!condition.ok()) return condition.status();
  const std::string count =
      absl::StrCat("const int ompc_count = ",
                   condition->empty() ? "" : absl::StrCat("!(", *condition, ") ? 0 : "),
                   "(int)(sizeof ompc_data / sizeof ompc_data[0]); ");
  return Around(absl::StrCat("ompc_begin(); ", *maps, count,
                             "ompc_require(ompc_data_begin(ompc_count, ompc_data));"),
                "ompc_require(ompc_data_end(ompc_count, ompc_data, 0));");
}

// target enter data, target exit data and target update: at once, after the tasks of `depend`.
absl::Status Translator::TargetDataAction(const Directive& directive) {
  Directive depends{directive.name, directive.parts, {}};
  for (const Clause& clause : directive.clauses) {
    if (clause.name == "depend") depends.clauses.push_back(clause);
  }
  out_ += " {";
  if (!depends.clauses.empty()) {
    if (absl::Status waits = TaskWait(depends); !waits.ok()) return waits;
  }
  const auto condition = ConditionOf(directive, directive.name);
  if (!condition.ok()) return condition.status();
  out_ += " ompc_begin(); ";
  if (!condition->empty()) absl::StrAppend(&out_, "if (", *condition, ") ");
  out_ += "{ ";
  const bool is_update = directive.name == "target update";
  const bool is_enter = directive.name == "target enter data";
  for (const Clause& clause : directive.clauses) {
    const bool is_part = is_update && (clause.name == "to" || clause.name == "from");
    if (clause.name != "map" && !is_part) continue;
    Clause map = clause;
    if (is_part) map = {"map", absl::StrCat(clause.name, ": ", clause.text)};
    const auto list = ParseMap(map);
    if (!list.ok()) return list.status();
    const std::string& type = list->type;
    const bool enters = type == "in" || type == "alloc" || type == "inout";
    const bool exits = type == "out" || type == "release" || type == "delete" || type == "inout";
    if (!is_update && !(is_enter ? enters : exits)) {
      return absl::InvalidArgumentError(
          is_enter ? "to, tofrom or alloc in a map of target enter data"
                   : "from, tofrom, release or delete in a map of target exit data");
    }
    const auto array = MapsOf({directive.name, directive.parts, {map}}, "ompc_data");
    if (!array.ok()) return array.status();
    if (array->empty()) continue;
    const std::string count = "(int)(sizeof ompc_data / sizeof ompc_data[0]), ompc_data";
    absl::StrAppend(&out_, "{ ", *array, "ompc_require(",
                    is_update ? absl::StrCat("ompc_data_update(", count, ")")
                    : is_enter
                        ? absl::StrCat("ompc_data_begin(", count, ")")
                        : absl::StrCat("ompc_data_end(", count, type == "delete" ? ", 1)" : ", 0)"),
                    "); } ");
  }
  out_ += "} }";
  return absl::OkStatus();
}

}  // namespace taskrt
