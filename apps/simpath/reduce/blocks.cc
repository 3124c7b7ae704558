#include "apps/simpath/reduce/blocks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>

namespace simpath {

using graph::Vertex;

std::vector<Network> BlocksBetweenPoles(const Network& network) {
  const Incidence incidence(network);
  constexpr std::uint64_t kNever = ~std::uint64_t{0};
  // Times of a depth-first search: of finding each vertex, and the earliest of those that a link
  // leads to from the vertices below it.
  std::vector<std::uint64_t> found(network.vertices, kNever), low(network.vertices, kNever);
  std::vector<std::size_t> next(network.vertices), first_link(network.vertices);
  std::vector<bool> walked(network.links.size());
  std::vector<std::size_t> block_links;  // walked, and of no finished block
  std::vector<Vertex> way = {network.source};
  std::uint64_t time = 0;
  const auto find = [&](Vertex vertex) {
    found[vertex] = low[vertex] = time++;
    next[vertex] = incidence.begin(vertex);
  };
  find(network.source);

  std::vector<Network> blocks;
  Vertex exit = network.target;
  while (!way.empty()) {
    const Vertex at = way.back();
    if (next[at] < incidence.end(at)) {
      const std::size_t link = incidence.link(next[at]++);
      if (walked[link]) continue;
      walked[link] = true;
      block_links.push_back(link);
      const Vertex to = OtherEnd(network.links[link], at);
      if (found[to] == kNever) {
        find(to);
        first_link[to] = block_links.size() - 1;
        way.push_back(to);
      } else {
        low[at] = std::min(low[at], found[to]);
      }
      continue;
    }
    way.pop_back();
    if (way.empty()) break;
    const Vertex above = way.back();
    low[above] = std::min(low[above], low[at]);
    if (low[at] < found[above]) continue;
    // `above` cuts off what has been found since `at`, and the links walked since that to `at`,
    // without those of finished blocks, are a block.
    const bool on_the_way = found[network.target] != kNever && found[network.target] >= found[at];
    std::vector<Link> links;
    for (std::size_t i = first_link[at]; on_the_way && i < block_links.size(); ++i) {
      links.push_back(network.links[block_links[i]]);
    }
    block_links.resize(first_link[at]);
    if (!on_the_way) continue;
    blocks.push_back(MakeNetwork(std::move(links), above, exit));
    exit = above;
  }
  return blocks;
}

std::vector<std::vector<Link>> ComponentsBetweenPoles(const Network& network) {
  // A forest of vertices that links join, the poles left out.
  std::vector<Vertex> parent(network.vertices);
  std::iota(parent.begin(), parent.end(), Vertex{0});
  const auto root = [&](Vertex vertex) {
    while (parent[vertex] != vertex) vertex = parent[vertex] = parent[parent[vertex]];
    return vertex;
  };
  const auto is_pole = [&](Vertex vertex) {
    return vertex == network.source || vertex == network.target;
  };
  for (const Link& link : network.links) {
    if (!is_pole(link.from) && !is_pole(link.to)) parent[root(link.from)] = root(link.to);
  }
  std::vector<std::vector<Link>> components;
  std::vector<std::size_t> number(network.vertices, network.links.size());
  for (const Link& link : network.links) {
    if (is_pole(link.from) && is_pole(link.to)) {
      components.push_back({link});
      continue;
    }
    std::size_t& component = number[root(is_pole(link.from) ? link.to : link.from)];
    if (component == network.links.size()) {
      component = components.size();
      components.emplace_back();
    }
    components[component].push_back(link);
  }
  return components;
}

}  // namespace simpath
