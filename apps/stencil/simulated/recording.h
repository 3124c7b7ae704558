// What a rank does between one meeting and the next, as far as it takes time on a simulated node.
#pragma once

#include <cstdint>
#include <vector>

#include "dsm/sim/cluster.h"

namespace stencil {

// A value. What a thread does, or several of its pieces together.
struct ThreadWork {
  double updates = 0;                        // of points
  double read_bytes = 0, written_bytes = 0;  // from the node's memory into caches, and back
  std::vector<dsm::PageRange> others_pages;  // that it reads, in this order

  bool operator==(const ThreadWork&) const = default;
};

// A value. Pages are preloaded, or threads compute.
struct Action {
  std::vector<dsm::PageRange> preloads;  // each is one call
  std::vector<ThreadWork> threads;       // by thread; none: the action is to preload
  int first_step = 0, steps = 0;         // that are computed

  bool operator==(const Action&) const = default;
};

// A value. Neighbors' pages have numbers from 0 on, of those that are read at all.
struct Recording {
  // Pages from this number on, and below that of the next, have the home `of` ranks away.
  struct Home {
    std::uint64_t first = 0;
    int away = 0;
    bool operator==(const Home&) const = default;
  };
  std::vector<std::vector<Action>> meetings;  // all actions before each, and before the end
  std::vector<Home> homes;                    // ascending
  std::uint64_t pages = 0;
  std::uint64_t exchanges = 0;  // meetings, without the end

  bool operator==(const Recording&) const = default;
};

}  // namespace stencil
