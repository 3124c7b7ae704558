#include "dsm/release/change_sender.h"

#include <sched.h>

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace dsm {

ChangeSender::ChangeSender(const Peers& peers, std::chrono::milliseconds patience)
    : peers_(peers),
      patience_(patience),
      sent_to_(static_cast<std::size_t>(peers.size())),
      acknowledged_by_(new std::atomic<std::uint64_t>[static_cast<std::size_t>(peers.size())]()) {}

absl::Status ChangeSender::Send(int rank, llcl::HandlerId handler,
                                std::span<const std::byte> payload) {
  llcl::Endpoint& endpoint = peers_.endpoint();
  const llcl::Posted posted = endpoint.KeepTrying([&] {
    return endpoint.TrySend({.to = llcl::Rank{rank}, .handler = handler, .payload = payload});
  });
  if (posted != llcl::Posted::kPosted) return peers_.WhyNotAll("changes cannot be sent any more");
  ++sent_to_[static_cast<std::size_t>(rank)];
  return absl::OkStatus();
}

absl::Status ChangeSender::WaitForAcknowledgments() {
  // A time that is no number would have passed.
  constexpr std::chrono::milliseconds kMost = std::chrono::hours(24 * 365);
  const auto deadline = std::chrono::steady_clock::now() + std::min(patience_, kMost);
  absl::Status status;
  for (std::size_t home = 0; home < sent_to_.size(); ++home) {
    const std::atomic<std::uint64_t>& acknowledged = acknowledged_by_[home];
    while (acknowledged.load(std::memory_order_acquire) < sent_to_[home]) {
      if (peers_.IsGone(static_cast<int>(home))) {
        status.Update(peers_.CheckAllThere());
        // It acknowledges no more; nothing that comes later is to fail by that.
        sent_to_[home] = acknowledged.load(std::memory_order_relaxed);
      } else if (std::chrono::steady_clock::now() > deadline) {
        status.Update(absl::UnavailableError(absl::StrCat("rank ", home, " does not answer")));
        break;
      } else if (!peers_.endpoint().TryAdvance()) {
        sched_yield();
      }
    }
  }
  return status;
}

}  // namespace dsm
