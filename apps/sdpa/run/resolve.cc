#include "apps/sdpa/run/resolve.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "apps/program/bytes.h"
#include "apps/program/flags.h"
#include "apps/program/words.h"
#include "apps/sdpa/files/parameters.h"
#include "apps/sdpa/files/read_bytes.h"
#include "apps/sdpa/files/solution_formats.h"
#include "apps/sdpa/run/instance.h"
#include "apps/sdpa/schur/kind.h"
#include "apps/sdpa/solve/memory.h"
#include "taskrt/devices.h"

namespace sdpa {
namespace {

// The values whose words are in `text`, with commas between; each once.
template <typename Value>
absl::StatusOr<std::vector<Value>> ParseWords(const char* flag, const std::string& text,
                                              const program::Words<Value>& words) {
  std::vector<Value> found;
  for (const auto part : absl::StrSplit(text, ',')) {
    const auto value = words.Parse(flag, {part.data(), part.size()});
    if (!value.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(flag, ": '", part, "' is none of ", absl::StrJoin(words.Texts(), ", ")));
    }
    if (std::find(found.begin(), found.end(), *value) == found.end()) found.push_back(*value);
  }
  return found;
}

absl::Status ReadOptions(const Flags& flags, Resolved& resolved) {
  Options& options = resolved.options;
  const auto precision = kPrecisions.Parse("--precision", flags.precision);
  if (!precision.ok()) return precision.status();
  const auto schur = kSchurKinds.Parse("--schur", flags.schur);
  if (!schur.ok()) return schur.status();
  options.precision = *precision;
  options.schur = *schur;
  // No device has numbers of 32 digits, and no sparse matrix does; a run that is resumed is one of
  // one precision.
  const bool is_double =
      flags.devices != "host" || !flags.checkpoint.empty() || *schur == SchurKind::kSparse;
  if (*precision == Precision::kChosen && is_double) options.precision = Precision::kDouble;
  options.seconds = flags.seconds;
  if (!flags.parameters.empty()) {
    const auto bytes = ReadBytes(flags.parameters);
    if (!bytes.ok()) return bytes.status();
    const auto parameters = ParseParameters(flags.parameters, *bytes);
    if (!parameters.ok()) return parameters.status();
    options.iterations = parameters->max_iteration;
    // sdpa-gmp's files ask for more digits than there are here.
    options.tolerance =
        std::max(kLeastTolerance, std::min(parameters->epsilon_star, parameters->epsilon_dash));
    options.start = parameters->lambda_star;
    if (!(*options.tolerance <= 1)) {
      return absl::InvalidArgumentError(absl::StrCat(flags.parameters,
                                                     ": epsilonStar or epsilonDash is ",
                                                     *options.tolerance, ", expected at most 1"));
    }
  }
  if (flags.iterations) options.iterations = flags.iterations;
  if (flags.tolerance) options.tolerance = flags.tolerance;
  if (flags.start) options.start = flags.start;
  if (*precision == Precision::kDoubleDouble && *schur == SchurKind::kSparse) {
    return absl::InvalidArgumentError("--schur=sparse works with --precision=double only");
  }
  return absl::OkStatus();
}

// A point has all elements of X and Y, also where the file has few: after CheckMemory.
absl::Status ReadInitial(const Flags& flags, Resolved& resolved) {
  if (flags.initial.empty()) return absl::OkStatus();
  const auto bytes = ReadBytes(flags.initial);
  if (!bytes.ok()) return bytes.status();
  auto initial = ParseSolution(FormatOfSolution(flags.initial, *bytes), resolved.problem,
                               flags.initial, *bytes);
  if (!initial.ok()) return initial.status();
  resolved.initial = *std::move(initial);
  return absl::OkStatus();
}

absl::Status ReadDevices(const Flags& flags, Resolved& resolved) {
  const auto devices = taskrt::ParseDevices(flags.devices);
  if (!devices.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--", std::string(devices.status().message())));
  }
  resolved.options.devices = *devices;
  if (devices->all() == 0) return absl::OkStatus();
  if (resolved.options.precision == Precision::kDoubleDouble) {
    return absl::InvalidArgumentError("--devices: no device has numbers of 32 digits");
  }
  if (resolved.options.schur == SchurKind::kSparse) {
    return absl::InvalidArgumentError("--devices: a sparse matrix is factored by the host");
  }
  resolved.options.schur = SchurKind::kDense;
  return taskrt::MakeDevices(*devices, {}).AreAllThere();
}

// A value: a flag, and whether it was given.
struct Given {
  const char* flag;
  bool is_given;
};

// Flags that would say nothing are refused: a user would take their absence for an effect.
absl::Status CheckElements(const Flags& flags, const Resolved& resolved) {
  for (const auto& [flag, is_given] :
       {Given{"--devices", resolved.options.devices.all() > 0},
        Given{"--precision=dd", resolved.options.precision == Precision::kDoubleDouble},
        Given{"--seconds", flags.seconds.has_value()}, Given{"--initial", !flags.initial.empty()},
        Given{"--parameters", !flags.parameters.empty()},
        Given{"--iterations", flags.iterations.has_value()},
        Given{"--tolerance", flags.tolerance.has_value()},
        Given{"--start", flags.start.has_value()}, Given{"--checkpoint", !flags.checkpoint.empty()},
        Given{"--result", !flags.result.empty()}, Given{"--solution", !flags.solution.empty()},
        Given{"--output", !flags.output.empty()}}) {
    if (!is_given) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("--mode=elements solves nothing, so that ", flag, " has no effect"));
  }
  if (resolved.options.schur != SchurKind::kChosen &&
      resolved.elements.methods == std::vector{Method::kFormulas}) {
    return absl::InvalidArgumentError("--schur has no effect on --method=formulas: it is dense");
  }
  return absl::OkStatus();
}

