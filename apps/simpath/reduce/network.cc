#include "apps/simpath/reduce/network.h"

#include <algorithm>
#include <utility>

namespace simpath {

using graph::Vertex;

Incidence::Incidence(const Network& network)
    : first_(network.vertices + 1, 0), links_(network.links.size() * 2) {
  for (const Link& link : network.links) {
    ++first_[link.from];
    ++first_[link.to];
  }
  std::size_t sum = 0;
  for (std::size_t& first : first_) first = sum += first;
  for (std::size_t i = network.links.size(); i-- > 0;) {
    links_[--first_[network.links[i].from]] = i;
    links_[--first_[network.links[i].to]] = i;
  }
}

Network MakeNetwork(std::vector<Link> links, Vertex source, Vertex target) {
  std::vector<Vertex> old = {source, target};
  for (const Link& link : links) old.insert(old.end(), {link.from, link.to});
  std::sort(old.begin(), old.end());
  old.erase(std::unique(old.begin(), old.end()), old.end());
  const auto renumbered = [&](Vertex vertex) {
    return static_cast<Vertex>(std::lower_bound(old.begin(), old.end(), vertex) - old.begin());
  };
  for (Link& link : links) {
    link.from = renumbered(link.from);
    link.to = renumbered(link.to);
  }
  std::sort(links.begin(), links.end(),
            [](const Link& a, const Link& b) { return a.place < b.place; });
  return {.vertices = old.size(),
          .links = std::move(links),
          .source = renumbered(source),
          .target = renumbered(target)};
}

}  // namespace simpath
