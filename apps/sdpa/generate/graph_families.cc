// The families of graphs.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "apps/sdpa/generate/families.h"
#include "apps/sdpa/generate/graph_problems.h"
#include "apps/sdpa/generate/graphs.h"
#include "apps/sdpa/generate/random.h"

namespace sdpa {
namespace {

// Theta's F_0 has an element for each pair of vertices: 10,000 are 800 MB.
constexpr int kMostVertices = 20'000, kMostOfTheta = 10'000, kMostEdges = 1'000'000;

// A value.
struct Chosen {
  std::string kind;
  graph::EdgeList list;
  std::optional<double> theta;
};

// A random graph has `edges` of n vertices, unless the wanted m says otherwise: m less the number
// of constraints that are not edges.
struct Sizes {
  int vertices = 200, most_vertices = kMostVertices;
  bool counts_constraints = true;  // key m; otherwise key edges
  bool counts_vertices = false;    // of m, each vertex has one
};

graph::EdgeList ChooseRandom(Arguments& arguments, const Sizes& sizes) {
  const int n = arguments.Whole("n", sizes.vertices, 1, sizes.most_vertices);
  const int pairs = n * (n - 1) / 2;
  const int others = sizes.counts_constraints ? 1 + (sizes.counts_vertices ? n : 0) : 0;
  const int count = arguments.Whole(sizes.counts_constraints ? "m" : "edges",
                                    others + std::min(pairs / 10, kMostEdges), others,
                                    others + std::min(pairs, kMostEdges));
  const std::uint64_t seed = arguments.Seed();
  if (!arguments.ok()) return {};
  return RandomGraph(n, count - others, seed);
}

void ChooseTorus(Arguments& arguments, const Sizes& sizes, Chosen& chosen) {
  const int columns = arguments.Whole("columns", 8, 3, sizes.most_vertices / 3);
  const int rows = std::min(100, sizes.most_vertices / columns);
  const int n = arguments.Whole("n", rows * columns, 1, sizes.most_vertices);
  if (n % columns != 0 || n / columns < 3) {
    arguments.Refuse("n", absl::StrCat("a multiple of ", columns, " (columns) from ", 3 * columns));
    return;
  }
  chosen.list = Torus(n / columns, columns);
  // Half of the vertices of a bipartite graph with a perfect matching.
  if (columns % 2 == 0 && n / columns % 2 == 0) chosen.theta = n / 2.0;
}

// Word is the graph's kind, the first of `kinds` by default.
Chosen Choose(Arguments& arguments, std::vector<std::string> kinds, const Sizes& sizes) {
  Chosen chosen = {.kind = arguments.Word(kinds), .list = {}, .theta = {}};
  if (chosen.kind == "random") {
    chosen.list = ChooseRandom(arguments, sizes);
  } else if (chosen.kind == "cycle") {
    const int n = arguments.Whole("n", 5, 3, sizes.most_vertices);
    chosen.list = Cycle(n);
    chosen.theta = ThetaOfCycle(n);
  } else if (chosen.kind == "petersen") {
    chosen.list = Kneser(5, 2);
    chosen.theta = ThetaOfKneser(5, 2);
  } else if (chosen.kind == "kneser") {
    const int n = arguments.Whole("n", 6, 1, 16), k = arguments.Whole("k", 1, 1, n);
    chosen.list = Kneser(n, k);
    if (n >= 2 * k) chosen.theta = ThetaOfKneser(n, k);
  } else if (chosen.kind == "hamming") {
    const int length = arguments.Whole("length", 5, 1, 12);
    const int letters = arguments.Whole("letters", 2, 2, length < 7 ? 4 : 2);
    const std::vector<int> distances = arguments.Wholes("distance", {1}, 1, length);
    chosen.list = Hamming(length, letters, distances);
    if (chosen.list.edges.size() > kMostEdges) {
      arguments.Refuse("distance", absl::StrCat("distances of at most ", kMostEdges, " edges"));
    }
    if (distances.size() == 1) chosen.theta = ThetaOfHamming(length, letters, distances[0]);
  } else {
    ChooseTorus(arguments, sizes, chosen);
  }
  return chosen;
}

const std::vector<std::string> kThetaKinds = {"random", "cycle",   "petersen",
                                              "kneser", "hamming", "torus"};

}  // namespace

absl::StatusOr<Generated> ThetaFamily(Arguments& arguments) {
  const Chosen chosen = Choose(arguments, kThetaKinds, {.most_vertices = kMostOfTheta});
  if (const absl::Status status = arguments.status(); !status.ok()) return status;
  return Generated{.name = {}, .problem = Theta(chosen.list), .value = chosen.theta};
}

absl::StatusOr<Generated> BorderedThetaFamily(Arguments& arguments) {
  const Chosen chosen = Choose(arguments, kThetaKinds, {.counts_vertices = true});
  if (const absl::Status status = arguments.status(); !status.ok()) return status;
  return Generated{.name = {}, .problem = BorderedTheta(chosen.list), .value = chosen.theta};
}

absl::StatusOr<Generated> MaxCutFamily(Arguments& arguments) {
  const Chosen chosen =
      Choose(arguments, {"torus", "random", "cycle", "petersen", "kneser", "hamming"},
             {.vertices = 800, .counts_constraints = false});
  const std::string weights = arguments.Choice(
      "weights", chosen.kind == "torus" ? std::vector<std::string>{"signs", "ones"}
                                        : std::vector<std::string>{"ones", "signs"});
  Random random(arguments.Seed());
  if (const absl::Status status = arguments.status(); !status.ok()) return status;
  std::vector<double> of_edges;
  for (std::size_t i = 0; i < chosen.list.edges.size(); ++i) {
    of_edges.push_back(weights == "ones" || random.Coin() ? 1 : -1);
  }
  Generated generated = {.name = {}, .problem = MaxCut(chosen.list, of_edges)};
  // All edges of a bipartite graph are cut.
  const bool is_bipartite = (chosen.kind == "cycle" || chosen.kind == "torus") && chosen.theta &&
                            *chosen.theta * 2 == static_cast<double>(chosen.list.vertices);
  if (weights == "ones" && is_bipartite) {
    generated.value = static_cast<double>(chosen.list.edges.size());
  }
  return generated;
}

absl::StatusOr<Generated> BisectionFamily(Arguments& arguments) {
  const Chosen chosen =
      Choose(arguments, {"random", "cycle", "petersen"},
             {.vertices = 100, .most_vertices = 2000, .counts_constraints = false});
  if (const absl::Status status = arguments.status(); !status.ok()) return status;
  Generated generated = {.name = {}, .problem = Bisection(chosen.list)};
  const auto n = static_cast<double>(chosen.list.vertices);
  // n times the second eigenvalue of the Laplacian, where all vertices are alike.
  if (chosen.kind == "cycle") {
    generated.value = -n * (2 - 2 * std::cos(2 * std::acos(-1.0) / n));
  } else if (chosen.kind == "petersen") {
    generated.value = -n * 2;
  }
  return generated;
}

}  // namespace sdpa
