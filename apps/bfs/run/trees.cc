#include "apps/bfs/run/trees.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "apps/bfs/measure/forecast.h"

namespace bfs {

FoundTree TreeOf(const Validation& answers, std::size_t key) {
  FoundTree tree = {.root = answers.root(key), .parents = {}, .depths = {}};
  tree.parents.reserve(answers.vertices());
  tree.depths.reserve(answers.vertices());
  for (std::uint64_t i = 0; i < answers.vertices(); ++i) {
    const auto vertex = static_cast<graph::Vertex>(i);
    tree.parents.push_back(answers.parent(key, vertex));
    tree.depths.push_back(std::max(-1, answers.level(key, vertex)));
  }
  return tree;
}

std::string ToText(std::span<const FoundTree> trees, const graph::Ids& ids) {
  const std::size_t vertices = trees.front().depths.size();
  std::string text;
  // The forecast counts one string: growth by copies would take two.
  text.reserve(BytesOfText(vertices, ids.of(vertices - 1), trees.size()));
  if (trees.size() > 1) {
    text += "# vertex";
    for (const FoundTree& tree : trees) {
      absl::StrAppend(&text, " parent:", ids.of(tree.root), " depth:", ids.of(tree.root));
    }
    text += "\n";
  }
  for (std::size_t vertex = 0; vertex < vertices; ++vertex) {
    const auto reaches = [&](const FoundTree& tree) { return tree.depths[vertex] >= 0; };
    if (std::none_of(trees.begin(), trees.end(), reaches)) continue;
    absl::StrAppend(&text, ids.of(vertex));
    for (const FoundTree& tree : trees) {
      if (reaches(tree)) {
        absl::StrAppend(&text, " ", ids.of(tree.parents[vertex]), " ", tree.depths[vertex]);
      } else {
        text += " -1 -1";
      }
    }
    text += "\n";
  }
  return text;
}

}  // namespace bfs
