#include "llcl/strided.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "topo/mutex.h"

namespace llcl {
namespace {

// Gives pieces one after the other, by their number.
using PieceOf = std::function<Piece(std::uint64_t)>;

// An operation under way. Deletes itself after its completion.
class Pieces {
 public:
  Pieces(Endpoint& endpoint, bool reads, std::uint64_t count, PieceOf piece, Completion then,
         Timeout timeout)
      : endpoint_(endpoint),
        reads_(reads),
        count_(count),
        piece_(std::move(piece)),
        then_(then),
        timeout_(timeout) {}

  static Posted Start(std::unique_ptr<Pieces> pieces) {
    if (pieces->count_ == 0) {
      pieces->then_.Complete(Outcome::kDone);
      return Posted::kPosted;
    }
    // A piece may end before this returns.
    {
      const topo::Lock lock(pieces->mutex_);
      pieces->is_posting_ = true;
    }
    const Posted first = pieces->PostNext();
    if (first != Posted::kPosted && first != Posted::kDone) return first;
    {
      const topo::Lock lock(pieces->mutex_);
      pieces->is_posting_ = false;
      ++pieces->under_way_;  // As if one ended now.
    }
    pieces.release()->Continue();
    return Posted::kPosted;
  }

 private:
  static constexpr std::uint64_t kMostUnderWay = 32;

  // Posts the next piece, of which there is one; called by the thread that posts. While no piece is
  // under way none can fail elsewhere, so the pieces that are done at once need no lock between
  // them: then this goes on up to one that is not. Returns what became of the last.
  Posted PostNext() {
    std::uint64_t next = 0, end = 0;
    {
      const topo::Lock lock(mutex_);
      next = next_;
      end = under_way_ == 0 ? count_ : next + 1;
      ++under_way_;  // the piece that is not done at once
    }
    const Completion then(&Pieces::OnEnd, this);
    Posted posted;
    do {
      posted = Post(piece_(next), then);
    } while (posted == Posted::kDone && ++next < end);
    const topo::Lock lock(mutex_);
    next_ = next;
    if (posted == Posted::kPosted) {
      ++next_;
    } else {
      --under_way_;
    }
    return posted;
  }
  Posted Post(const Piece& piece, Completion then) {
    constexpr Notify kNotify = Notify::kUnlessDone;
    return reads_ ? endpoint_.TryRead(
                        {piece.remote, piece.local, piece.bytes, then, timeout_, kNotify})
                  : endpoint_.TryWrite(
                        {piece.local, piece.remote, piece.bytes, then, timeout_, kNotify});
  }

  // Posts as many as may be, then ends if nothing is under way. One thread at a time
  // does so: another that comes leaves it the work, so that pieces that end at once do
  // not pile up on the stack.
  void Continue() {
    topo::UniqueLock lock(mutex_);
    --under_way_;
    if (is_posting_) {
      again_ = true;
      return;
    }
    is_posting_ = true;
    do {
      again_ = false;
      while (outcome_ == Outcome::kDone && next_ < count_ && under_way_ < kMostUnderWay) {
        lock.Unlock();
        const Posted posted = PostNext();
        lock.Lock();
        if (posted == Posted::kPosted || posted == Posted::kDone) continue;
        if (under_way_ > 0 && (posted == Posted::kFull || posted == Posted::kNoTag)) break;
        if (posted == Posted::kFull || posted == Posted::kNoTag) {
          // Nothing of ours ends any more that would bring us back here.
          is_posting_ = false;
          ++under_way_;
          endpoint_.Later([this] {
            Continue();
            return true;
          });
          return;
        }
        outcome_ = OutcomeOf(posted);
      }
    } while (again_);
    is_posting_ = false;
    if (under_way_ > 0) return;
    const Outcome outcome = outcome_;
    lock.Unlock();
    const Completion then = then_;
    delete this;
    then.Complete(outcome);
  }

