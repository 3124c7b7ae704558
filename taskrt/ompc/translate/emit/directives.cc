#include "taskrt/ompc/translate/emit/directives.h"

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/emit/arrays.h"
#include "taskrt/ompc/translate/emit/lists.h"
#include "taskrt/ompc/translate/emit/teams.h"

namespace taskrt {
namespace {

std::string NameOf(AtomicRegion::Order order) {
  switch (order) {
    case AtomicRegion::Order::kSequential:
      return "__ATOMIC_SEQ_CST";
    case AtomicRegion::Order::kAcquire:
      return "__ATOMIC_ACQUIRE";
    case AtomicRegion::Order::kRelease:
      return "__ATOMIC_RELEASE";
    case AtomicRegion::Order::kBoth:
      break;
  }
  return "__ATOMIC_ACQ_REL";
}

}  // namespace

std::string TextOf(const AtomicRegion& atomic) {
  using Kind = AtomicRegion::Kind;
  const std::string order = NameOf(atomic.order);
  const std::string orders =
      absl::StrCat(order, ", ", AroundSection(std::string(kAtomicSection), ", "));
  if (atomic.kind == Kind::kRead) {
    return absl::StrCat(" { OMPC_ATOMIC_PLACE(", atomic.value, "); OMPC_ATOMIC_LOAD(", orders, ") ",
                        atomic.place, " = ompc_old; }", atomic.line_ends);
  }
  std::string text = " { ";
  if (!atomic.kept.empty()) {
    absl::StrAppend(&text, "__typeof__(", atomic.kept, ") *ompc_kept = &(", atomic.kept, "); ");
  }
  if (!atomic.value.empty()) {
    absl::StrAppend(&text, atomic.is_stored ? "OMPC_VALUE_TYPE(" : "OMPC_OPERAND_TYPE(",
                    atomic.is_stored ? atomic.place : atomic.value, ") ompc_value = ", atomic.value,
                    "; ");
  }
  absl::StrAppend(&text, "OMPC_ATOMIC_PLACE(", atomic.place, "); ");
  if (atomic.kind == Kind::kWrite) {
    return absl::StrCat(text, "ompc_old = ompc_value; OMPC_ATOMIC_STORE(", orders, ") }",
                        atomic.line_ends);
  }
  if (!atomic.fetch.empty()) {
    absl::StrAppend(&text, "OMPC_ATOMIC_FETCH(", atomic.fetch, ", ",
                    atomic.is_step ? "1" : "ompc_value", ", ", order, ") ");
  }
  return absl::StrCat(text, "OMPC_ATOMIC_CHANGE(", orders, ", ", atomic.changed, ") }",
                      atomic.line_ends);
}

std::string TextOf(const DependObjectRegion& object) {
  using Action = DependObjectRegion::Action;
  const std::string place = absl::StrCat("&(", object.object, ")");
  const std::string kind = object.type == "in"    ? "OMPC_IN"
                           : object.type == "out" ? "OMPC_OUT"
                                                  : "OMPC_INOUT";
  switch (object.action) {
    case Action::kDestroy:
      return absl::StrCat(" { ompc_object_set(", place, ", NULL, 0); }");
    case Action::kUpdate:
      return absl::StrCat(" { ompc_object_update(", place, ", ", kind, "); }");
    case Action::kSet:
      break;
  }
  return absl::StrCat(" { ompc_object_set(", place, ", ", TextOf(object.block), ", ", kind, "); }");
}

std::string TextOf(const ErrorRegion& error) {
  if (error.is_at_execution) {
    return absl::StrCat(" { ompc_report(", error.is_warning ? 0 : 1, ", ", error.message, ", \"",
                        error.line.file, "\", ", error.line.number, "); }");
  }
  std::string quoted;
  for (const char c : error.message) {
    absl::StrAppend(&quoted, c == '"' || c == '\\' ? "\\" : "", std::string(1, c));
  }
  return absl::StrCat(" _Pragma(\"GCC warning ", quoted, "\") ");
}

std::string TextOf(const MetaRegion& meta, const std::vector<std::string>& bodies) {
  std::string text = " {";
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const std::string& condition = meta.choices[i].condition;
    const std::string block = absl::StrCat(" { ", bodies[i], "  }");
    absl::StrAppend(&text, condition.empty()
                               ? block
                               : absl::StrCat(" if (", condition, ") {", block, " } else"));
  }
  return absl::StrCat(text, " }");
}

std::string TextOf(const TaskGraphRegion& graph, const std::string& body) {
  using Watched = TaskGraphRegion::Watched;
  std::vector<std::string> places, bytes, watches;
  for (const auto& [shown, is_value, watched] : graph.variables) {
    places.push_back(absl::StrCat("(void *)&(", shown, ")"));
    bytes.push_back(absl::StrCat("sizeof(", is_value ? "(void)0, " : "", shown, ")"));
    watches.push_back(watched == Watched::kValue ? "1"
                      : watched == Watched::kPointer
                          ? absl::StrCat("OMPC_IS_PLAIN_POINTER(", shown, ")")
                          : "0");
  }
  const std::string reset = !graph.is_reset       ? "0"
                            : graph.reset.empty() ? "1"
                                                  : absl::StrCat("!!(", graph.reset, ")");
  const std::string plain = graph.reads_memory        ? "1"
                            : graph.condition.empty() ? "0"
                                                      : absl::StrCat("!(", graph.condition, ")");
  const std::string counted =
      places.empty() ? ""
                     : absl::StrCat(", .count = ", places.size(),
                                    ", .places = ompc_places, .bytes = ompc_bytes, .watched = "
                                    "ompc_watched");
  return absl::StrCat(" { ", ArrayOf("void *", "ompc_places", places),
                      ArrayOf("const size_t ", "ompc_bytes", bytes),
                      ArrayOf("const int ", "ompc_watched", watches),
                      "const struct ompc_graph ompc_graph = {.construct = &ompc_construct_",
                      graph.number, ", .id = (long)(", graph.id, "), .is_reset = ", reset,
                      ", .is_plain = ", plain, ", .nogroup = ", graph.has_group ? 0 : 1, counted,
                      "}; const int ompc_ran = ompc_graph_begin(&ompc_graph); if (ompc_ran) {",
                      body, " } ompc_graph_end(&ompc_graph, ompc_ran); }");
}

std::string TextOf(const ThreadPrivateRegion& variables) {
  std::string text;
  for (const std::string& name : variables.names) {
    if (!variables.is_of_file) {
      absl::StrAppend(&text, " (void)ompc_threadprivate_at(&", name, ", sizeof ", name, ");");
      continue;
    }
    absl::StrAppend(&text, " static struct ompc_threadprivate ompc_private_", name, " = {(void *)&",
                    name, ", sizeof ", name,
                    ", 0}; __attribute__((constructor)) static void ompc_keep_", name,
                    "(void) { ompc_threadprivate_keep(&ompc_private_", name, "); }");
  }
  return text;
}

}  // namespace taskrt
