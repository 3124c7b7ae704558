// Exact counts of paths and cycles, for other programs.
//
//   const std::vector<simpath::CountedEdge> square = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
//   const simpath::CountQuestion question = {
//       .vertices = 4, .edges = square, .source = 0, .target = 2};
//   simpath::CountPaths(question)->ToString();  // "2"
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "apps/simpath/problem/count.h"
#include "apps/simpath/problem/rule.h"

namespace simpath {

// A value: an edge between two vertices, or an arc from the first to the second.
struct CountedEdge {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
};

// A value: the question. Self-loops and repeated edges change no count.
struct CountQuestion {
  std::uint64_t vertices = 0;  // at most 2^32 - 1
  std::span<const CountedEdge> edges = {};
  std::uint64_t source = 0, target = 0;  // where the rule has paths between given ends
  Rule rule = {};
  std::optional<std::uint64_t> max_length = {};  // edges of a path or cycle, at most
};

// A value.
struct CountSettings {
  int threads = 0;                                 // 0: as many as the machine runs at once
  std::uint64_t memory_limit = ~std::uint64_t{0};  // bytes of all states
  std::function<void(const std::string& line)> progress;
};

// From a vertex to itself there is one path, without an edge; it is none where a path has to visit
// all of several vertices. Each count is checked by a residue
// (frontier/residue.h). Errors: InvalidArgument names an edge or an end that is no vertex;
// ResourceExhausted a step whose states need more memory than the limit; Unimplemented a frontier
// of more vertices than a state has room for: about 70, of a directed graph 64.
//
// Threads: any number of calls may run at once, each with threads of its own.
absl::StatusOr<Count> CountPaths(const CountQuestion& question, const CountSettings& settings = {});

}  // namespace simpath
