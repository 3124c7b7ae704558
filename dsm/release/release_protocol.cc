#include "dsm/release/release_protocol.h"

#include <algorithm>
#include <utility>

#include "dsm/release/message_kinds.h"
#include "topo/mutex.h"

namespace dsm {

absl::StatusOr<std::unique_ptr<ReleaseProtocol>> ReleaseProtocol::Make(
    const Parts& parts, std::chrono::milliseconds patience) {
  auto stale = StaleCopies::Make(parts.peers, parts.map, parts.memory);
  if (!stale.ok()) return stale.status();
  return std::unique_ptr<ReleaseProtocol>(new ReleaseProtocol(parts, patience, *std::move(stale)));
}

absl::Status ReleaseProtocol::Barrier(Consistency consistency) {
  barriers_.fetch_add(1, std::memory_order_relaxed);
  absl::StatusOr<std::uint64_t> epoch = 0;
  if (consistency == Consistency::kFlush) {
    epoch = EndEpoch();
    if (!epoch.ok()) return epoch.status();
  }
  if (absl::Status met = parts_.peers.Meet(); !met.ok()) return met;
  parts_.copies.frames().UnpinAll();
  if (consistency == Consistency::kKeep) return absl::OkStatus();
  std::vector<PageNumber> pages = parts_.copies.held().All();
  if (consistency == Consistency::kDiscard) {
    for (; !pages.empty(); parts_.copies.FinishFaults(pages)) {
      pages = parts_.copies.Drop(pages, nullptr);
    }
    return absl::OkStatus();
  }
  absl::Status read = stale_->Keep(*epoch, parts_.copies.held(), pages);
  return read.ok() ? DropAndSend(std::move(pages)) : read;
}

// Steps 1 and 2. Returns the number of the epoch that ends.
absl::StatusOr<std::uint64_t> ReleaseProtocol::EndEpoch() {
  const std::vector<PageNumber> pages = parts_.copies.held().All();
  parts_.copies.FinishFaults(pages);
  const absl::StatusOr<std::uint64_t> epoch = SendChanges(pages);
  if (!epoch.ok()) return epoch;
  if (absl::Status met = parts_.peers.Meet(); !met.ok()) return met;
  race_report_.Report(parts_.home.Flush(*epoch));
  return epoch;
}

// The mutex is not held longer: a thread of this rank that has a lock for which other ranks wait,
// before they come to the barrier, must be able to unlock it.
absl::StatusOr<std::uint64_t> ReleaseProtocol::SendChanges(std::span<const PageNumber> pages) {
  const topo::Lock lock(sender_.mutex());
  if (absl::Status reported = ReportNewCopies(); !reported.ok()) return reported;
  ChangeBatch changes(sender_, route(), kChanges);
  parts_.copies.SendChanges(pages, changes);
  changes.Settle();
  if (!changes.status().ok()) return changes.status();
  return sender_.EndEpoch();
}

// Homes are to know which pages have copies.
absl::Status ReleaseProtocol::ReportNewCopies() {
  constexpr std::size_t kMost = llcl::Messenger::kMostPayload / sizeof(PageRange);
  std::vector<std::vector<PageRange>> copies_of(static_cast<std::size_t>(parts_.peers.size()));
  for (const PageRange& range : AsRanges(parts_.copies.held().TakeNew())) {
    parts_.map.ForEachForeignRun(range, [&](int home, PageRange run) {
      copies_of[static_cast<std::size_t>(home)].push_back(run);
    });
  }
  for (int home = 0; home < parts_.peers.size(); ++home) {
    const std::span<const PageRange> all = copies_of[static_cast<std::size_t>(home)];
    for (std::size_t at = 0; at < all.size(); at += kMost) {
      const auto some = all.subspan(at, std::min(kMost, all.size() - at));
      absl::Status sent = sender_.Send(home, kHeld, std::as_bytes(some));
      if (!sent.ok()) return sent;
    }
  }
  return absl::OkStatus();
}

// What another thread of this rank has written to them meanwhile is sent. Faults are awaited
// without the mutex, as a thread that faults may wait for memory whose content must be sent.
absl::Status ReleaseProtocol::DropAndSend(std::vector<PageNumber> pages) {
  while (!pages.empty()) {
    {
      const topo::Lock lock(sender_.mutex());
      ChangeBatch changes(sender_, route(), kLockedChanges);
      pages = parts_.copies.Drop(pages, &changes);
      if (!changes.status().ok()) return changes.status();
    }
    parts_.copies.FinishFaults(pages);
  }
  return absl::OkStatus();
}

// The copies that are here or pending, of this memory, or of all where it is empty.
absl::StatusOr<std::vector<PageNumber>> ReleaseProtocol::HeldOf(std::span<const std::byte> memory) {
  if (memory.empty()) return parts_.copies.held().All();
  const absl::StatusOr<PageRange> range = parts_.map.PagesOf(memory);
  if (!range.ok()) return range.status();
  return parts_.copies.held().In(*range);
}

absl::Status ReleaseProtocol::Release(std::span<const std::byte> memory) {
  const auto pages = HeldOf(memory);
  if (!pages.ok()) return pages.status();
  if (pages->empty()) return absl::OkStatus();  // A page is held until its changes are at home.
  parts_.copies.FinishFaults(*pages);
  const topo::Lock lock(sender_.mutex());
  ChangeBatch changes(sender_, route(), kLockedChanges);
  parts_.copies.Release(*pages, changes);
  return changes.status();
}

absl::Status ReleaseProtocol::Acquire(std::span<const std::byte> memory) {
  if (memory.empty()) parts_.copies.frames().UnpinAll();
  auto pages = HeldOf(memory);
  return pages.ok() ? DropAndSend(*std::move(pages)) : pages.status();
}

absl::StatusOr<PageCount> ReleaseProtocol::EvictWritten() {
  const topo::Lock lock(sender_.mutex());
  ChangeBatch changes(sender_, route(), kLockedChanges);
  const PageCount evicted = parts_.copies.EvictWritten(changes);
  if (!changes.status().ok()) return changes.status();
  return evicted;
}

}  // namespace dsm
