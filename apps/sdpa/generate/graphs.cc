#include "apps/sdpa/generate/graphs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "apps/sdpa/generate/random.h"

namespace sdpa {
namespace {

graph::EdgeList OfVertices(std::uint64_t vertices) {
  return {.vertices = vertices, .edges = {}, .terminals = {}, .max_length = {}};
}

void Join(int from, int to, graph::EdgeList& list) {
  list.edges.push_back({static_cast<graph::Vertex>(from), static_cast<graph::Vertex>(to)});
}

double Binomial(int n, int k) {
  double value = 1;
  for (int i = 1; i <= k; ++i) value = value * (n - k + i) / i;
  return k < 0 || k > n ? 0 : std::round(value);
}

int Distance(int a, int b, int length, int letters) {
  int distance = 0;
  for (int i = 0; i < length; ++i, a /= letters, b /= letters) {
    distance += a % letters != b % letters ? 1 : 0;
  }
  return distance;
}

}  // namespace

// Each pair is taken with the probability that makes the wanted number of those left (D. E. Knuth,
// The Art of Computer Programming 2, 3.4.2, algorithm S).
graph::EdgeList RandomGraph(int vertices, int edges, std::uint64_t seed) {
  graph::EdgeList list = OfVertices(static_cast<std::uint64_t>(vertices));
  Random random(seed);
  int pairs = vertices * (vertices - 1) / 2;
  for (int from = 0; from < vertices; ++from) {
    for (int to = from + 1; to < vertices; ++to, --pairs) {
      if (random.Below(pairs) >= edges) continue;
      Join(from, to, list);
      --edges;
    }
  }
  return list;
}

graph::EdgeList Cycle(int vertices) {
  graph::EdgeList list = OfVertices(static_cast<std::uint64_t>(vertices));
  for (int i = 0; i < vertices; ++i) Join(i, (i + 1) % vertices, list);
  return list;
}

graph::EdgeList Torus(int rows, int columns) {
  graph::EdgeList list = OfVertices(static_cast<std::uint64_t>(rows * columns));
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      const int vertex = row * columns + column;
      Join(vertex, row * columns + (column + 1) % columns, list);
      Join(vertex, (row + 1) % rows * columns + column, list);
    }
  }
  return list;
}

graph::EdgeList Kneser(int n, int k) {
  std::vector<unsigned> subsets;
  for (unsigned set = 0; set < 1u << n; ++set) {
    if (std::popcount(set) == k) subsets.push_back(set);
  }
  graph::EdgeList list = OfVertices(subsets.size());
  for (std::size_t i = 0; i < subsets.size(); ++i) {
    for (std::size_t j = i + 1; j < subsets.size(); ++j) {
      if ((subsets[i] & subsets[j]) == 0) Join(static_cast<int>(i), static_cast<int>(j), list);
    }
  }
  return list;
}

graph::EdgeList Hamming(int length, int letters, const std::vector<int>& distances) {
  int words = 1;
  for (int i = 0; i < length; ++i) words *= letters;
  graph::EdgeList list = OfVertices(static_cast<std::uint64_t>(words));
  for (int from = 0; from < words; ++from) {
    for (int to = from + 1; to < words; ++to) {
      const int distance = Distance(from, to, length, letters);
      if (std::find(distances.begin(), distances.end(), distance) != distances.end()) {
        Join(from, to, list);
      }
    }
  }
  return list;
}

double ThetaOfCycle(int vertices) {
  if (vertices % 2 == 0) return vertices / 2.0;
  const double cosine = std::cos(std::numbers::pi / vertices);
  return vertices * cosine / (1 + cosine);
}

double ThetaOfKneser(int n, int k) { return Binomial(n - 1, k - 1); }

// The eigenvalues are Krawtchouk's polynomials in 0, ..., length; the graph is edge-transitive.
double ThetaOfHamming(int length, int letters, int distance) {
  double least = 0, degree = 0;
  for (int x = 0; x <= length; ++x) {
    double value = 0;
    for (int j = 0; j <= distance; ++j) {
      value += (j % 2 == 0 ? 1 : -1) * std::pow(letters - 1, distance - j) * Binomial(x, j) *
               Binomial(length - x, distance - j);
    }
    least = std::min(least, value);
    if (x == 0) degree = value;
  }
  return std::pow(letters, length) * -least / (degree - least);
}

}  // namespace sdpa
