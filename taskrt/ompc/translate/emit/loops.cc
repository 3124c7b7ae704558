#include "taskrt/ompc/translate/emit/loops.h"

#include <algorithm>
#include <variant>

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/emit/loop_nest.h"
#include "taskrt/ompc/translate/emit/privates.h"

namespace taskrt {
namespace {

// Whose the iterations are: flags of omp_regions.h.
std::string BindingOf(const LoopRegion& loop) {
  using Binding = LoopRegion::Binding;
  using Distributed = LoopRegion::Distributed;
  std::string binding = loop.is_ordered ? "OMPC_ORDERED" : "0";
  if (loop.binding == Binding::kAlone) binding += " | OMPC_ALONE";
  if (loop.binding == Binding::kBinds) binding += " | OMPC_BINDS";
  if (loop.distributed == Distributed::kByTeams) binding += " | OMPC_OF_TEAM | OMPC_ALONE";
  if (loop.distributed == Distributed::kInTeam) binding += " | OMPC_OF_TEAM";
  return binding;
}

std::string NameOf(LoopRegion::Schedule schedule) {
  using Schedule = LoopRegion::Schedule;
  switch (schedule) {
    case Schedule::kDynamic:
      return "OMPC_DYNAMIC";
    case Schedule::kGuided:
      return "OMPC_GUIDED";
    case Schedule::kAuto:
      return "OMPC_AUTO";
    case Schedule::kRuntime:
      return "OMPC_RUNTIME";
    case Schedule::kStatic:
      break;
  }
  return "OMPC_STATIC";
}

// linear's variables in the iteration, but those that the loops count with.
std::string LinearOf(const LoopRegion& loop, const std::string& number) {
  std::string text;
  for (const auto& variable : loop.privates.variables) {
    const auto* const its = std::get_if<PrivateVariable>(&variable);
    if (its == nullptr || its->kind != PrivateVariable::Kind::kLinear) continue;
    const std::string& name = its->variable.name;
    const bool is_loops =
        std::any_of(loop.loops.begin(), loop.loops.end(),
                    [&](const SharedLoop& each) { return each.loop.variable == name; });
    if (is_loops) continue;
    absl::StrAppend(&text, name, " = ompc_kept_", name, " + (", number, ") * (", its->step, "); ");
  }
  return text;
}

std::string EndOf(bool waits) {
  return absl::StrCat("ompc_loop_end(&ompc_loop, ", waits ? 0 : 1, "); ");
}

std::string LastOf(const std::string& last) {
  return last.empty() ? "" : absl::StrCat(" if (ompc_loop.is_last) { ", last, "}");
}

}  // namespace

std::string TextOf(const LoopRegion& loop, const std::string& body) {
  const NestText nest = NestTextOf(loop.loops);
  PrivatesText privates = PrivatesTextOf(loop.privates);
  privates.before += PrivatesTextOf(loop.scanned).before;
  if (!privates.last.empty()) privates.last = nest.last + privates.last;
  // The first of a static schedule's chunks is member 0's.
  const std::string head = absl::StrCat(
      nest.head, "const long ompc_chunk = ", loop.is_in_order ? nest.count : loop.chunk, "; ");
  const std::string text = absl::StrCat(
      "struct ompc_loop ompc_loop; long ompc_first, ompc_last; ompc_loop_begin(&ompc_loop, ",
      NameOf(loop.is_in_order ? LoopRegion::Schedule::kStatic : loop.schedule), ", ", nest.count,
      ", ompc_chunk, ", BindingOf(loop),
      "); while (ompc_loop_next(&ompc_loop, &ompc_first, &ompc_last)) { ", nest.open,
      LinearOf(loop, nest.number),
      loop.is_ordered ? absl::StrCat("ompc_loop.iteration = ", nest.number, "; do {") : "",
      loop.line_ends_before, body,
      loop.is_ordered ? " } while (0); ompc_ordered_skip(&ompc_loop);" : "", loop.line_ends_behind,
      nest.close, " }", LastOf(privates.last));
  return InPrivates(privates, head, EndOf(loop.waits), text);
}

std::string TextOf(const ScanPhases& scan, const std::string& before, const std::string& after) {
  std::string taken, given, initial;
  for (const Variable& variable : scan.scanned.own.variables) {
    const std::string& name = variable.name;
    const std::string first = absl::StrCat("ompc_initial_", name);
    absl::StrAppend(&initial, "__typeof__(", name, ") ", first, " = ", name, "; (void)", first,
                    "; ");
    absl::StrAppend(&given, name, " = ", first, "; ");
    absl::StrAppend(&taken, name, " = *ompc_reduced_", name, "; ");
  }
  const PrivatesText scanned = PrivatesTextOf(scan.scanned);
  return absl::StrCat(
      "{ ", scanned.declared, initial, scan.is_inclusive ? "" : taken, scan.line_ends_before,
      before, " ", scan.is_inclusive ? scanned.combined + taken : given, scan.line_ends_scan, after,
      scan.line_ends_after, " ", scan.is_inclusive ? "" : scanned.combined, "}");
}

std::string TextOf(const SectionsRegion& sections, const std::vector<std::string>& bodies) {
  const PrivatesText privates = PrivatesTextOf(sections.privates);
  const std::size_t count = bodies.size();
  std::string text = absl::StrCat(
      "struct ompc_loop ompc_loop; long ompc_first, ompc_last; ompc_loop_begin(&ompc_loop, ",
      sections.is_in_order ? "OMPC_STATIC" : "OMPC_DYNAMIC", ", ", count, ", ",
      sections.is_in_order ? count : 1,
      ", 0); while (ompc_loop_next(&ompc_loop, &ompc_first, &ompc_last)) for (; "
      "ompc_first < ompc_last; ++ompc_first) { switch (ompc_first) {");
  for (std::size_t i = 0; i < count; ++i) {
    absl::StrAppend(&text, sections.sections[i].line_ends, " case ", i, ": {", bodies[i],
                    " } break;");
  }
  absl::StrAppend(&text, sections.line_ends, " } }", LastOf(privates.last));
  return InPrivates(privates, "", EndOf(sections.waits), text);
}

}  // namespace taskrt
