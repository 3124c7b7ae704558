#include "dsm/peers/peers.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"

namespace dsm {

std::string Peers::HowGone(int rank) const {
  const bool has_left = endpoint_->PresenceOf(llcl::Rank{rank}) == llcl::Presence::kLeft;
  return absl::StrCat("rank ", rank, has_left ? " has left" : " is gone");
}

absl::Status Peers::CheckAllThere() const {
  std::string gone;
  for (int rank = 0; rank < size(); ++rank) {
    if (IsGone(rank)) absl::StrAppend(&gone, gone.empty() ? "" : ", ", HowGone(rank));
  }
  return gone.empty() ? absl::OkStatus() : absl::UnavailableError(gone);
}

absl::Status Peers::WhyNotAll(const char* otherwise) const {
  absl::Status gone = CheckAllThere();
  return gone.ok() ? absl::UnavailableError(otherwise) : gone;
}

absl::Status Peers::Finish(llcl::Posted posted, llcl::Flag& done) const {
  if (posted == llcl::Posted::kPosted && endpoint_->Wait(done) == llcl::Outcome::kDone) {
    return absl::OkStatus();
  }
  return WhyNotAll("not all ranks came in time");
}

void Peers::WaitFor(const llcl::Flag& done) const {
  while (!done.done()) {
    waiter_.Pause([&] { (void)endpoint_->Wait(done); });
  }
}

absl::Status Peers::Meet() const {
  llcl::Flag done;
  return Finish(team_->TryBarrier(done.completion()), done);
}

absl::Status Peers::AllgatherBytes(std::span<const std::byte> mine,
                                   std::span<std::byte> all) const {
  llcl::Flag done;
  return Finish(team_->TryAllgather(mine, all, done.completion()), done);
}

absl::Status Peers::Agree(const absl::Status& mine, const char* what) const {
  std::vector<std::uint64_t> all;
  return Agree(mine, what, 0, all);
}

absl::Status Peers::Agree(const absl::Status& mine, const char* what, std::uint64_t number,
                          std::vector<std::uint64_t>& all) const {
  constexpr std::uint64_t kFailed = ~std::uint64_t{0};
  all.assign(static_cast<std::size_t>(size()), 0);
  const absl::Status gathered = Allgather(mine.ok() ? number : kFailed, std::span(all));
  if (!mine.ok()) return mine;
  if (!gathered.ok()) return gathered;
  const auto other = std::find(all.begin(), all.end(), kFailed);
  if (other == all.end()) return absl::OkStatus();
  return absl::AbortedError(absl::StrCat("rank ", other - all.begin(), " cannot ", what));
}

}  // namespace dsm
