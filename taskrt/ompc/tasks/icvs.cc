#include "taskrt/ompc/tasks/icvs.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lwt/options.h"
#include "taskrt/ompc/omp_library.h"
#include "topo/topo.h"

namespace taskrt {
namespace {

std::string Lower(std::string_view text) {
  return absl::AsciiStrToLower(absl::StripAsciiWhitespace(std::string(text)));
}

template <typename Parse>
auto FromVariable(const char* name, Parse parse) {
  const char* const text = std::getenv(name);
  const auto value = text == nullptr ? decltype(parse(""))() : parse(text);
  if (text != nullptr && !value) {
    std::fprintf(stderr, "ompc: %s=%s has no effect: it is no value of that variable\n", name,
                 text);
  }
  return value;
}

// As topo's default_threads, without the rest of the machine, which hwloc reads in five
// milliseconds.
int Processors() {
  const auto mask = topo::ProcessMask();
  const int pus = mask.ok() ? mask->size() : static_cast<int>(std::thread::hardware_concurrency());
  const double at_once = topo::ReadCpuQuota().value_or(pus);
  return static_cast<int>(std::clamp(std::round(at_once), 1.0, std::max(1.0, 1.0 * pus)));
}

Environment Read() {
  Environment all;
  Icvs& icvs = all.icvs;
  all.threads_by_level =
      FromVariable("OMP_NUM_THREADS", ParseNumThreads).value_or(std::vector<int>());
  all.processors = Processors();
  icvs.threads = all.threads_by_level.empty() ? all.processors : all.threads_by_level[0];
  all.thread_limit = std::min(
      kMostThreads, FromVariable("OMP_THREAD_LIMIT", ParsePositive).value_or(kMostThreads));
  // Several numbers in OMP_NUM_THREADS ask for as many levels.
  const bool is_nested = FromVariable("OMP_NESTED", ParseBool).value_or(false);
  icvs.max_active_levels =
      is_nested ? 1 << 10 : std::max<int>(1, static_cast<int>(all.threads_by_level.size()));
  if (const auto levels = FromVariable("OMP_MAX_ACTIVE_LEVELS", ParsePositive)) {
    icvs.max_active_levels = *levels;
  }
  icvs.is_dynamic = FromVariable("OMP_DYNAMIC", ParseBool).value_or(false);
  icvs.schedule = FromVariable("OMP_SCHEDULE", ParseSchedule).value_or(Schedule());
  all.stack_bytes = FromVariable("OMP_STACKSIZE", ParseStackSize).value_or(0);
  all.waits_actively = FromVariable("OMP_WAIT_POLICY", ParseWaitPolicy);
  return all;
}

}  // namespace

std::optional<int> ParsePositive(std::string_view text) {
  int number = 0;
  if (!absl::SimpleAtoi(Lower(text), &number) || number <= 0) return std::nullopt;
  return number;
}

std::optional<bool> ParseWaitPolicy(std::string_view text) {
  const std::string lower = Lower(text);
  if (lower == "active") return true;
  if (lower == "passive") return false;
  return std::nullopt;
}

std::optional<bool> ParseBool(std::string_view text) {
  const std::string lower = Lower(text);
  if (lower == "true" || lower == "1" || lower == "yes") return true;
  if (lower == "false" || lower == "0" || lower == "no") return false;
  return std::nullopt;
}

std::optional<std::vector<int>> ParseNumThreads(std::string_view text) {
  std::vector<int> all;
  for (const auto& part : absl::StrSplit(std::string(text), ',')) {
    const auto number = ParsePositive(std::string(part));
    if (!number) return std::nullopt;
    all.push_back(*number);
  }
  return all;
}

// [modifier:]kind[,chunk]
std::optional<Schedule> ParseSchedule(std::string_view text) {
  const std::string lower = Lower(text);
  const std::vector<std::string> parts = absl::StrSplit(lower.substr(lower.find(':') + 1), ',');
  const std::string kind = Lower(parts[0]);
  Schedule schedule;
  schedule.kind = kind == "static"    ? 1
                  : kind == "dynamic" ? 2
                  : kind == "guided"  ? 3
                  : kind == "auto"    ? 4
                                      : 0;
  if (schedule.kind == 0 || parts.size() > 2) return std::nullopt;
  if (parts.size() == 1) return schedule;
  const auto chunk = ParsePositive(parts[1]);
  if (!chunk) return std::nullopt;
  schedule.chunk = *chunk;
  return schedule;
}

// A number, of KiB where no unit B, K, M or G follows.
std::optional<std::size_t> ParseStackSize(std::string_view text) {
  std::string lower = Lower(text);
  if (lower.empty()) return std::nullopt;
  std::size_t unit = 1024;
  const std::string units = "bkmg";
  if (const std::size_t at = units.find(lower.back()); at != std::string::npos) {
    unit = std::size_t{1} << (10 * at);
    lower = Lower(lower.substr(0, lower.size() - 1));
  }
  const auto number = ParsePositive(lower);
  if (!number) return std::nullopt;
  return static_cast<std::size_t>(*number) * unit;
}

const Environment& TheEnvironment() {
  static const auto& environment = []() -> const Environment& {
    const auto& read = *new Environment(Read());
    const auto is_verbose = [](std::string_view text) {
      return Lower(text) == "verbose" ? true : ParseBool(text);
    };
    if (FromVariable("OMP_DISPLAY_ENV", is_verbose).value_or(false)) {
      DisplayEnvironment(read, read.icvs);
    }
    return read;
  }();
  return environment;
}

std::size_t TaskStackBytes(const Environment& environment) {
  constexpr std::size_t kUsual = 8 << 20;
  const std::size_t bytes = environment.stack_bytes == 0 ? kUsual : environment.stack_bytes;
  return std::clamp<std::size_t>(bytes, lwt::kLeastStackBytes, lwt::kMostStackBytes);
}

void DisplayEnvironment(const Environment& environment, const Icvs& icvs) {
  constexpr const char* kKinds[] = {"", "STATIC", "DYNAMIC", "GUIDED", "AUTO"};
  const int kind = icvs.schedule.kind & 0xff;  // Without the modifier monotonic.
  const std::string chunk =
      icvs.schedule.chunk > 0 ? absl::StrCat(",", icvs.schedule.chunk) : std::string();
  std::fprintf(stderr,
               "\nOPENMP DISPLAY ENVIRONMENT BEGIN\n"
               "  _OPENMP = '%d'\n"
               "  OMP_DYNAMIC = '%s'\n"
               "  OMP_NUM_THREADS = '%d'\n"
               "  OMP_SCHEDULE = '%s%s'\n"
               "  OMP_MAX_ACTIVE_LEVELS = '%d'\n"
               "  OMP_THREAD_LIMIT = '%d'\n"
               "  OMP_STACKSIZE = '%zuB'\n"
               "  OMP_WAIT_POLICY = '%s'\n"
               "OPENMP DISPLAY ENVIRONMENT END\n",
               _OPENMP, icvs.is_dynamic ? "TRUE" : "FALSE", icvs.threads,
               kKinds[std::clamp(kind, 0, 4)], chunk.c_str(), icvs.max_active_levels,
               environment.thread_limit, TaskStackBytes(environment),
               environment.waits_actively.value_or(false) ? "ACTIVE" : "PASSIVE");
}

}  // namespace taskrt
