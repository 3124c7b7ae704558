#include "taskrt/ompc/translate/directives/constructs.h"

#include <algorithm>
#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace taskrt {
namespace {

using enum Fate;

constexpr std::string_view kTaskNote =
    "a lightweight thread; with `depend`, a task of the runtime; `mutexinoutset` and `inoutset` "
    "order as "
    "`inout`";
constexpr std::string_view kTargetNote =
    "on the device that the scheduler chooses, or on the host; of C statements OpenCL runs loops "
    "of "
    "numbers; memory of a device is the host's";
constexpr std::string_view kTeamsNote = "one team after the other; without `num_teams` one";

constexpr auto kConstructs = std::to_array<Construct>({
    {"parallel", kRuns, " copyin default firstprivate if num_threads private reduction shared",
     " allocate proc_bind", "by a team of OS threads"},
    {"for", kRuns,
     " collapse firstprivate lastprivate linear nowait ordered private reduction schedule",
     " allocate order",
     "all schedules; one member runs a loop in order that has `ordered(n)`, "
     "`lastprivate(conditional:)` or `reduction(inscan,)`"},
    {"loop", kRuns, " bind collapse lastprivate private reduction", " order",
     "as `for`, or as `distribute`"},
    {"scan", kRuns, " exclusive inclusive", "", "in the block of a loop with `inscan`"},
    {"sections", kRuns, " firstprivate lastprivate nowait private reduction", " allocate", ""},
    {"section", kRuns, "", "", "in sections"},
    {"single", kRuns, " copyprivate firstprivate nowait private", " allocate", "by member 0"},
    {"scope", kRuns, " firstprivate nowait private reduction", " allocate", ""},
    {"master", kRuns, "", "", ""},
    {"masked", kRuns, " filter", "", ""},
    {"critical", kRuns, " -", " hint", ""},
    {"atomic", kRuns, " capture compare read seq_cst update write",
     " acq_rel acquire fail hint relaxed release weak",
     "words of up to 8 bytes by the processor, others one at a time; no bit-fields"},
    {"barrier", kRuns, "", "", ""},
    {"flush", kRuns, " -", " acq_rel acquire release seq_cst", ""},
    {"ordered", kRuns, " depend doacross", " simd threads",
     "with a clause, nothing: the loop is run in order"},
    {"threadprivate", kRuns, " -", "", "a copy for each thread number"},
    {"declare reduction", kRuns, " - initializer", "", ""},
    {"simd", kWithoutEffect, " collapse firstprivate lastprivate linear private reduction",
     " aligned if nontemporal order safelen simdlen", "the loop as it is"},
    {"declare simd", kWithoutEffect, "", " - aligned inbranch linear notinbranch simdlen uniform",
     ""},
    {"teams", kRuns, " default firstprivate num_teams private reduction shared",
     " allocate thread_limit", kTeamsNote},
    {"distribute", kRuns, " collapse firstprivate lastprivate private",
     " allocate dist_schedule order", "each team has a block of the iterations"},
    {"task", kRuns,
     " default depend detach final firstprivate if in_reduction priority private replayable shared",
     " affinity allocate mergeable untied", kTaskNote},
    {"taskloop", kRuns,
     " collapse default final firstprivate grainsize if in_reduction nogroup num_tasks priority "
     "lastprivate private reduction replayable shared",
     " allocate mergeable untied", ""},
    {"task_iteration", kRuns, " depend if", " affinity",
     "OpenMP 6.0; at the begin of a taskloop's body"},
    {"taskgroup", kRuns, "", " allocate task_reduction",
     "a task's part of a reduction is added when it ends"},
    {"taskgraph", kRuns, " graph_id graph_reset if nogroup", "",
     "OpenMP 6.0; a block that waits, reads its lists through pointers in memory, or has "
     "undeferred tasks, `detach`, regions or data of "
     "targets, "
     "is run each time"},
    {"taskwait", kRuns, " depend", "", ""},
    {"depobj", kRuns, " - depend destroy update", "", ""},
    {"taskyield", kRuns, "", "", ""},
    {"target", kRuns,
     " async defaultmap depend device firstprivate has_device_addr if is_device_ptr map nowait "
     "num_units priority private "
     "replayable work_item",
     " allocate thread_limit", kTargetNote},
    {"target data", kRuns, " device if map", " use_device_addr use_device_ptr", ""},
    {"target enter data", kRuns, " depend device if map nowait", "", "at once"},
    {"target exit data", kRuns, " depend device if map nowait", "", "at once"},
    {"target update", kRuns, " depend device from if nowait to", "", "at once"},
    {"declare target", kRuns, " - device_type enter link to", "", "its variables are the host's"},
    {"begin declare target", kRuns, " device_type", "", ""},
    {"end declare target", kRuns, "", "", ""},
    {"declare variant", kRuns, " - match", "", "for targets' calls, by the paper's contexts"},
    {"cancel", kWithoutEffect, "", " - do for if parallel sections taskgroup",
     "as with OMP_CANCELLATION=false, the default"},
    {"cancellation point", kWithoutEffect, "", " - for parallel sections taskgroup", ""},
    {"requires", kWithoutEffect, "",
     " atomic_default_mem_order dynamic_allocators ext_all reverse_offload unified_address "
     "unified_shared_memory",
     ""},
    {"assume", kWithoutEffect, "",
     " absent contains holds no_openmp no_openmp_constructs no_openmp_routines no_parallelism", ""},
    {"assumes", kWithoutEffect, "",
     " absent contains holds no_openmp no_openmp_constructs no_openmp_routines no_parallelism", ""},
    {"metadirective", kRuns, " default otherwise when", "",
     "of the host's context; scores are not compared: the first one that fits"},
    {"error", kRuns, " at message severity", "", ""},
    {"nothing", kWithoutEffect, "", "", ""},
    {"tile", kWithoutEffect, "", " sizes", "the loop as it is"},
    {"unroll", kWithoutEffect, "", " full partial", "the loop as it is"},
    {"allocate", kWithoutEffect, "", " - align allocator", "memory of the default allocator"},
    {"declare mapper", kRefused, "", "", ""},
    {"begin declare variant", kRefused, "", "", ""},
    {"end declare variant", kRefused, "", "", ""},
    {"dispatch", kRefused, "", "", ""},
    {"interop", kRefused, "", "", ""},
});

// The parts of combined constructs, in the order in which they follow each other.
constexpr std::array<std::string_view, 10> kParts = {"target", "teams",    "distribute", "parallel",
                                                     "for",    "sections", "loop",       "master",
                                                     "masked", "taskloop"};

constexpr std::string_view FateOf(Fate fate) {
  return fate == kRuns ? "runs" : fate == kRefused ? "refused" : "without effect";
}

std::string Listed(std::string_view words) {
  std::string text;
  for (std::size_t at = 0; at < words.size();) {
    const std::size_t end = std::min(words.find(' ', at + 1), words.size());
    const std::string word(words.substr(at + 1, end - at - 1));
    if (word != "-") absl::StrAppend(&text, text.empty() ? "" : ", ", word);
    at = end;
  }
  return text;
}

}  // namespace

