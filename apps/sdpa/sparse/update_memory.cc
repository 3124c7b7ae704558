#include "apps/sdpa/sparse/update_memory.h"

#include <algorithm>
#include <new>
#include <utility>

namespace sdpa {
namespace {

// Smaller pieces the allocator keeps by itself.
constexpr std::size_t kLeastKept = 8192;

}  // namespace

UpdateMemory::Piece UpdateMemory::Take(std::size_t elements) {
  if (elements < kLeastKept) {
    return Piece(std::make_unique_for_overwrite<double[]>(elements).release(), {this, elements});
  }
  {
    const topo::Lock lock(mutex_);
    const auto fitting = kept_.lower_bound(elements);
    if (fitting != kept_.end() && fitting->first <= elements + elements / 2) {
      const std::size_t found = fitting->first;
      Piece piece(fitting->second.release(), {this, found});
      kept_.erase(fitting);
      kept_elements_ -= found;
      AddUsed(found);
      return piece;
    }
  }
  auto piece = std::make_unique_for_overwrite<double[]>(elements);
  const topo::Lock lock(mutex_);
  AddUsed(elements);
  // The smallest first: towards the root, updates grow.
  while (used_ + kept_elements_ > most_used_) {
    kept_elements_ -= kept_.begin()->first;
    kept_.erase(kept_.begin());
  }
  return Piece(piece.release(), {this, elements});
}

void UpdateMemory::AddUsed(std::size_t elements) {
  used_ += elements;
  most_used_ = std::max(most_used_, used_);
}

std::size_t UpdateMemory::held() {
  const topo::Lock lock(mutex_);
  return used_ + kept_elements_;
}

std::size_t UpdateMemory::most_used() {
  const topo::Lock lock(mutex_);
  return most_used_;
}

void UpdateMemory::GiveBack(double* piece, std::size_t elements) {
  std::unique_ptr<double[]> owned(piece);
  if (elements < kLeastKept) return;
  const topo::Lock lock(mutex_);
  used_ -= elements;
  if (used_ + kept_elements_ + elements > most_used_) return;
  try {
    kept_.emplace(elements, std::move(owned));
    kept_elements_ += elements;
  } catch (const std::bad_alloc&) {
    // Then it goes back to the system.
  }
}

}  // namespace sdpa
