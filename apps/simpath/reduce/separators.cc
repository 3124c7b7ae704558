#include "apps/simpath/reduce/separators.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace simpath {

using graph::Vertex;

namespace {

constexpr Vertex kNone = ~Vertex{0};

// For each vertex the one that, with u, separates it from the poles, the nearest to these; kNone
// where none does. A depth-first search from a pole, first along the link that is taken to join the
// poles or, where u is a pole, from the other: what it finds in the root's block no cut vertex
// separates.
std::vector<Vertex> Separators(const Network& network, const Incidence& incidence, Vertex u) {
  const Vertex root = u == network.source ? network.target : network.source;
  constexpr std::uint64_t kNever = ~std::uint64_t{0};
  std::vector<std::uint64_t> found(network.vertices, kNever), low(network.vertices, kNever);
  std::vector<Vertex> above(network.vertices, kNone), in_order;
  std::vector<std::size_t> next(network.vertices);
  std::vector<Vertex> way;
  const auto find = [&](Vertex vertex, Vertex from) {
    found[vertex] = low[vertex] = in_order.size();
    next[vertex] = incidence.begin(vertex);
    above[vertex] = from;
    in_order.push_back(vertex);
    way.push_back(vertex);
  };
  find(root, kNone);
  if (u != network.source && u != network.target) find(network.target, root);
  while (!way.empty()) {
    const Vertex at = way.back();
    if (next[at] == incidence.end(at)) {
      way.pop_back();
      if (above[at] != kNone) low[above[at]] = std::min(low[above[at]], low[at]);
      continue;
    }
    const Vertex to = OtherEnd(network.links[incidence.link(next[at]++)], at);
    if (to == u || to == above[at]) continue;
    if (found[to] == kNever) {
      find(to, at);
    } else {
      low[at] = std::min(low[at], found[to]);
    }
  }
  std::vector<Vertex> separator(network.vertices, kNone);
  for (std::size_t i = 2; i < in_order.size(); ++i) {  // the root and the first are of its block
    const Vertex vertex = in_order[i], from = above[vertex];
    separator[vertex] = separator[from];
    if (separator[from] == kNone && low[vertex] >= found[from]) separator[vertex] = from;
  }
  return separator;
}

}  // namespace

std::uint64_t ReplaceSides(Network& network, std::uint64_t& steps,
                           const std::function<Term(Network side)>& paths) {
  std::uint64_t replaced = 0;
  Incidence incidence(network);
  for (Vertex u = 0; u < network.vertices; ++u) {
    if (steps < network.links.size()) break;
    steps -= network.links.size();
    if (incidence.begin(u) == incidence.end(u)) continue;  // it was inside of a side
    const std::vector<Vertex> separator = Separators(network, incidence, u);
    std::map<Vertex, std::vector<Link>> sides;
    std::vector<Link> rest;
    for (const Link& link : network.links) {
      Vertex v = kNone;
      for (const Vertex end : {link.from, link.to}) {
        if (end != u && separator[end] != kNone) v = separator[end];
      }
      (v == kNone ? rest : sides[v]).push_back(link);
    }
    if (sides.empty()) continue;
    for (auto& [v, links] : sides) {
      std::size_t place = 0;
      for (const Link& link : links) {
        const bool at_end = link.from == u || link.to == u || link.from == v || link.to == v;
        if (at_end) place = std::max(place, link.place);
      }
      const Term weight = paths(MakeNetwork(std::move(links), u, v));
      rest.push_back({.from = u, .to = v, .weight = weight, .place = place});
      ++replaced;
    }
    network.links = std::move(rest);
    incidence = Incidence(network);
  }
  return replaced;
}

}  // namespace simpath
