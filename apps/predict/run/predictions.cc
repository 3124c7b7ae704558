#include "apps/predict/run/predictions.h"

#include <cmath>
#include <functional>

#include "absl/status/status.h"
#include "apps/simpath/frontier/forecast.h"
#include "apps/simpath/frontier/plan.h"
#include "apps/simpath/problem/problem.h"

namespace predict {
namespace {

// What a mapping takes, and what is done in it, in the rate's unit times seconds.
struct Predictor {
  std::function<double(const topo::Mapping&)> ns;
  double amount = 0;
};

// The states of each level of a grid.
absl::StatusOr<std::vector<double>> StatesOfGrid(int grid) {
  const graph::EdgeList list = simpath::Grid(grid);
  const auto problem = simpath::MakeProblem(list, 0, list.vertices - 1);
  if (!problem.ok()) return problem.status();
  const auto levels = simpath::ForecastStates(simpath::MakePlan(*problem, 1));
  if (!levels.ok()) return levels.status();
  std::vector<double> states;
  for (const simpath::LevelForecast& level : *levels) {
    states.push_back(static_cast<double>(level.states));
  }
  return states;
}

absl::StatusOr<Predictor> PredictorOf(const Machine& machine, const Questions& questions) {
  switch (questions.program) {
    case Program::kStream: {
      StreamOptions options = questions.stream;
      options.seed = questions.seed;
      return Predictor{
          [&machine, options](const auto& mapping) { return TriadNs(machine, mapping, options); },
          stream::CountedBytes(stream::Kernel::kTriad) * options.elements * 1e-9};
    }
    case Program::kBfs: {
      const SearchWork search = CountSearch({.scale = questions.counted_scale}, 1);
      const SearchModel model = {.times = std::exp2(questions.scale - questions.counted_scale),
                                 .costs = questions.search,
                                 .seed = questions.seed};
      return Predictor{[&machine, search, model](const auto& mapping) {
                         return SearchNs(machine, mapping, search, model);
                       },
                       search.tuples * model.times * 1e-9};
    }
    case Program::kSimpath: {
      auto states = StatesOfGrid(questions.grid);
      if (!states.ok()) return states.status();
      double all = 0;
      for (const double of_level : *states) all += of_level;
      const EdgeBasedOptions options = {.states = *std::move(states),
                                        .costs = questions.states,
                                        .balanced = questions.balanced,
                                        .seed = questions.seed};
      return Predictor{[&machine, options](const auto& mapping) {
                         return EdgeBasedNs(machine, mapping, options);
                       },
                       all * 1e-6};
    }
    case Program::kElements: {
      ElementsOptions options = questions.elements;
      options.seed = questions.seed;
      return Predictor{[&machine, options](const auto& mapping) {
                         return ElementsNs(machine, mapping, options);
                       },
                       1};
    }
  }
  return absl::InternalError("no such program");
}

}  // namespace

std::string_view RateUnit(Program program) {
  switch (program) {
    case Program::kStream:
      return "GB/s";
    case Program::kBfs:
      return "GTEPS";
    case Program::kSimpath:
      return "million states/s";
    case Program::kElements:
      return "iterations/s";
  }
  return "?";
}

absl::StatusOr<std::vector<Prediction>> Predict(const Machine& machine,
                                                const std::vector<topo::Mapping>& mappings,
                                                const Questions& questions) {
  const auto predictor = PredictorOf(machine, questions);
  if (!predictor.ok()) return predictor.status();
  std::vector<Prediction> predictions;
  for (const topo::Mapping& mapping : mappings) {
    const double seconds = predictor->ns(mapping) * 1e-9;
    predictions.push_back({.program = questions.program,
                           .policy = mapping.policy(),
                           .threads = mapping.size(),
                           .virtual_seconds = seconds,
                           .rate = predictor->amount / seconds});
  }
  return predictions;
}

}  // namespace predict
