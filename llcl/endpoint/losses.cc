#include "llcl/endpoint/losses.h"

namespace llcl {

void Losses::Report() {
  for (int rank = 0; rank < size_; ++rank) {
    if (!executors_.IsDown(Rank{rank}) || reported_[static_cast<std::size_t>(rank)].exchange(true))
      continue;
    if (on_loss_) on_loss_(Rank{rank});
  }
}

}  // namespace llcl
