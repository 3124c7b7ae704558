#include "apps/sdpa/run/flags.h"

#include <CLI/CLI.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "apps/program/flags.h"
#include "apps/sdpa/schur/kind.h"
#include "apps/sdpa/solve/options.h"

namespace sdpa {

namespace {

// As CLI11's Range, which writes 1e-28 as 0.000000.
CLI::Validator Between(double least, double most) {
  const auto check = [=](const std::string& text) -> std::string {
    double value = 0;
    if (CLI::detail::lexical_cast(text, value) && value >= least && value <= most) return "";
    return absl::StrCat("'", text, "' is not a number from ", least, " to ", most);
  };
  return CLI::Validator(check, absl::StrCat(least, " to ", most));
}

}  // namespace

void AddFlags(CLI::App& app, Flags& flags) {
  app.footer(
      "Exit codes: 0 verified, 3 reduced accuracy, 4 ended by a limit or a signal, 1 stalled, 2 an "
      "error.\nAlso called as sdpa -ds FILE -o RESULT, and, by a link of that name, csdp FILE "
      "SOLUTION.");
  auto* const instance = app.add_option_group("what to solve");
  instance->add_option("--problem", flags.problem,
                       "a semidefinite program: .dat-s, or .dat (dense)");
  instance->add_option("--generate", flags.generate,
                       "one that is made, as theta-200, control:n=40 or random:m=50,seed=2");
  instance->add_option("--theta", flags.theta,
                       "Lovász's theta of the graph in this file (apps/graph)");
  instance->add_option("--max-cut", flags.max_cut,
                       "the relaxation of the largest cut of the graph in this file");
  instance->require_option(0, 1);
  app.add_option("--first-id", flags.first_id,
                 "of the vertices in an edge list of --theta or --max-cut: 0 or 1 (default 0)")
      ->check(CLI::IsMember({0, 1}));
  app.add_option("--mode", flags.mode,
                 "solve, or elements: only the elements of the Schur complement's matrix, of one "
                 "iteration (default solve)")
      ->check(CLI::IsMember(kModes.Texts()));
  app.add_option("--method", flags.method,
                 "how --mode=elements computes them: terms, formulas (F1, F2, F3: the paper's "
                 "figure 14), or both with a comma (default terms)");
  app.add_option("--placement", flags.placement,
                 "where Y and X^-1 lie for --mode=elements: first-touch (the main thread writes "
                 "them first), local (the first thread's node), interleaved (all threads' nodes), "
                 "or several with commas (default first-touch)");
  app.add_option("--repetitions", flags.repetitions, "of --mode=elements (default 5)")
      ->check(CLI::Range(1, 10000));
  app.add_option("--parameters", flags.parameters,
                 "SDPA's param.sdpa, of which maxIteration, epsilonStar, epsilonDash and "
                 "lambdaStar have an effect");
  app.add_option("--initial", flags.initial,
                 "begin at this point: SDPA's .ini-s or .ini, CSDP's or SDPA's solution");
  app.add_option("--iterations", flags.iterations, "at most (default 100; of dd 500)")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--tolerance", flags.tolerance,
                 "of the relative gap and errors of a solution (default 1e-7; of dd 1e-14)")
      ->check(Between(kLeastTolerance, 1));
  app.add_option("--start", flags.start,
                 "X and Y begin as this times I (default: by the problem's numbers)")
      ->check(Between(1e-30, 1e30));
  app.add_option("--seconds", flags.seconds,
                 "end after so many, with the best point so far (default: no limit)")
      ->check(Between(0, 1e9));
  app.add_option(
         "--precision", flags.precision,
         "double, dd: pairs of doubles, about 32 digits, or auto: double, and dd where that "
         "comes to no answer (default auto; double with --devices, --checkpoint and "
         "--schur=sparse)")
      ->check(CLI::IsMember(kPrecisions.Texts()));
  app.add_option("--schur", flags.schur,
                 "how the Schur complement's matrix is stored: dense, sparse, or auto: what is "
                 "less work (default auto)")
      ->check(CLI::IsMember(kSchurKinds.Texts()));
  app.add_option("--policy", flags.policy,
                 "which PUs the threads are bound to: none, scatter, compact, compact+, several "
                 "with commas, or all (default none)");
  program::AddThreadsFlag(app, flags.threads);
  app.add_option("--devices", flags.devices,
                 "where the dense matrix is factored: a list of opencl:COUNT, cuda:COUNT, and "
                 "sim:COUNT, simulated devices; if all are simulated, times are virtual (default "
                 "host)");
  auto* const checkpoint = app.add_option("--checkpoint", flags.checkpoint,
                                          "a file from which a killed run goes on (--resume)");
  app.add_option("--checkpoint-seconds", flags.checkpoint_seconds,
                 "between two writes of the checkpoint (default 60)")
      ->check(CLI::Range(0, 1 << 30))
      ->needs(checkpoint);
  app.add_flag("--resume", flags.resume,
               "go on from the checkpoint; iterations and seconds count from there")
      ->needs(checkpoint);
  app.add_option("--write", flags.write, "write the problem to this file, as .dat-s or .dat");
  app.add_option("--result", flags.result, "write the solution to this file, as sdpa writes it");
  app.add_option("--solution", flags.solution,
                 "write the solution to this file, as csdp writes it");
  app.add_option("--output", flags.output, "write x to this file, an element a line");
  app.add_option("--svg", flags.svg,
                 "draw what the time was spent on, or elements by threads, to this file");
  app.add_option("--json", flags.json, "write the results to this file, - for standard output");
}

}  // namespace sdpa
