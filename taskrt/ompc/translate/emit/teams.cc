#include "taskrt/ompc/translate/emit/teams.h"

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/emit/arrays.h"
#include "taskrt/ompc/translate/emit/functions.h"
#include "taskrt/ompc/translate/emit/privates.h"

namespace taskrt {
namespace {

// A statement with something before and behind it.
std::string Around(const std::string& before, const std::string& body, const std::string& behind) {
  return absl::StrCat(" { ", before, body, " ", behind, " }");
}

std::string SectionBegin(const std::string& name) {
  return absl::StrCat("ompc_critical_begin(&", SectionName(name), ", \"", name, "\");");
}
std::string SectionEnd(const std::string& name) {
  return absl::StrCat("ompc_critical_end(&", SectionName(name), ");");
}

}  // namespace

// A function of its own, which each member calls with the places of the variables.
std::string TextOf(const ParallelRegion& parallel) {
  std::vector<std::string> args = ArgumentsOf(parallel.captures).args;
  for (const std::string& name : parallel.copied) args.push_back(absl::StrCat("(void *)&", name));
  return absl::StrCat(
      " { ", ArrayOf("void *", "ompc_args", args), "ompc_parallel(",
      FunctionName(parallel.function), ", ", args.empty() ? "NULL" : "ompc_args", ", ",
      parallel.threads.empty() ? "0" : parallel.threads, ", ",
      parallel.condition.empty() ? "1" : absl::StrCat("!!(", parallel.condition, ")"), "); }",
      parallel.line_ends);
}

std::string TextOf(const CopyIn& copies) {
  std::string text;
  std::size_t argument = copies.first_argument;
  for (const std::string& name : copies.names) {
    // Not the first one onto itself, which the others read meanwhile.
    absl::StrAppend(&text, " if ((void *)&", name, " != ompc_args[", argument,
                    "]) __builtin_memcpy((void *)&", name, ", ompc_args[", argument, "], sizeof ",
                    name, ");");
    ++argument;
  }
  return absl::StrCat(text, " ompc_barrier();");
}

// One team after the other, each by the calling flow.
std::string TextOf(const TeamsRegion& teams, const std::string& body) {
  return Around(absl::StrCat("struct ompc_teams ompc_teams; for (ompc_teams_begin(&ompc_teams, ",
                             teams.count, "); ompc_teams_next(&ompc_teams);) {"),
                body, "}");
}

// By member 0: the tasks and targets of the program's outermost region are the program's then.
std::string TextOf(const SingleRegion& single, const std::string& body) {
  std::vector<std::string> places, sizes;
  for (const std::string& shown : single.copied) {
    places.push_back(absl::StrCat("(void *)&(", shown, ")"));
    sizes.push_back(absl::StrCat("sizeof(", shown, ")"));
  }
  std::string behind = "}";
  if (!places.empty()) {
    absl::StrAppend(&behind, " { ", ArrayOf("void *", "ompc_variables", places),
                    ArrayOf("const size_t ", "ompc_bytes", sizes),
                    "ompc_copyprivate(ompc_member() == 0, ", places.size(),
                    ", ompc_variables, ompc_bytes); }");
  } else if (single.waits) {
    behind += " ompc_barrier();";
  }
  return Around("if (ompc_member() == 0) {", body, behind);
}

std::string TextOf(const ScopeRegion& scope, const std::string& body) {
  return Around("", InPrivates(PrivatesTextOf(scope.privates), "", "", body),
                scope.waits ? "ompc_barrier();" : "");
}

std::string TextOf(const BlockRegion& block, const std::string& body) {
  using Kind = BlockRegion::Kind;
  switch (block.kind) {
    case Kind::kMaster:
      return Around("if (ompc_member() == 0) {", body, "}");
    case Kind::kMasked:
      return Around(absl::StrCat("if (ompc_member() == (", block.argument, ")) {"), body, "}");
    case Kind::kTaskGroup:
      return Around("ompc_require(ompc_group_begin());", body, "ompc_require(ompc_group_end());");
    case Kind::kCritical:
      return Around(SectionBegin(block.argument), body, SectionEnd(block.argument));
    case Kind::kOrdered:
      break;
  }
  return Around("ompc_ordered_begin();", body, "ompc_ordered_end();");
}

std::string TextOf(StandAlone directive) {
  const auto call = [](const char* text) { return absl::StrCat(" { ", text, " }"); };
  switch (directive) {
    case StandAlone::kTaskWait:
      return call("ompc_require(ompc_task_wait());");
    case StandAlone::kBarrier:
      return call("ompc_barrier();");
    case StandAlone::kTaskYield:
      return call("ompc_require(ompc_task_yield());");
    case StandAlone::kFlush:
      return call("__sync_synchronize();");
    case StandAlone::kNothing:
      break;
  }
  return call("");
}

// A program has one variable for each section, which finds it once. It is no static one of the
// function: an inline function may have none.
std::string SectionName(const std::string& name) { return absl::StrCat("ompc_section_", name); }

std::string AroundSection(const std::string& name, const std::string& separator) {
  return absl::StrCat(SectionBegin(name), separator, SectionEnd(name));
}

}  // namespace taskrt
