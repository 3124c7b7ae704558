#include "apps/simpath/reduce/formula.h"

#include <utility>

namespace simpath {
namespace {

constexpr std::uint32_t Index(Term term) { return static_cast<std::uint32_t>(term); }

}  // namespace

Term Formula::Add(Node node) {
  nodes_.push_back(node);
  return Term{static_cast<std::uint32_t>(nodes_.size() - 1)};
}

Term Formula::Constant(Count count) {
  if (count == 0) return kZero;
  if (count == 1) return kOne;
  constants_.push_back(std::move(count));
  return Add({Kind::kConstant, static_cast<std::uint32_t>(constants_.size() - 1), 0});
}

Term Formula::Sum(Term a, Term b) { return Add({Kind::kSum, Index(a), Index(b)}); }

Term Formula::Product(Term a, Term b) {
  if (a == kOne) return b;
  if (b == kOne) return a;
  return Add({Kind::kProduct, Index(a), Index(b)});
}

Term Formula::Part(std::vector<Term> weights) {
  parts_.push_back(std::move(weights));
  return Add({Kind::kPart, static_cast<std::uint32_t>(parts_.size() - 1), 0});
}

Term Formula::Later() { return Add({Kind::kUnset, 0, 0}); }

void Formula::Set(Term later, Term term) { nodes_[Index(later)] = {Kind::kSame, Index(term), 0}; }

void Formula::Reorder(std::size_t part, std::span<const std::size_t> order) {
  std::vector<Term> reordered;
  for (const std::size_t edge : order) reordered.push_back(parts_[part][edge]);
  parts_[part] = std::move(reordered);
}

std::vector<Term> Formula::OperandsOf(const Node& node) const {
  switch (node.kind) {
    case Kind::kSum:
    case Kind::kProduct:
      return {Term{node.a}, Term{node.b}};
    case Kind::kSame:
      return {Term{node.a}};
    case Kind::kPart:
      return parts_[node.a];
    default:
      return {};
  }
}

// By a stack of its own: a chain of edges is as deep a product as it is long. A value is moved to
// the only term that needs it, so that no more of them are held than are waited for.
absl::StatusOr<Count> Formula::Evaluate(Term root, const CountPart& count) const {
  struct Visit {
    Term term;
    bool operands_done = false;
  };
  std::vector<Visit> visits = {{root}};
  std::vector<Count> values;  // of operands, the last term's last
  while (!visits.empty()) {
    Visit& visit = visits.back();
    const Node& node = nodes_[Index(visit.term)];
    if (!visit.operands_done) {
      visit.operands_done = true;
      const std::vector<Term> operands = OperandsOf(node);
      for (std::size_t i = operands.size(); i-- > 0;) visits.push_back({operands[i]});
      continue;
    }
    visits.pop_back();
    switch (node.kind) {
      case Kind::kConstant:
        values.push_back(constants_[node.a]);
        break;
      case Kind::kSum:
      case Kind::kProduct: {
        const Count last = std::move(values.back());
        values.pop_back();
        if (node.kind == Kind::kSum) {
          values.back() += last;
        } else {
          values.back() = values.back() * last;
        }
        break;
      }
      case Kind::kPart: {
        const auto first = values.end() - static_cast<std::ptrdiff_t>(parts_[node.a].size());
        std::vector<Count> weights(first, values.end());
        values.erase(first, values.end());
        auto paths = count(node.a, std::move(weights));
        if (!paths.ok()) return paths.status();
        values.push_back(*std::move(paths));
        break;
      }
      case Kind::kSame:
      case Kind::kUnset:
        break;
    }
  }
  return std::move(values.back());
}

}  // namespace simpath
