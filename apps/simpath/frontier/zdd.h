// All simple paths of a small graph as a reduced zero-suppressed binary decision diagram (ZDD): how
// many nodes it has, its drawing, and paths drawn from it, each as likely as any other. Pure.
//
// Source: [ULIBC14] section 4.2, figure 10; S. Minato, Zero-suppressed BDDs for set manipulation in
// combinatorial problems, DAC 1993.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/simpath/problem/count.h"
#include "apps/simpath/problem/problem.h"

namespace simpath {

// A value: each way from the root to the terminal kOne is a path; the edges at whose nodes it goes
// by the 1-arc are the path's.
class Zdd {
 public:
  using Id = std::uint32_t;
  static constexpr Id kZero = 0, kOne = 1;  // terminals

  struct Node {
    std::uint32_t edge = 0;  // of the problem
    Id zero = kZero, one = kZero;

    friend bool operator==(const Node&, const Node&) = default;
  };

  // Edges are decided in their order; weights are not looked at. Errors: ResourceExhausted as
  // CountSequentially's, where the nodes need more than `most_bytes`. Precondition: MakePlan's.
  static absl::StatusOr<Zdd> Of(const Problem& problem, std::uint64_t most_bytes);

  Id root() const { return root_; }
  std::size_t size() const { return nodes_.size(); }  // without terminals
  const Node& node(Id id) const { return nodes_[id - 2]; }
  // Ids from 2 on; arcs go to lower ones.
  const std::vector<Node>& nodes() const { return nodes_; }

  // A drawing in Graphviz's language: 1-arcs solid, 0-arcs dashed, edges by their ends.
  std::string ToDot(const Problem& problem, const graph::Ids& names = {}) const;

 private:
  std::vector<Node> nodes_;
  Id root_ = kZero;
};

// A value: draws paths.
class Sampler {
 public:
  explicit Sampler(const Zdd& zdd);

  const Count& paths() const { return counts_.back(); }
  // The edges of one, in their order. Precondition: there is a path.
  std::vector<std::size_t> Draw(std::mt19937_64& random) const;

 private:
  const Zdd* zdd_;
  std::vector<Count> counts_;  // by id, and of the root
};

// The vertices of the path of these edges, from source to target.
std::vector<graph::Vertex> VerticesOf(const Problem& problem,
                                      const std::vector<std::size_t>& edges);

}  // namespace simpath