std::span<const Construct> Constructs() { return kConstructs; }

const Construct* FindConstruct(std::string_view name) {
  const auto found = std::find_if(kConstructs.begin(), kConstructs.end(),
                                  [&](const Construct& each) { return each.name == name; });
  return found == kConstructs.end() ? nullptr : &*found;
}

bool IsPart(std::string_view word) {
  return word == "simd" || std::find(kParts.begin(), kParts.end(), word) != kParts.end();
}

std::vector<std::string> PartsOf(std::span<const std::string> words) {
  std::vector<std::string> parts;
  std::size_t next = 0;
  for (const std::string& word : words) {
    const std::size_t at =
        static_cast<std::size_t>(std::find(kParts.begin(), kParts.end(), word) - kParts.begin());
    const bool is_simd = word == "simd" && &word == &words.back();
    if (!is_simd && (at < next || at == kParts.size())) return {};
    parts.push_back(word);
    next = at + 1;
  }
  const auto has = [&](std::string_view part) {
    return std::find(parts.begin(), parts.end(), part) != parts.end();
  };
  const auto count = [&](std::initializer_list<std::string_view> some) {
    return std::count_if(some.begin(), some.end(), has);
  };
  // A loop is shared in one way, by a region's members where distribute is before it.
  const bool is_one =
      count({"for", "sections", "loop", "master", "masked"}) <= 1 &&
      (!has("distribute") || !has("for") || has("parallel")) &&
      (!has("distribute") || count({"sections", "loop", "master", "masked"}) == 0) &&
      (!has("taskloop") || parts.size() == 1 || count({"master", "masked"}) == 1 || has("simd"));
  return is_one ? parts : std::vector<std::string>();
}

std::string ConstructsPage() {
  std::string page =
      "# OpenMP 5.1 in C: the constructs\n\n"
      "Written by the translator from its own table (`ompc --constructs`); a test compares them. "
      "Combined "
      "constructs are their\nparts. The constructs and clauses that are not here are refused by "
      "name, with "
      "file and line.\n\n"
      "| Construct | | Clauses | Clauses without effect | |\n| --- | --- | --- | --- | --- |\n";
  for (const Construct& each : kConstructs) {
    absl::StrAppend(&page, "| ", std::string(each.name), " | ", std::string(FateOf(each.fate)),
                    " | ", Listed(each.clauses), " | ", Listed(each.ignored), " | ",
                    std::string(each.note), " |\n");
  }
  return page;
}

}  // namespace taskrt
