#include "apps/simpath/reduce/series_parallel.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

namespace simpath {

using graph::Vertex;

namespace {

// A resource of one call.
class Contraction {
 public:
  Contraction(Network& network, Formula& formula)
      : network_(network),
        formula_(formula),
        links_of_(network.vertices),
        degree_(network.vertices) {
    link_between_.reserve(network.links.size());
    for (const Link& link : network.links) Add(link);
  }

  Contractions Run() {
    for (Vertex vertex = 0; vertex < network_.vertices; ++vertex) Consider(vertex);
    while (!few_links_.empty()) {
      const Vertex vertex = few_links_.back();
      few_links_.pop_back();
      if (degree_[vertex] == 1) Remove(LinksOf(vertex)[0]);
      if (degree_[vertex] == 2) Contract(vertex);
    }
    std::vector<Link> links;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (alive_[i]) links.push_back(links_[i]);
    }
    network_ = MakeNetwork(std::move(links), network_.source, network_.target);
    return made_;
  }

 private:
  static std::uint64_t KeyOf(const Link& link) {
    const auto [low, high] = std::minmax(link.from, link.to);
    return (std::uint64_t{low} << 32) | high;
  }

  void Add(const Link& link) {
    const auto [found, is_new] = link_between_.try_emplace(KeyOf(link), links_.size());
    if (!is_new) {
      Link& other = links_[found->second];
      other.weight = formula_.Sum(other.weight, link.weight);
      other.place = std::max(other.place, link.place);
      ++made_.parallel;
      return;
    }
    for (const Vertex end : {link.from, link.to}) {
      links_of_[end].push_back(links_.size());
      ++degree_[end];
    }
    links_.push_back(link);
    alive_.push_back(true);
  }

  void Remove(std::size_t link) {
    alive_[link] = false;
    link_between_.erase(KeyOf(links_[link]));
    for (const Vertex end : {links_[link].from, links_[link].to}) {
      --degree_[end];
      Consider(end);
    }
  }

  void Consider(Vertex vertex) {
    if (vertex == network_.source || vertex == network_.target) return;
    if (degree_[vertex] == 1 || degree_[vertex] == 2) few_links_.push_back(vertex);
  }

  // Only for vertices of few links, or the time would not be linear.
  const std::vector<std::size_t>& LinksOf(Vertex vertex) {
    std::erase_if(links_of_[vertex], [&](std::size_t link) { return !alive_[link]; });
    return links_of_[vertex];
  }

  void Contract(Vertex vertex) {
    const std::size_t first = LinksOf(vertex)[0], second = links_of_[vertex][1];
    const Link a = links_[first], b = links_[second];
    Remove(first);
    Remove(second);
    ++made_.series;
    const Vertex from = OtherEnd(a, vertex), to = OtherEnd(b, vertex);
    Add({.from = from,
         .to = to,
         .weight = formula_.Product(a.weight, b.weight),
         .place = std::max(a.place, b.place)});
    Consider(from);
    Consider(to);
  }

  Network& network_;
  Formula& formula_;
  std::vector<Link> links_;
  std::vector<bool> alive_;
  std::vector<std::vector<std::size_t>> links_of_;
  std::vector<std::size_t> degree_;
  std::unordered_map<std::uint64_t, std::size_t> link_between_;
  std::vector<Vertex> few_links_;  // perhaps: once more than they should be
  Contractions made_;
};

}  // namespace

Contractions ContractSeriesAndParallel(Network& network, Formula& formula) {
  return Contraction(network, formula).Run();
}

}  // namespace simpath