  static void OnEnd(void* self, Outcome outcome) {
    Pieces& pieces = *static_cast<Pieces*>(self);
    if (outcome != Outcome::kDone) {
      const topo::Lock lock(pieces.mutex_);
      if (pieces.outcome_ == Outcome::kDone) pieces.outcome_ = outcome;
    }
    pieces.Continue();
  }

  Endpoint& endpoint_;
  const bool reads_;
  const std::uint64_t count_;
  const PieceOf piece_;
  const Completion then_;
  const Timeout timeout_;
  topo::Mutex mutex_;
  std::uint64_t next_ ABSL_GUARDED_BY(mutex_) = 0;
  std::uint64_t under_way_ ABSL_GUARDED_BY(mutex_) = 0;
  bool is_posting_ ABSL_GUARDED_BY(mutex_) = false;
  bool again_ ABSL_GUARDED_BY(mutex_) = false;
  Outcome outcome_ ABSL_GUARDED_BY(mutex_) = Outcome::kDone;
};

// Does the last piece lie in a region of `size`, from `offset` on? Nothing overflows.
bool AllFit(const StridedParams& params, std::uint64_t offset, std::uint64_t size,
            std::uint64_t Dimension::*stride) {
  for (const Dimension& dimension : params.dimensions) {
    if (dimension.count == 0) return true;
    const std::uint64_t steps = dimension.count - 1, distance = dimension.*stride;
    if (distance != 0 && steps > (size - std::min(offset, size)) / distance) return false;
    offset += steps * distance;
  }
  return Fits(offset, params.bytes, size);
}

Posted TryStrided(Endpoint& endpoint, const StridedParams& params, bool reads) {
  if (!AllFit(params, params.local.offset, params.local.region.bytes, &Dimension::local_stride) ||
      !AllFit(params, params.remote.offset, params.remote.region.bytes,
              &Dimension::remote_stride)) {
    return Posted::kBadRange;
  }
  std::uint64_t count = 1;
  for (const Dimension& dimension : params.dimensions) {
    if (__builtin_mul_overflow(count, dimension.count, &count)) return Posted::kBadRange;
  }
  const auto piece = [params](std::uint64_t number) {
    Piece piece = {params.local, params.remote, params.bytes};
    for (const Dimension& dimension : params.dimensions) {
      const std::uint64_t index = number % dimension.count;
      number /= dimension.count;
      piece.local.offset += index * dimension.local_stride;
      piece.remote.offset += index * dimension.remote_stride;
    }
    return piece;
  };
  return Pieces::Start(
      std::make_unique<Pieces>(endpoint, reads, count, piece, params.then, params.timeout));
}

Posted TryList(Endpoint& endpoint, std::span<const Piece> pieces, Completion then, Timeout timeout,
               bool reads) {
  for (const Piece& piece : pieces) {
    if (!Fits(piece.local.offset, piece.bytes, piece.local.region.bytes) ||
        !Fits(piece.remote.offset, piece.bytes, piece.remote.region.bytes)) {
      return Posted::kBadRange;
    }
  }
  const auto piece = [all = std::vector<Piece>(pieces.begin(), pieces.end())](
                         std::uint64_t number) { return all[static_cast<std::size_t>(number)]; };
  return Pieces::Start(
      std::make_unique<Pieces>(endpoint, reads, pieces.size(), piece, then, timeout));
}

}  // namespace

Posted TryReadStrided(Endpoint& endpoint, const StridedParams& params) {
  return TryStrided(endpoint, params, true);
}
Posted TryWriteStrided(Endpoint& endpoint, const StridedParams& params) {
  return TryStrided(endpoint, params, false);
}

Posted TryReadList(Endpoint& endpoint, std::span<const Piece> pieces, Completion then,
                   Timeout timeout) {
  return TryList(endpoint, pieces, then, timeout, true);
}
Posted TryWriteList(Endpoint& endpoint, std::span<const Piece> pieces, Completion then,
                    Timeout timeout) {
  return TryList(endpoint, pieces, then, timeout, false);
}

}  // namespace llcl
