// How much memory searches will take, before anything is allocated. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace bfs {

// A value. What is asked for. Isolated vertices and repeated edges are not known yet, so each
// vertex and each tuple counts.
struct Sizes {
  std::uint64_t vertices = 0;
  std::uint64_t tuples = 0;
  std::uint64_t largest_id = vertices;  // that stands in a tree's text
  bool stored = false;                  // the tuples are in memory, as a file's are
  bool directed = false;                // they are arcs, and searched along them
  int nodes = 1;                        // of NUMA, in use
  int keys = 64;                        // that are searched
  bool translated = false;  // answers have a copy in the tuples' labels: --labels=internal
  int written = 0;          // trees that --output writes
};

// A value, in bytes; each the most that it can be. The log of a search's levels is not in it, which
// are few but on a path.
struct Forecast {
  std::uint64_t tuples = 0;        // where they are stored
  std::uint64_t lists = 0;         // the adjacency
  std::uint64_t construction = 0;  // what else is there while it is built
  std::uint64_t search = 0;        // parents, queues, ids
  std::uint64_t validation = 0;    // answers and levels of the keys that are validated at once
  std::uint64_t text = 0;          // of the trees that are written, beside their copies

  std::uint64_t peak() const {
    return tuples + lists + std::max(construction, search + validation) + text;
  }
};

// How many of these keys' answers are kept, and then validated in one pass over the tuples: 8 bytes
// a vertex and key, of which a gigabyte is spent, but four keys at least. Precondition: there is a
// vertex.
int KeysAtOnce(std::uint64_t vertices, int keys);

// The most bytes of the text of so many trees (trees.h), each number as long as the largest id can
// be. Precondition: there is a vertex.
std::uint64_t BytesOfText(std::uint64_t vertices, std::uint64_t largest_id, std::uint64_t trees);

Forecast ForecastOf(const Sizes& sizes);       // of the fast search
Forecast ForecastOfPlain(const Sizes& sizes);  // of the plain one

// A value. The most memory that a search may take, and where that limit comes from.
struct Limit {
  std::uint64_t bytes = 0;
  std::string of;  // "--memory-limit", "this machine", "NUMA node 1"
};

// ResourceExhausted, with the parts, where `share` of the peak is more than the limit; the
// sentence begins with `what`, the graph's name.
absl::Status CheckFits(const Forecast& forecast, const Limit& limit, double share,
                       const std::string& what);

// "12.9 GB: lists 8.6 GB, ...".
std::string ToText(const Forecast& forecast);

}  // namespace bfs
