#include "apps/sdpa/peers/run.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <optional>
#include <ostream>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "apps/program/interrupts.h"
#include "apps/program/output_file.h"
#include "apps/program/run.h"
#include "apps/sdpa/files/parameters.h"
#include "apps/sdpa/files/read_bytes.h"
#include "apps/sdpa/peers/csdp_parameters.h"
#include "apps/sdpa/peers/reports.h"
#include "apps/sdpa/solve/iteration_text.h"
#include "topo/topo.h"

namespace sdpa {
namespace {

// csdp's own.
enum CsdpExit {
  kNoCommandLine = 200,
  kNoProblem = 201,
  kNoInitial = 202,
  kNoSolution = 204,
  kNoMemory = 205
};

// A value: why there is no run, and csdp's exit code for it.
struct Fault {
  int code = 0;
  std::string sentence;
};

std::optional<Fault> FaultOf(int code, const absl::Status& status) {
  if (status.ok()) return std::nullopt;
  if (status.code() == absl::StatusCode::kResourceExhausted) code = kNoMemory;
  return Fault{code, std::string(status.message())};
}

// A value: what the files of a call say.
struct Work {
  Problem problem;
  std::optional<SolutionValues> initial;
  Options options;
  int print_level = 1;
};

// As both peers do: the number of threads is OpenMP's where nothing else is said. More than the
// machine runs at once are of no use here.
absl::StatusOr<int> ThreadsOf(const PeerCall& call) {
  const auto topology = topo::ThisMachine();
  if (!topology.ok()) return topology.status();
  int threads = topology->default_threads();
  const char* const variable = std::getenv("OMP_NUM_THREADS");
  int given = 0;
  if (call.threads) {
    threads = *call.threads;
  } else if (variable != nullptr && absl::SimpleAtoi(variable, &given) && given > 0) {
    threads = given;
  }
  return std::min(threads, topology->allowed_pus());
}

absl::Status ReadParameters(Peer peer, const PeerCall& call, Work& work) {
  if (call.parameters.empty()) return absl::OkStatus();
  const auto bytes = ReadBytes(call.parameters);
  if (absl::IsNotFound(bytes.status())) {
    // As sdpa does; csdp's file is one that may be there.
    if (!call.are_parameters_optional) {
      std::cerr << "sdpa: " << call.parameters << " is not there: the parameters are the defaults"
                << std::endl;
    }
    return absl::OkStatus();
  }
  if (!bytes.ok()) return bytes.status();
  if (peer == Peer::kCsdp) {
    const CsdpParameters parameters = ParseCsdpParameters(*bytes);
    work.options.tolerance = parameters.tolerance;
    work.options.iterations = parameters.most_iterations;
    work.print_level = parameters.print_level;
    return absl::OkStatus();
  }
  const auto parameters = ParseParameters(call.parameters, *bytes);
  if (!parameters.ok()) return parameters.status();
  work.options.tolerance = std::clamp(std::min(parameters->epsilon_star, parameters->epsilon_dash),
                                      kLeastTolerance, 1.0);
  work.options.iterations = parameters->max_iteration;
  work.options.start = parameters->lambda_star;
  return absl::OkStatus();
}

std::optional<Fault> Read(Peer peer, const PeerCall& call, Work& work) {
  const auto bytes = ReadBytes(call.problem);
  if (!bytes.ok()) return FaultOf(kNoProblem, bytes.status());
  auto problem = Parse(call.format, call.problem, *bytes);
  if (!problem.ok()) return FaultOf(kNoProblem, problem.status());
  work.problem = *std::move(problem);
  const auto threads = ThreadsOf(call);
  if (!threads.ok()) return FaultOf(kNoCommandLine, threads.status());
  work.options.threads = *threads;
  if (auto status = ReadParameters(peer, call, work); !status.ok()) {
    return FaultOf(kNoCommandLine, status);
  }
  if (call.initial.empty()) return std::nullopt;
  const auto point = ReadBytes(call.initial);
  if (!point.ok()) return FaultOf(kNoInitial, point.status());
  const Format format = call.initial_format.value_or(FormatOfSolution(call.initial, *point));
  auto initial = ParseSolution(format, work.problem, call.initial, *point);
  if (!initial.ok()) return FaultOf(kNoInitial, initial.status());
  work.initial = *std::move(initial);
  return std::nullopt;
}

// Their callers' files ask for 1e-8 where neither peer insists on it: a solution to 1e-7 is not
// given up for one in pairs of doubles, which takes a hundred times as long, unless it is these
// that are asked for.
absl::StatusOr<Outcome> SolveFor(const Work& work, Options options) {
  constexpr double kEnough = 1e-7, kDigitsOfDoubles = 1e-12;
  if (work.initial) options.initial = &*work.initial;
  const double tolerance = options.tolerance_or_default();
  if (tolerance >= kEnough || tolerance < kDigitsOfDoubles) return Solve(work.problem, options);
  options.precision = Precision::kDouble;
  absl::StatusOr<Outcome> outcome = Solve(work.problem, options);
  if (!outcome.ok()) return outcome;
  const Judgement& judgement = outcome->judgement;
  const bool is_answer = ExitCodeOf(judgement.status) == 0 ||
                         judgement.certificate.largest_error() <= kEnough ||
                         program::Interrupts::WasAsked();
  if (is_answer) return outcome;
  options.precision = Precision::kChosen;
  return Solve(work.problem, options);
}

absl::Status Write(Peer peer, const Outcome& outcome, const Work& work, program::OutputFile& file) {
  const double tolerance = work.options.tolerance_or_default();
  return file.Commit(peer == Peer::kCsdp ? CsdpSolutionText(work.problem, outcome.solution)
                                         : SdpaResultText(ResultOf(outcome, tolerance),
                                                          work.problem, outcome.solution));
}

std::optional<Fault> Run(Peer peer, std::span<const std::string> arguments, int& code) {
  const auto call = ParseCall(peer, arguments);
  if (!call.ok()) return FaultOf(kNoCommandLine, call.status());
  Work work;
  if (auto fault = Read(peer, *call, work)) {
    // sdpa's callers do not look at its exit code: they must not find an older result.
    if (peer == Peer::kSdpa) std::ofstream(call->solution, std::ios::trunc);
    return fault;
  }
  std::optional<program::OutputFile> file;
  std::optional<Fault> of_file;
  if (!call->solution.empty()) {
    auto opened = program::OutputFile::Open(call->solution);
    if (opened.ok()) {
      file.emplace(*std::move(opened));
    } else {
      of_file = FaultOf(kNoSolution, opened.status());
    }
    // csdp's callers may read no more than its lines.
    if (of_file && peer == Peer::kSdpa) return of_file;
  }
  const program::Interrupts interrupts;
  const bool prints = work.print_level > 0;
  if (prints && peer == Peer::kSdpa) std::cout << HeadOfIterations();
  work.options.progress = [&](const Iteration& iteration, const auto&) {
    if (prints) {
      std::cout << (peer == Peer::kCsdp ? CsdpLine(iteration) : ToText(iteration)) << std::flush;
    }
    return !program::Interrupts::WasAsked();
  };
  const auto outcome = SolveFor(work, work.options);
  if (!outcome.ok()) return FaultOf(kNoCommandLine, outcome.status());
  if (prints && peer == Peer::kCsdp) std::cout << CsdpReport(*outcome);
  if (prints && peer == Peer::kSdpa) {
    std::cout << SdpaHeadText(ResultOf(*outcome, work.options.tolerance_or_default()));
    if (call->prints_dimacs) std::cout << SdpaDimacsLines(outcome->judgement.certificate);
  }
  if (file) {
    if (auto status = Write(peer, *outcome, work, *file); !status.ok()) {
      return FaultOf(kNoSolution, status);
    }
  }
  if (of_file) return of_file;
  code = peer == Peer::kCsdp ? CsdpExitCode(outcome->judgement.status) : 0;
  return std::nullopt;
}

}  // namespace

int RunAsPeer(Peer peer, std::span<const std::string> arguments) {
  program::GoToCallersFolder();
  int code = 0;
  std::optional<Fault> fault;
  try {
    fault = Run(peer, arguments, code);
  } catch (const std::exception& error) {
    fault = Fault{kNoMemory, error.what()};
  }
  if (fault) {
    const std::string name = peer == Peer::kCsdp ? "csdp" : "sdpa";
    std::cerr << program::ErrorSentence(name, fault->sentence) << std::endl;
    return peer == Peer::kCsdp ? fault->code : 1;
  }
  if (!std::cout.flush()) return peer == Peer::kCsdp ? kNoSolution : 1;
  return code;
}

}  // namespace sdpa
