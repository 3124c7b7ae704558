// The constructs of OpenMP 5.1 in C, and what the translator does with each and with its clauses:
// the table by which it reads directives, and from which the page of constructs is written.
//
// Pure. Threads: any. Source: OpenMP 5.1, sections 2.3 to 2.21; [WLBS20] section 2.4.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taskrt {

enum class Fate {
  kRuns,
  kWithoutEffect,  // the program is right without it
  kRefused,        // by its name, with file and line
};

// A value: a construct that is no combination of others.
struct Construct {
  std::string_view name;
  Fate fate = Fate::kRuns;
  std::string_view clauses;  // that have an effect, each behind a space; "-": the directive's list
  std::string_view ignored;  // clauses without effect
  std::string_view note;     // for the page
};
std::span<const Construct> Constructs();
// Null: there is none.
const Construct* FindConstruct(std::string_view name);

// The constructs of which a combined or composite one is made, the outermost first: "parallel for"
// of parallel and for. Empty: OpenMP has no such one.
std::vector<std::string> PartsOf(std::span<const std::string> words);
// A word that may be a part of one.
bool IsPart(std::string_view word);

// The page, in Markdown.
std::string ConstructsPage();

}  // namespace taskrt
