// Sets of NUMA nodes as the kernel's memory policy calls take them.
#pragma once

#include <array>
#include <climits>
#include <span>
#include <string>

#include "topo/topology.h"

namespace topo {

// A value. Bits are the operating system's node numbers.
class NodeMask {
 public:
  NodeMask() = default;
  NodeMask(const Topology& topology, std::span<const NodeId> nodes) {
    for (NodeId node : nodes) {
      const int bit = topology[node].os_index;
      words_[bit / kWordBits] |= 1UL << (bit % kWordBits);
    }
  }

  unsigned long* words() { return words_.data(); }
  const unsigned long* words() const { return words_.data(); }

  // Room of the mask. get_mempolicy refuses masks that do not cover every node
  // the kernel was built for (1,024 on Debian); mbind reads one bit less than
  // its `maxnode`, so it is given bits() + 1.
  static constexpr unsigned long bits() { return kWords * kWordBits; }

  // As "0,2"; "none" when empty.
  std::string ToString() const {
    std::string text;
    for (int i = 0; i < static_cast<int>(bits()); ++i) {
      if ((words_[i / kWordBits] >> (i % kWordBits) & 1) == 0) continue;
      text += (text.empty() ? "" : ",") + std::to_string(i);
    }
    return text.empty() ? "none" : text;
  }

  friend bool operator==(const NodeMask&, const NodeMask&) = default;

 private:
  static constexpr int kWordBits = sizeof(unsigned long) * CHAR_BIT;
  static constexpr int kWords = 64;  // 4,096 nodes: twice what Linux can be built for
  std::array<unsigned long, kWords> words_{};
};

}  // namespace topo
