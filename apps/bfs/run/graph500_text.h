// The text of results in the form of the reference code of Graph500, for scripts that read its
// output. Pure.
//
// Source: Graph500 reference code, version 3, src/main.c: keys, order and number formats.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace bfs {

// A value. Seconds and tuples of each search, in the same order.
struct Graph500Run {
  std::optional<int> scale;  // of a generated graph; without it, SCALE and edgefactor have no line
  std::uint64_t edge_factor = 0;
  double generation_seconds = 0;    // of all tuples, once; of a file, its reading
  double construction_seconds = 0;  // of the graph from the tuples
  std::vector<double> seconds;
  std::vector<double> tuples;
  std::vector<double> validation_seconds;
};

// "SCALE: ..." to "bfs  stddev_validate: ...", a line each. Precondition: there is a search.
std::string ToGraph500Text(const Graph500Run& run);

}  // namespace bfs
