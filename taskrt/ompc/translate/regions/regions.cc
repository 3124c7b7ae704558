#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "taskrt/ompc/translate/regions/translator.h"

namespace taskrt {

// A function of its own, which each member calls with the places of the variables.
absl::Status Translator::Parallel(const Directive& directive, std::size_t part) {
  const std::size_t begin = at_;
  const auto end = source_.AfterStatement(at_);
  if (!end.ok()) return end.status();
  const Body rest = [&] { return Part(directive, part + 1); };
  // The copies of the thread that begins the region are the first of all.
  std::vector<std::string> copied;
  for (const Clause& clause : directive.clauses) {
    if (clause.name != "copyin") continue;
    const auto items = ParseItems(clause);
    if (!items.ok()) return items.status();
    for (const ListItem& item : *items) {
      const Variable* const variable = Find(item.base);
      if (variable == nullptr || !variable->is_threadprivate) {
        return absl::InvalidArgumentError(
            absl::StrCat("a threadprivate variable in copyin, not ", item.base));
      }
      copied.push_back(item.base);
    }
  }
  std::size_t first_copied = 0;  // of the arguments
  const Body body = [&]() -> absl::Status {
    for (std::size_t i = 0; i < copied.size(); ++i) {
      const std::string own = Rewritten(copied[i]);
      // Not the first one onto itself, which the others read meanwhile.
      absl::StrAppend(&out_, " if ((void *)&", own, " != ompc_args[", first_copied + i,
                      "]) __builtin_memcpy((void *)&", own, ", ompc_args[", first_copied + i,
                      "], sizeof ", own, ");");
    }
    if (!copied.empty()) out_ += " ompc_barrier();";
    // Other private variables are the function's, by the captures.
    Directive reductions{directive.name, directive.parts, {}};
    for (const Clause& clause : directive.clauses) {
      if (clause.name == "reduction") reductions.clauses.push_back(clause);
    }
    const auto privates = PrivatesOf(reductions, part);
    if (!privates.ok()) return privates.status();
    return privates->own.variables.empty() ? rest() : InPrivates(*privates, "", "", rest);
  };
  const auto uses = UsesOf(begin, *end, body);
  if (!uses.ok()) return uses.status();
  const auto captures = CapturesOf(directive, *uses, "parallel");
  if (!captures.ok()) return captures.status();
  std::vector<std::string> args = ArgumentsOf(*captures).args;
  first_copied = args.size();
  for (const std::string& name : copied) args.push_back(absl::StrCat("(void *)&", Rewritten(name)));
  std::string function = "NULL";
  if (recorders_.empty()) {
    const auto outlined = Outlined(*captures, begin, *end, "", body);
    if (!outlined.ok()) return outlined.status();
    function = *outlined;
  }
  const auto condition = ConditionOf(directive, "parallel");
  if (!condition.ok()) return condition.status();
  const Clause* const threads = directive.Find("num_threads");
  absl::StrAppend(&out_, " { ", ArrayOf("void *", "ompc_args", args), "ompc_parallel(", function,
                  ", ", args.empty() ? "NULL" : "ompc_args", ", ",
                  threads == nullptr ? "0" : Rewritten(threads->text), ", ",
                  condition->empty() ? "1" : absl::StrCat("!!(", *condition, ")"), "); }");
  Skip(*end);
  return absl::OkStatus();
}

// The sections are dealt out as a loop's iterations.
absl::Status Translator::Sections(const Directive& directive, std::size_t part) {
  const std::size_t begin = source_.AfterSpace(at_);
  const auto end = source_.AfterStatement(at_);
  if (!end.ok()) return end.status();
  if (source_.text()[begin] != '{') return absl::InvalidArgumentError("a block behind sections");
  // Where each begins, and its directive.
  std::vector<std::size_t> begins{begin + 1};
  for (std::size_t at = source_.AfterSpace(begin + 1); at < *end - 1;) {
    if (source_.IsDirective(at)) {
      const std::size_t behind = source_.AfterDirective(at);
      std::vector<std::string> words = NamesIn(source_.Text(at, behind));
      if (words.size() == 3 && words[1] == "omp" && words[2] == "section") {
        if (source_.AfterSpace(begins.back()) == at) begins.pop_back();
        begins.push_back(behind);
      }
      at = source_.AfterSpace(behind);
      continue;
    }
    const auto after = source_.AfterStatement(at);
    if (!after.ok()) return after.status();
    at = source_.AfterSpace(*after);
  }
  const auto privates = PrivatesOf(directive, part);
  if (!privates.ok()) return privates.status();
  const bool waits = directive.parts.size() == 1 && !directive.Has("nowait");
  const bool is_in_order = RunsInOrder(directive);
  const Body body = [&]() -> absl::Status {
    absl::StrAppend(&out_,
                    "struct ompc_loop ompc_loop; long ompc_first, ompc_last; "
                    "ompc_loop_begin(&ompc_loop, ",
                    is_in_order ? "OMPC_STATIC" : "OMPC_DYNAMIC", ", ", begins.size(), ", ",
                    is_in_order ? begins.size() : 1,
                    ", 0); while (ompc_loop_next(&ompc_loop, &ompc_first, &ompc_last)) for (; "
                    "ompc_first < ompc_last; ++ompc_first) { switch (ompc_first) {");
    for (std::size_t i = 0; i < begins.size(); ++i) {
      Skip(begins[i]);
      std::size_t stop = *end - 1;
      if (i + 1 < begins.size()) {  // The directive's line is the last before the next.
        stop = begins[i + 1];
        for (std::size_t at = begins[i]; at < begins[i + 1]; ++at) {
          if (source_.IsDirective(at) && source_.AfterDirective(at) == begins[i + 1]) stop = at;
        }
      }
      absl::StrAppend(&out_, " case ", i, ": {");
      Push(stop);
      const std::size_t depth = scopes_.size();
      if (absl::Status walked = Walk(stop); !walked.ok()) return walked;
      scopes_.resize(depth - 1);
      out_ += " } break;";
    }
    Skip(*end);
    out_ += " } }";
    if (!privates->last.empty())
      absl::StrAppend(&out_, " if (ompc_loop.is_last) { ", privates->last, "}");
    return absl::OkStatus();
  };
  return InPrivates(*privates, "", absl::StrCat("ompc_loop_end(&ompc_loop, ", waits ? 0 : 1, "); "),
                    body);
}

// One after the other, each by the calling flow.
absl::Status Translator::Teams(const Directive& directive, std::size_t part) {
  const auto privates = PrivatesOf(directive, part);
  if (!privates.ok()) return privates.status();
  std::string count = "0";
  if (const Clause* const teams = directive.Find("num_teams")) {
    const std::size_t colon = FindOutside(teams->text, ':');  // Behind the least number.
    const bool is_range =
        colon != std::string::npos && FindOutside(teams->text, '?') == std::string::npos;
    count = Rewritten(is_range ? teams->text.substr(colon + 1) : teams->text);
  }
  const std::string head =
      absl::StrCat("struct ompc_teams ompc_teams; for (ompc_teams_begin(&ompc_teams, ", count,
                   "); ompc_teams_next(&ompc_teams);) {");
  return Around(head, "}", [&] {
    const Body rest = [&] { return Part(directive, part + 1); };
    return privates->own.variables.empty() ? rest() : InPrivates(*privates, "", "", rest);
  });
}

// By member 0: the tasks and targets of the program's outermost region are the program's then.
absl::Status Translator::Single(const Directive& directive) {
  const auto privates = PrivatesOf(directive, 0);
  if (!privates.ok()) return privates.status();
  std::string behind = "}";
  std::vector<std::string> places, sizes;
  for (const Clause& clause : directive.clauses) {
    if (clause.name != "copyprivate") continue;
    const auto items = ParseItems(clause);
    if (!items.ok()) return items.status();
    for (const ListItem& item : *items) {
      const std::string shown = Rewritten(item.base);
      places.push_back(absl::StrCat("(void *)&(", shown, ")"));
      sizes.push_back(absl::StrCat("sizeof(", shown, ")"));
    }
  }
  if (!places.empty()) {
    absl::StrAppend(&behind, " { ", ArrayOf("void *", "ompc_variables", places),
                    ArrayOf("const size_t ", "ompc_bytes", sizes),
                    "ompc_copyprivate(ompc_member() == 0, ", places.size(),
                    ", ompc_variables, ompc_bytes); }");
  } else if (!directive.Has("nowait")) {
    behind += " ompc_barrier();";
  }
  return Around("if (ompc_member() == 0) {", behind, [&] {
    const Body rest = [&] { return Part(directive, 1); };
    return privates->own.variables.empty() ? rest() : InPrivates(*privates, "", "", rest);
  });
}

absl::Status Translator::ScopeRegion(const Directive& directive) {
  const auto privates = PrivatesOf(directive, 0);
  if (!privates.ok()) return privates.status();
  return Around("", directive.Has("nowait") ? "" : "ompc_barrier();",
                [&] { return InPrivates(*privates, "", "", [&] { return Part(directive, 1); }); });
}

}  // namespace taskrt
