// Numbers of paths as sums and products, of which some factors are not counted yet. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/simpath/problem/count.h"

namespace simpath {

enum class Term : std::uint32_t {};  // of one formula

inline constexpr Term kZero{0};
inline constexpr Term kOne{1};

// A value: terms, each of which is part of one other at most, but for kZero and kOne.
class Formula {
 public:
  // The number of paths of a part, given the weights of its edges.
  using CountPart =
      std::function<absl::StatusOr<Count>(std::size_t part, std::vector<Count> weights)>;

  Term Constant(Count count);
  Term Sum(Term a, Term b);
  Term Product(Term a, Term b);
  // Parts have numbers from 0 on.
  Term Part(std::vector<Term> weights);
  // To be set before any evaluation.
  Term Later();
  void Set(Term later, Term term);

  const std::vector<Term>& weights(std::size_t part) const { return parts_[part]; }
  // The edge `order[i]` comes as number i.
  void Reorder(std::size_t part, std::span<const std::size_t> order);

  // Counts the parts that the term needs, each after those that it needs itself; its first error.
  absl::StatusOr<Count> Evaluate(Term term, const CountPart& count) const;

 private:
  enum class Kind : std::uint8_t { kConstant, kSum, kProduct, kPart, kSame, kUnset };
  struct Node {
    Kind kind = Kind::kConstant;
    std::uint32_t a = 0;  // a term, or the number of a constant or part
    std::uint32_t b = 0;  // a term
  };

  Term Add(Node node);
  std::vector<Term> OperandsOf(const Node& node) const;

  std::vector<Count> constants_ = {0, 1};
  std::vector<Node> nodes_ = {{Kind::kConstant, 0, 0}, {Kind::kConstant, 1, 0}};
  std::vector<std::vector<Term>> parts_;
};

}  // namespace simpath
