#include "apps/simpath/forecast/path_samples.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace simpath {

using graph::Vertex;

namespace {

// A resource of one call.
class Sampler {
 public:
  Sampler(const Problem& problem, std::uint64_t seed)
      : problem_(problem), neighbors_(problem.vertices), random_(seed) {
    for (const auto [from, to] : problem.edges) {
      neighbors_[from].push_back(to);
      neighbors_[to].push_back(from);
    }
  }

  // log2 of the product along a random path; negative: there is no path.
  double Sample() {
    visited_.assign(problem_.vertices, false);
    double log2_paths = 0;
    for (Vertex at = problem_.source; at != problem_.target;) {
      visited_[at] = true;
      FindEnds();
      std::vector<Vertex> next;
      for (const Vertex to : neighbors_[at]) {
        if (ends_[to]) next.push_back(to);
      }
      if (next.empty()) return -1;
      log2_paths += std::log2(static_cast<double>(next.size()));
      at = next[std::uniform_int_distribution<std::size_t>(0, next.size() - 1)(random_)];
    }
    return log2_paths;
  }
  std::uint64_t looks() const { return looks_; }  // at edges

 private:
  // Marks vertices with a way to the target over unvisited vertices.
  void FindEnds() {
    ends_.assign(problem_.vertices, false);
    ends_[problem_.target] = true;
    queue_ = {problem_.target};
    while (!queue_.empty()) {
      const Vertex at = queue_.back();
      queue_.pop_back();
      looks_ += neighbors_[at].size();
      for (const Vertex to : neighbors_[at]) {
        if (ends_[to] || visited_[to]) continue;
        ends_[to] = true;
        queue_.push_back(to);
      }
    }
  }

  const Problem& problem_;
  std::vector<std::vector<Vertex>> neighbors_;
  std::mt19937_64 random_;
  std::vector<bool> visited_, ends_;
  std::vector<Vertex> queue_;
  std::uint64_t looks_ = 0;
};

}  // namespace

PathSamples SamplePaths(const Problem& problem, std::uint64_t seed, std::uint64_t looks) {
  Sampler sampler(problem, seed);
  std::vector<double> logs;
  while (sampler.looks() < looks || logs.size() < 2) {
    const double sample = sampler.Sample();
    if (sample < 0) return {};
    logs.push_back(sample);
  }
  // Divided by the largest sample, powers stay in range.
  const double largest = *std::max_element(logs.begin(), logs.end());
  double sum = 0, squares = 0;
  for (const double log : logs) {
    const double paths = std::exp2(log - largest);
    sum += paths;
    squares += paths * paths;
  }
  const auto samples = static_cast<double>(logs.size());
  const double mean = sum / samples;
  const double variance = std::max(0.0, squares / samples - mean * mean) / (samples - 1);
  return {.samples = logs.size(),
          .log2_paths = largest + std::log2(mean),
          .relative_error = std::sqrt(variance) / mean};
}

}  // namespace simpath
