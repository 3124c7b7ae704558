#include "apps/sdpa/elements/columns.h"

namespace sdpa {
namespace {

// What takes as long as a product of pairs, measured: products of the BLAS; and how many of these a
// sum with the transposed matrix takes an element, and a pick out of a matrix.
constexpr double kProductsOfBlas = 8, kTransposed = 2, kPick = 4;

}  // namespace

Columns::Columns(const Problem& problem, std::shared_ptr<const Layout> layout, Rounding rounding)
    : layout_(std::move(layout)),
      blocks_(problem.blocks.size()),
      parts_of_(problem.constraints()),
      work_(problem.constraints(), 0),
      preparation_(problem.constraints(), 0) {
  for (std::size_t l = 0; l < blocks_.size(); ++l) {
    if (problem.blocks[l].shape == Shape::kDense) continue;
    blocks_[l].by_row.resize(static_cast<std::size_t>(problem.blocks[l].size));
  }
  Reserve(problem);
  for (std::size_t i = 0; i < problem.constraints(); ++i) {
    for (const BlockElements& elements : problem.matrices[i + 1]) {
      AddBlock(problem, i, elements, rounding);
    }
  }
  for (std::size_t l = 0; l < blocks_.size(); ++l) ChooseMethods(l);
}

// The numbers of elements are known: vectors that grow would hold up to twice as many.
void Columns::Reserve(const Problem& problem) {
  std::vector<std::size_t> elements(blocks_.size(), 0);
  for (std::size_t i = 0; i < problem.constraints(); ++i) {
    for (const BlockElements& of_block : problem.matrices[i + 1]) {
      elements[static_cast<std::size_t>(of_block.block)] += of_block.elements.size();
    }
  }
  for (std::size_t l = 0; l < blocks_.size(); ++l) {
    blocks_[l].entries.reserve(elements[l]);
    if (problem.blocks[l].shape == Shape::kDense) blocks_[l].picks.Reserve(elements[l]);
  }
}

std::size_t Columns::most_sharing() const {
  std::size_t most = 0;
  for (std::size_t l = 0; l < blocks_.size(); ++l) {
    if (layout_->blocks[l].shape == Shape::kDense) most = std::max(most, blocks_[l].parts.size());
    for (const auto& entries : blocks_[l].by_row) most = std::max(most, entries.size());
  }
  return most;
}

void Columns::AddBlock(const Problem& problem, std::size_t constraint,
                       const BlockElements& elements, Rounding rounding) {
  const auto l = static_cast<std::size_t>(elements.block);
  OfBlock& block = blocks_[l];
  const bool is_dense = problem.blocks[l].shape == Shape::kDense;
  Part part = {.constraint = static_cast<int>(constraint), .begin = block.entries.size()};
  for (const auto [row, column, value] : elements.elements) {
    const bool is_halved = is_dense && row == column;
    block.entries.push_back({row, column, is_halved ? value / 2 : value});
    if (!is_dense) {
      block.by_row[static_cast<std::size_t>(row)].push_back({part.constraint, value});
    }
  }
  part.end = block.entries.size();
  if (is_dense) {
    terms_.push_back(std::make_unique<std::vector<Term>>(TermsOf(elements.elements, rounding)));
    part.terms = *terms_.back();
    part.is_by_terms = SizeOf(part.terms) < part.end - part.begin;
    block.picks.AddMatrix(elements.elements, static_cast<std::size_t>(problem.blocks[l].size));
  }
  parts_of_[constraint].push_back({l, block.parts.size()});
  block.parts.push_back(part);
}

void Columns::ChooseMethods(std::size_t number) {
  OfBlock& block = blocks_[number];
  const auto n = static_cast<double>(layout_->blocks[number].size);
  if (layout_->blocks[number].shape == Shape::kDiagonal) {
    for (const Part& part : block.parts) {
      double& work = work_[static_cast<std::size_t>(part.constraint)];
      for (std::size_t e = part.begin; e < part.end; ++e) {
        work += static_cast<double>(
            block.by_row[static_cast<std::size_t>(block.entries[e].row)].size());
      }
    }
    return;
  }
  const std::size_t count = block.parts.size();
  block.is_by_product.resize(count);
  double by_pairs = 0, by_picks = 0;  // of this part and those after it
  for (std::size_t p = count; p-- > 0;) {
    const Part& part = block.parts[p];
    const auto of_terms = static_cast<double>(SizeOf(part.terms));
    by_pairs += part.is_by_terms ? of_terms : static_cast<double>(part.end - part.begin);
    by_picks += block.picks.WorkOf(p);
    const auto terms = static_cast<double>(part.terms.size());
    const double with_pairs = static_cast<double>(WidthOf(part.terms.size())) * by_pairs;
    const double product = n * n * (terms / kProductsOfBlas + kTransposed);
    const double with_product = product + kPick * by_picks;
    block.is_by_product[p] = with_product < with_pairs;
    const auto constraint = static_cast<std::size_t>(part.constraint);
    work_[constraint] += n * of_terms + std::min(with_pairs, with_product);
    preparation_[constraint] += n * of_terms + (block.is_by_product[p] ? product : 0);
  }
  const auto& is_by_product = block.is_by_product;
  if (std::find(is_by_product.begin(), is_by_product.end(), true) == is_by_product.end()) {
    block.picks = {};
  }
  CountScratch(block, static_cast<std::size_t>(layout_->blocks[number].size));
}

// As AddDense takes it.
void Columns::CountScratch(const OfBlock& block, std::size_t n) {
  row_ = std::max(row_, n);
  for (std::size_t p = 0; p < block.parts.size(); ++p) {
    const std::size_t terms = block.parts[p].terms.size();
    if (block.is_by_product[p]) {
      side_ = std::max(side_, terms * n);
      square_ = std::max(square_, n * n);
    } else {
      pairs_ = std::max(pairs_, n * WidthOf(terms));
      side_ = std::max(side_, 2 * WidthOf(terms));
    }
  }
}

}  // namespace sdpa
