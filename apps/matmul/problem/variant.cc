#include "apps/matmul/problem/variant.h"

#include <bit>

namespace matmul {

std::string_view ToString(Variant variant) {
  switch (variant) {
    case Variant::kOriginal:
      return "original";
    case Variant::kCutoff:
      return "cutoff";
    case Variant::kIdeal:
      return "ideal";
    case Variant::kDepth:
      return "depth";
    case Variant::kLimit:
      return "limit";
  }
  return "";
}

std::string_view ToString(Victims victims) {
  switch (victims) {
    case Victims::kNone:
      return "none";
    case Victims::kRandom:
      return "random";
    case Victims::kDepth:
      return "depth";
  }
  return "";
}

std::string_view ToString(Peeks peeks) { return peeks == Peeks::kFresh ? "fresh" : "remembered"; }

std::string_view ToString(Home home) { return home == Home::kOneNode ? "one-node" : "first-touch"; }

int DepthOfOneAWorker(int workers) { return std::bit_width(static_cast<unsigned>(workers) - 1); }

}  // namespace matmul
