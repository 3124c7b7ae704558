#include "taskrt/ompc/translate/regions/teams.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/directives/parse.h"
#include "taskrt/ompc/translate/regions/captures.h"
#include "taskrt/ompc/translate/regions/privates.h"

namespace taskrt {
namespace {

// The threadprivate variables of copyin: the copies of the thread that begins the region are the
// first of all.
absl::StatusOr<std::vector<std::string>> CopiedIn(Resolution& all, const Directive& directive) {
  std::vector<std::string> copied;
  for (const Clause& clause : directive.clauses) {
    if (clause.name != "copyin") continue;
    const auto items = ParseItems(clause);
    if (!items.ok()) return items.status();
    for (const ListItem& item : *items) {
      const Variable* const variable = all.scopes.Find(item.base);
      if (variable == nullptr || !variable->is_threadprivate) {
        return absl::InvalidArgumentError(
            absl::StrCat("a threadprivate variable in copyin, not ", item.base));
      }
      copied.push_back(item.base);
    }
  }
  return copied;
}

}  // namespace

absl::StatusOr<ParallelRegion> ParallelOf(Resolution& all, const ParsedConstruct& construct,
                                          std::size_t part, const ResolveBody& body) {
  const Directive& directive = construct.directive;
  const auto copied = CopiedIn(all, directive);
  if (!copied.ok()) return copied.status();
  std::size_t first_copied = 0;  // of the arguments
  const ResolveBody member = [&]() -> absl::StatusOr<ResolvedCode> {
    ResolvedCode code;
    CopyIn copies{{}, first_copied};
    for (const std::string& name : *copied) copies.names.push_back(all.scopes.Rewritten(name));
    if (!copies.names.empty()) code.Add(Region{std::move(copies)});
    // Other private variables are the function's, by the captures.
    const auto reductions = ReductionsOf(all, construct, part);
    if (!reductions.ok()) return reductions.status();
    const auto rest = ResolveWithPrivates(all, *reductions, body);
    if (!rest.ok()) return rest;
    code.Add(*rest);
    return code;
  };
  const auto uses = UsesOf(all, construct.end, member);
  if (!uses.ok()) return uses.status();
  auto captures = CapturesOf(all, directive, *uses, "parallel");
  if (!captures.ok()) return captures.status();
  for (const Capture& capture : *captures) first_copied += HasArgument(capture) ? 1 : 0;
  ParallelRegion region;
  for (const std::string& name : *copied) region.copied.push_back(all.scopes.Rewritten(name));
  auto function = Outlined(all, *captures, construct.at, construct.end, member);
  if (!function.ok()) return function.status();
  region.captures = *std::move(captures);
  region.function = *std::move(function);
  region.condition = ConditionOf(all, directive, "parallel");
  if (const Clause* const threads = directive.Find("num_threads")) {
    region.threads = all.scopes.Rewritten(threads->text);
  }
  region.line_ends = LineEndsOf(all.source, construct.at, construct.end);
  return region;
}

absl::StatusOr<TeamsRegion> TeamsOf(Resolution& all, const ParsedConstruct& construct,
                                    std::size_t part, const ResolveBody& body) {
  TeamsRegion region;
  const auto privates = PrivatesOf(all, construct, part);
  if (!privates.ok()) return privates.status();
  if (const Clause* const teams = construct.directive.Find("num_teams")) {
    const std::size_t colon = FindOutside(teams->text, ':');  // Behind the least number.
    const bool is_range =
        colon != std::string::npos && FindOutside(teams->text, '?') == std::string::npos;
    region.count = all.scopes.Rewritten(is_range ? teams->text.substr(colon + 1) : teams->text);
  }
  auto code = InBlock(all, [&] { return ResolveWithPrivates(all, *privates, body); });
  if (!code.ok()) return code.status();
  region.body = *std::move(code);
  return region;
}

absl::StatusOr<SectionsRegion> SectionsOf(Resolution& all, const ParsedConstruct& construct,
                                          std::size_t part, const ResolveCode& resolve) {
  const Directive& directive = construct.directive;
  SectionsRegion region;
  auto privates = PrivatesOf(all, construct, part);
  if (!privates.ok()) return privates.status();
  region.privates = *std::move(privates);
  region.waits = directive.parts.size() == 1 && !directive.Has("nowait");
  region.is_in_order = RunsInOrder(directive);
  std::size_t at = construct.at;
  const auto resolved =
      ResolveInPrivates(all, region.privates, [&]() -> absl::StatusOr<ResolvedCode> {
        for (const ParsedSection& section : construct.sections) {
          auto code = InBlock(all, [&] { return resolve(section.code); });
          if (!code.ok()) return code;
          region.sections.push_back({LineEndsOf(all.source, at, section.begin), *std::move(code)});
          at = section.end;
        }
        return ResolvedCode();
      });
  if (!resolved.ok()) return resolved.status();
  region.line_ends = LineEndsOf(all.source, at, construct.end);
  return region;
}

absl::StatusOr<SingleRegion> SingleOf(Resolution& all, const ParsedConstruct& construct,
                                      const ResolveBody& body) {
  SingleRegion region;
  const auto privates = PrivatesOf(all, construct, 0);
  if (!privates.ok()) return privates.status();
  for (const Clause& clause : construct.directive.clauses) {
    if (clause.name != "copyprivate") continue;
    const auto items = ParseItems(clause);
    if (!items.ok()) return items.status();
    for (const ListItem& item : *items) {
      region.copied.push_back(all.scopes.Rewritten(item.base));
    }
  }
  region.waits = !construct.directive.Has("nowait");
  auto code = InBlock(all, [&] { return ResolveWithPrivates(all, *privates, body); });
  if (!code.ok()) return code.status();
  region.body = *std::move(code);
  return region;
}

absl::StatusOr<ScopeRegion> ScopeOf(Resolution& all, const ParsedConstruct& construct,
                                    const ResolveBody& body) {
  ScopeRegion region;
  auto privates = PrivatesOf(all, construct, 0);
  if (!privates.ok()) return privates.status();
  region.privates = *std::move(privates);
  region.waits = !construct.directive.Has("nowait");
  auto code = InBlock(all, [&] { return ResolveInPrivates(all, region.privates, body); });
  if (!code.ok()) return code.status();
  region.body = *std::move(code);
  return region;
}

absl::StatusOr<ResolvedCode> InBlock(Resolution& all, const ResolveBody& body) {
  const std::size_t depth = all.scopes.depth();
  all.scopes.Push({all.source.text().size(), {}, {}});
  auto code = body();
  all.scopes.Resize(depth);
  return code;
}

}  // namespace taskrt
