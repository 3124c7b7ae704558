#include "apps/rma/ranks/ensemble.h"

#include <algorithm>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "apps/rma/ranks/conduits.h"
#include "llcl/completion.h"

namespace rma {
namespace {

using Clock = std::chrono::steady_clock;

// The memory of a rank.
std::uint64_t ValueOf(std::uint64_t rank, std::uint64_t word) {
  return (rank + 1) * 1'000'003 + word;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Ensemble>> Ensemble::Open(llcl::Launch& launch,
                                                         const Options& options) {
  auto conduit = OpenConduit(launch, options.network, options.provider);
  if (!conduit.ok()) return conduit.status();
  auto endpoint = llcl::Endpoint::Make(*std::move(conduit));
  if (!endpoint.ok()) return endpoint.status();
  std::unique_ptr<Ensemble> ensemble(new Ensemble(options));
  ensemble->endpoint_ = *std::move(endpoint);
  const std::uint64_t words = options.bytes / 8 * ensemble->Ranks();
  ensemble->mine_.resize(words);
  ensemble->theirs_.resize(words);
  const auto rank = static_cast<std::uint64_t>(ToInt(ensemble->endpoint_->rank()));
  for (std::uint64_t word = 0; word < words; ++word) ensemble->mine_[word] = ValueOf(rank, word);
  return ensemble;
}

absl::Status Ensemble::Finish(const CollectivePoint& point, llcl::Posted posted, llcl::Flag& done) {
  if (posted == llcl::Posted::kPosted && endpoint_->Wait(done) == llcl::Outcome::kDone) {
    return absl::OkStatus();
  }
  return absl::InternalError(
      absl::StrCat(SeriesOf(point), ", ", point.bytes, " bytes: the operation failed"));
}

// The root of the first broadcast is rank 0.
void Ensemble::Fill(const CollectivePoint& point) {
  std::fill(theirs_.begin(), theirs_.end(), 0);
  if (point.collective == Collective::kBroadcast && ToInt(endpoint_->rank()) == 0) {
    for (std::uint64_t word = 0; word < point.bytes / 8; ++word) theirs_[word] = ValueOf(0, word);
  }
}

absl::Status Ensemble::Run(const CollectivePoint& point, std::uint64_t number) {
  llcl::Team& all = endpoint_->world();
  const std::size_t words = point.bytes / 8;
  const std::span<const std::uint64_t> mine(mine_);
  const std::span<std::uint64_t> theirs(theirs_);
  llcl::Flag done;
  const llcl::Completion then = done.completion();
  switch (point.collective) {
    case Collective::kBarrier:
      return Finish(point, all.TryBarrier(then), done);
    case Collective::kBroadcast:
      return Finish(point,
                    all.TryBroadcast(std::as_writable_bytes(theirs.first(words)),
                                     static_cast<int>(number % Ranks()), then),
                    done);
    case Collective::kAllgather:
      return Finish(point,
                    all.TryAllgather(std::as_bytes(mine.first(words)),
                                     std::as_writable_bytes(theirs.first(words * Ranks())), then),
                    done);
    case Collective::kAllreduce:
      return Finish(point,
                    all.TryAllreduce<std::uint64_t>(mine.first(words), theirs.first(words),
                                                    llcl::AtomicOp::kAdd, then),
                    done);
    case Collective::kAlltoall:
      break;
  }
  return Finish(point,
                all.TryAlltoall(std::as_bytes(mine.first(words * Ranks())),
                                std::as_writable_bytes(theirs.first(words * Ranks())), then),
                done);
}

absl::Status Ensemble::Check(const CollectivePoint& point) const {
  const auto rank = static_cast<std::uint64_t>(ToInt(endpoint_->rank()));
  const std::uint64_t words = point.bytes / 8;
  const bool has_blocks =
      point.collective == Collective::kAllgather || point.collective == Collective::kAlltoall;
  for (std::uint64_t word = 0; word < words * (has_blocks ? Ranks() : 1); ++word) {
    std::uint64_t expected = ValueOf(0, word);
    if (point.collective == Collective::kAllgather) expected = ValueOf(word / words, word % words);
    if (point.collective == Collective::kAlltoall) {
      expected = ValueOf(word / words, rank * words + word % words);
    }
    for (std::uint64_t other = 1; point.collective == Collective::kAllreduce && other < Ranks();
         ++other) {
      expected += ValueOf(other, word);
    }
    if (theirs_[word] != expected) {
      return absl::InternalError(absl::StrCat(SeriesOf(point), ", ", point.bytes, " bytes: rank ",
                                              rank, " has got wrong values"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<double> Ensemble::MeasureNs(const CollectivePoint& point, Clock::duration each) {
  Fill(point);
  // Twice for the first rank's estimate: the first operation of a size finds cold memory.
  absl::Status ran = Run(point, 0);
  const Clock::time_point begin = Clock::now();
  if (ran.ok()) ran = Run(point, 1);
  if (!ran.ok()) return ran;
  constexpr std::uint64_t kMost = 100'000;
  const auto took = std::max(Clock::now() - begin, Clock::duration(1));
  std::uint64_t count =
      std::clamp<std::uint64_t>(static_cast<std::uint64_t>(each / took), 1, kMost);
  llcl::Flag told;
  ran = Finish(point,
               endpoint_->world().TryBroadcast(std::as_writable_bytes(std::span(&count, 1)), 0,
                                               told.completion()),
               told);
  llcl::Flag met;
  if (ran.ok()) ran = Finish(point, endpoint_->world().TryBarrier(met.completion()), met);
  const Clock::time_point start = Clock::now();
  for (std::uint64_t number = 0; number < count && ran.ok(); ++number) ran = Run(point, number);
  const std::chrono::duration<double, std::nano> all = Clock::now() - start;
  if (ran.ok()) ran = Check(point);
  if (!ran.ok()) return ran;
  return all.count() / static_cast<double>(count);
}

}  // namespace rma