absl::Status CheckSolve(const Flags& flags, const Resolved& resolved) {
  for (const auto& [flag, is_given] :
       {Given{"--method", !flags.method.empty()}, Given{"--placement", !flags.placement.empty()},
        Given{"--repetitions", flags.repetitions.has_value()}}) {
    if (!is_given) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(flag, " has an effect with --mode=elements only"));
  }
  if (flags.start && !flags.initial.empty()) {
    return absl::InvalidArgumentError("--start and --initial: a run begins at one point");
  }
  if (flags.resume && (flags.start || !flags.initial.empty())) {
    return absl::InvalidArgumentError(
        "--resume begins at the checkpoint: neither --start nor --initial has an effect");
  }
  const bool has_file = !flags.checkpoint.empty() || !flags.result.empty() ||
                        !flags.solution.empty() || !flags.output.empty();
  if (resolved.mappings.size() > 1 && has_file) {
    return absl::InvalidArgumentError(
        "--checkpoint and the files of a solution are of one run: one policy and number of "
        "threads");
  }
  if (resolved.options.devices.is_virtual() && flags.policy != "none") {
    return absl::InvalidArgumentError(
        "--policy has no effect where all devices are simulated: no thread is bound then");
  }
  return absl::OkStatus();
}

absl::Status CheckMemory(Resolved& resolved) {
  const bool is_dd = resolved.options.precision == Precision::kDoubleDouble;
  auto bytes = BytesLeft(resolved.problem, is_dd, std::nullopt);
  const std::vector<Method>& methods = resolved.elements.methods;
  const bool has_two =
      resolved.mode == Mode::kElements &&
      std::find(methods.begin(), methods.end(), Method::kFormulas) != methods.end();
  if (bytes.ok() && has_two) {
    const double second = 8 * std::pow(static_cast<double>(resolved.problem.constraints()), 2);
    if (*bytes > second) {
      *bytes -= second;
    } else {
      bytes = absl::ResourceExhaustedError(absl::StrCat("a second matrix, of the formulas, needs ",
                                                        program::FormatBytes(second), "; there is ",
                                                        program::FormatBytes(*bytes)));
    }
  }
  if (!bytes.ok()) {
    return absl::Status(bytes.status().code(),
                        absl::StrCat(resolved.name, ": ", std::string(bytes.status().message())));
  }
  resolved.elements.most_bytes = *bytes;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Resolved> Resolve(const Flags& flags) {
  absl::StatusOr<Instance> instance = ReadInstance(flags);
  if (!instance.ok()) return instance.status();
  auto topology = topo::ThisMachine();
  if (!topology.ok()) return topology.status();
  auto mappings = program::PlanMappings(flags.policy, flags.threads, *topology);
  if (!mappings.ok()) return mappings.status();
  auto methods = ParseWords("--method", flags.method.empty() ? "terms" : flags.method, kMethods);
  if (!methods.ok()) return methods.status();
  auto placements = ParseWords(
      "--placement", flags.placement.empty() ? "first-touch" : flags.placement, kDataPlacements);
  if (!placements.ok()) return placements.status();
  const auto mode = kModes.Parse("--mode", flags.mode);
  if (!mode.ok()) return mode.status();
  Resolved resolved = {
      .name = std::move(instance->name),
      .problem = std::move(instance->problem),
      .known = instance->known,
      .has_integers = instance->has_integers,
      .mode = *mode,
      .topology = *std::move(topology),
      .mappings = *std::move(mappings),
      .elements = {.name = {},
                   .methods = *std::move(methods),
                   .placements = *std::move(placements),
                   .mappings = {},
                   .repetitions = flags.repetitions.value_or(5)},
      .options = {},
      .initial = {},
      .checkpoint = {flags.checkpoint, std::chrono::seconds(flags.checkpoint_seconds),
                     flags.resume}};
  absl::Status status = ReadOptions(flags, resolved);
  if (status.ok()) status = ReadDevices(flags, resolved);
  if (status.ok()) {
    status = resolved.mode == Mode::kElements ? CheckElements(flags, resolved)
                                              : CheckSolve(flags, resolved);
  }
  if (status.ok()) status = CheckMemory(resolved);
  if (status.ok()) status = ReadInitial(flags, resolved);
  if (!status.ok()) return status;
  resolved.elements.name = resolved.name;
  resolved.elements.mappings = resolved.mappings;
  resolved.elements.schur = resolved.options.schur;
  return resolved;
}

}  // namespace sdpa
