#include "apps/simpath/frontier/zdd.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "apps/simpath/frontier/decide.h"
#include "apps/simpath/frontier/hash.h"
#include "apps/simpath/frontier/mates.h"
#include "apps/simpath/frontier/plan.h"
#include "apps/simpath/frontier/stage_errors.h"

namespace simpath {
namespace {

using Id = Zdd::Id;

// Not yet reduced: an arc goes to a node of the next level, by its number there, or to a terminal.
struct Arc {
  static constexpr std::uint32_t kDead = ~std::uint32_t{0}, kPath = kDead - 1;
  std::uint32_t to = kDead;
};
struct Arcs {
  Arc zero, one;
};
using Levels = std::vector<std::vector<Arcs>>;

struct HashMates {
  template <int words>
  std::size_t operator()(const Mates<words>& mates) const {
    return HashOf(mates);
  }
};

// A node's arcs, its mates in the queue and in the hash table.
template <int words>
constexpr std::uint64_t kNodeBytes = sizeof(Arcs) + 3 * sizeof(Mates<words>) + 32;

template <int words>
absl::StatusOr<Levels> Expand(const Plan& plan, const Layout& layout, std::uint64_t most_bytes) {
  const Rules<words> rules(plan, layout);
  Batch<words> batch(rules);
  Levels levels;
  std::vector<Mates<words>> level = {{}};
  std::uint64_t nodes = 1;
  for (const Stage& stage : plan.stages) {
    std::vector<Mates<words>> next;
    std::unordered_map<Mates<words>, std::uint32_t, HashMates> numbers;
    levels.emplace_back(level.size());
    std::size_t decided = 0;  // nodes
    const auto decide = [&] {
      const std::span<Arcs> arcs = std::span(levels.back()).subspan(decided);
      decided += batch.size();
      const auto ways = batch.Decide(
          levels.size() - 1, [&](const Way<words>& way) { arcs[way.state].one.to = Arc::kPath; });
      // What is open when all edges are decided is no path.
      if (stage.last == plan.steps.size()) return;
      for (const Way<words>& way : ways) {
        const auto [at, is_new] =
            numbers.try_emplace(way.mates, static_cast<std::uint32_t>(next.size()));
        if (is_new) next.push_back(way.mates);
        (way.choice == 0 ? arcs[way.state].zero : arcs[way.state].one).to = at->second;
      }
    };
    for (const Mates<words>& mates : level) {
      batch.Add(mates);
      if (!batch.is_full()) continue;
      decide();
      if (most_bytes / kNodeBytes<words> < nodes + next.size()) {
        return TooWide(plan, stage, most_bytes);
      }
    }
    decide();
    nodes += next.size();
    level = std::move(next);
  }
  return levels;
}

struct HashNode {
  std::size_t operator()(const Zdd::Node& node) const {
    const std::uint64_t arcs = std::uint64_t{node.zero} << 32 | node.one;
    return (arcs ^ node.edge * 0x9e3779b97f4a7c15) * 0xd6e8feb86659fd93 >> 8;
  }
};

// Below `bound`, each as likely.
Count DrawBelow(const Count& bound, std::mt19937_64& random) {
  const int unused = static_cast<int>(bound.words().size()) * 64 - bound.bits();
  while (true) {
    std::vector<std::uint64_t> words(bound.words().size());
    for (std::uint64_t& word : words) word = random();
    words.back() = words.back() << unused >> unused;
    const Count drawn{std::span<const std::uint64_t>(words)};
    if (drawn < bound) return drawn;
  }
}

}  // namespace

absl::StatusOr<Zdd> Zdd::Of(const Problem& problem, std::uint64_t most_bytes) {
  const Plan plan = MakePlan(problem, 1);
  const Layout layout = LayoutOf(plan);
  const absl::StatusOr<Levels> levels = WithWords<Levels>(
      layout, [&]<int words>() { return Expand<words>(plan, layout, most_bytes); });
  if (!levels.ok()) return levels.status();
  // From the last level up: a node whose 1-arc goes to the terminal 0 is left out, equal ones are
  // one.
  Zdd zdd;
  std::vector<Id> below;  // by number in the level below
  for (std::size_t i = levels->size(); i-- > 0;) {
    std::unordered_map<Node, Id, HashNode> ids;
    std::vector<Id> here;
    const auto id_of = [&](Arc arc) {
      if (arc.to == Arc::kDead) return kZero;
      return arc.to == Arc::kPath ? kOne : below[arc.to];
    };
    for (const Arcs& arcs : (*levels)[i]) {
      const Node node = {static_cast<std::uint32_t>(i), id_of(arcs.zero), id_of(arcs.one)};
      if (node.one == kZero) {
        here.push_back(node.zero);
        continue;
      }
      const auto [at, is_new] = ids.try_emplace(node, static_cast<Id>(zdd.nodes_.size() + 2));
      if (is_new) zdd.nodes_.push_back(node);
      here.push_back(at->second);
    }
    below = std::move(here);
  }
  zdd.root_ = below.empty() ? kZero : below[0];
  return zdd;
}

std::string Zdd::ToDot(const Problem& problem, const graph::Ids& names) const {
  std::string dot =
      "digraph zdd {\n  node [shape=circle];\n  n0 [label=\"0\", shape=box];\n"
      "  n1 [label=\"1\", shape=box];\n";
  for (Id id = 2; id < nodes_.size() + 2; ++id) {
    const Node& of = node(id);
    const auto [from, to] = problem.edges[of.edge];
    absl::StrAppend(&dot, "  n", id, " [label=\"", names.of(from), "-", names.of(to), "\"];\n");
    absl::StrAppend(&dot, "  n", id, " -> n", of.zero, " [style=dashed];\n");
    absl::StrAppend(&dot, "  n", id, " -> n", of.one, ";\n");
  }
  for (std::size_t edge = 0; edge < problem.edges.size(); ++edge) {
    std::string same_rank;
    for (Id id = 2; id < nodes_.size() + 2; ++id) {
      if (node(id).edge == edge) absl::StrAppend(&same_rank, " n", id, ";");
    }
    if (!same_rank.empty()) absl::StrAppend(&dot, "  { rank=same;", same_rank, " }\n");
  }
  return dot + "}\n";
}

Sampler::Sampler(const Zdd& zdd) : zdd_(&zdd), counts_{0, 1} {
  for (const Zdd::Node& node : zdd.nodes()) {
    Count paths = counts_[node.zero];
    paths += counts_[node.one];
    counts_.push_back(std::move(paths));
  }
  counts_.push_back(counts_[zdd.root()]);
}

std::vector<std::size_t> Sampler::Draw(std::mt19937_64& random) const {
  std::vector<std::size_t> edges;
  for (Zdd::Id id = zdd_->root(); id != Zdd::kOne;) {
    const Zdd::Node& node = zdd_->node(id);
    const bool takes = DrawBelow(counts_[id], random) < counts_[node.one];
    if (takes) edges.push_back(node.edge);
    id = takes ? node.one : node.zero;
  }
  return edges;
}

std::vector<graph::Vertex> VerticesOf(const Problem& problem,
                                      const std::vector<std::size_t>& edges) {
  std::vector<graph::Vertex> vertices = {problem.source};
  std::vector<std::size_t> left = edges;
  while (!left.empty()) {
    const auto next = std::find_if(left.begin(), left.end(), [&](std::size_t edge) {
      return problem.edges[edge].from == vertices.back() ||
             problem.edges[edge].to == vertices.back();
    });
    const auto [from, to] = problem.edges[*next];
    vertices.push_back(from == vertices.back() ? to : from);
    left.erase(next);
  }
  return vertices;
}

}  // namespace simpath
