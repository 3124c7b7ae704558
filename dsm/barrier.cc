// How changes get to their homes and stale copies go, at barriers and under locks.
//
// The flush barrier:
//
//   1  each rank sends what it has changed of others' pages to their homes
//   2  all tell each other how many messages they sent; each waits for those it is to get,
//      so that then its home pages are whole
//   3  all meet: nobody goes on before all homes are whole
//   4  each rank drops its copies
//
// Who holds a lock has no others to count with, so its messages are acknowledged.
#include <sched.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "dsm/diff.h"
#include "dsm/space.h"
#include "llcl/team.h"

namespace dsm {
namespace {

constexpr std::uint64_t Aligned(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }

}  // namespace

absl::Status Space::WaitFor(llcl::Posted posted, llcl::Flag& done) {
  if (posted == llcl::Posted::kPosted && job_.endpoint->Wait(done) == llcl::Outcome::kDone) {
    return absl::OkStatus();
  }
  if (absl::Status gone = CheckAllThere(); !gone.ok()) return gone;
  return absl::UnavailableError("not all ranks came in time");
}

// Names all that are gone: who goes first takes others along.
absl::Status Space::CheckAllThere() const {
  std::string gone;
  for (int rank = 0; rank < ranks_; ++rank) {
    if (IsGone(rank)) absl::StrAppend(&gone, gone.empty() ? "" : ", ", "rank ", rank, " is gone");
  }
  return gone.empty() ? absl::OkStatus() : absl::UnavailableError(gone);
}

// Gathers changes into messages, a row of them for each home. Under sending_.
class Space::DiffSender {
 public:
  // `handler`: kDiffs, or kDiffsToAcknowledge.
  DiffSender(Space& space, llcl::HandlerId handler)
      : space_(space), handler_(handler), messages_(static_cast<std::size_t>(space.ranks_)) {}

  Copies::Send AsSend() {
    return [this](std::uint64_t page, std::span<const std::byte> twin,
                  std::span<const std::byte> now) { Add(page, twin, now); };
  }

  // All are on their way. Unavailable: a home is gone.
  absl::Status Finish() {
    for (std::size_t home = 0; home < messages_.size(); ++home) Send(home);
    return status_;
  }

 private:
  static constexpr std::size_t kMost = llcl::Messenger::kMostPayload;
  static constexpr std::size_t kLeast = sizeof(DiffHeader) + Aligned(kMostDiffRecordBytes);

  void Add(std::uint64_t page, std::span<const std::byte> twin, std::span<const std::byte> now) {
    const auto home = static_cast<std::size_t>(space_.HomeOfPage(page));
    std::vector<std::byte>& message = messages_[home];
    for (std::size_t line = 0; line < now.size() / kDiffLineBytes;) {
      if (message.size() + kLeast > kMost) Send(home);
      const std::size_t begin = message.size();
      message.resize(kMost);
      const DiffPart part =
          EncodeDiffPart(twin, now, line, std::span(message).subspan(begin + sizeof(DiffHeader)));
      line = part.next_line;
      const DiffHeader header = {page, part.used};
      std::memcpy(message.data() + begin, &header, sizeof header);
      const std::size_t end = begin + sizeof header + Aligned(part.used);
      message.resize(part.used == 0 ? begin : std::min(end, kMost));
    }
  }

  void Send(std::size_t home) {
    std::vector<std::byte>& message = messages_[home];
    if (message.empty() || !status_.ok()) return;
    llcl::Endpoint& endpoint = *space_.job_.endpoint;
    const llcl::Posted posted = endpoint.KeepTrying([&] {
      return endpoint.TrySend({.to = llcl::Rank{static_cast<std::int32_t>(home)},
                               .handler = handler_,
                               .payload = message});
    });
    if (posted != llcl::Posted::kPosted) {
      status_ = space_.CheckAllThere();
      if (status_.ok()) status_ = absl::UnavailableError("changes cannot be sent any more");
      return;
    }
    ++space_.sent_to_[home];
    if (handler_ == kDiffsToAcknowledge) ++space_.to_acknowledge_;
    space_.diff_bytes_.fetch_add(message.size(), std::memory_order_relaxed);
    space_.diff_messages_.fetch_add(1, std::memory_order_relaxed);
    message.clear();
  }

  Space& space_;
  const llcl::HandlerId handler_;
  std::vector<std::vector<std::byte>> messages_;
  absl::Status status_;
};

absl::Status Space::Barrier(Consistency consistency) {
  barriers_.fetch_add(1, std::memory_order_relaxed);
  if (consistency == Consistency::kFlush) {
    if (absl::Status status = BringChangesHome(); !status.ok()) return status;
  }
  llcl::Flag done;
  absl::Status met = WaitFor(job_.endpoint->world().TryBarrier(done.completion()), done);
  if (!met.ok() || consistency == Consistency::kKeep) return met;
  const std::lock_guard lock(sending_);
  DiffSender late(*this, kDiffs);
  copies_->Invalidate(copies_->Held(),
                      consistency == Consistency::kFlush ? late.AsSend() : nullptr);
  return late.Finish();
}

absl::Status Space::BringChangesHome() {
  std::vector<std::uint64_t> sent;
  {
    // Not longer: who holds a lock that other ranks wait for, before they come here, must be
    // able to unlock it.
    const std::lock_guard lock(sending_);
    DiffSender changes(*this, kDiffs);
    copies_->SendChanges(changes.AsSend());
    if (absl::Status status = changes.Finish(); !status.ok()) return status;
    sent = sent_to_;
  }
  return WaitForDiffs(sent);
}

absl::Status Space::Release() {
  const std::lock_guard releasing(releasing_);
  {
    const std::lock_guard lock(sending_);
    DiffSender changes(*this, kDiffsToAcknowledge);
    copies_->SendChanges(changes.AsSend());
    if (absl::Status status = changes.Finish(); !status.ok()) return status;
  }
  return WaitForAcknowledgments();
}

absl::Status Space::Acquire() {
  const std::lock_guard releasing(releasing_);
  {
    const std::lock_guard lock(sending_);
    DiffSender changes(*this, kDiffsToAcknowledge);
    copies_->Invalidate(copies_->Held(), changes.AsSend());
    if (absl::Status status = changes.Finish(); !status.ok()) return status;
  }
  return WaitForAcknowledgments();
}

std::vector<llcl::Handler> Space::Handlers() {
  const auto on_diffs = [this](llcl::Message& message) {
    // What is no difference of a page of ours is dropped: its sender is wrong, and will not
    // get what it waits for.
    const int from = ToInt(message.from());
    if (!TryApply(message.payload())) return false;
    diffs_from_[static_cast<std::size_t>(from)].fetch_add(1, std::memory_order_release);
    return true;
  };
  return {[=](llcl::Message& message) { (void)on_diffs(message); },
          [=](llcl::Message& message) {
            if (on_diffs(message)) (void)message.Reply(kAcknowledgment, {});
          },
          [this](llcl::Message&) { acknowledged_.fetch_add(1, std::memory_order_release); }};
}

bool Space::TryApply(std::span<const std::byte> message) {
  for (std::size_t at = 0; at < message.size();) {
    DiffHeader header;
    if (message.size() - at < sizeof header) return false;
    std::memcpy(&header, message.data() + at, sizeof header);
    at += sizeof header;
    if (header.bytes > message.size() - at || AllocationAt(header.page) == nullptr ||
        HomeOfPage(header.page) != rank_) {
      return false;
    }
    const std::span<std::byte> page(memory_.local().start + header.page * options_.page_bytes,
                                    options_.page_bytes);
    if (!ApplyDiff(message.subspan(at, header.bytes), page)) return false;
    at += std::min(Aligned(header.bytes), message.size() - at);
  }
  return true;
}

// Those that all ranks have sent here so far.
absl::Status Space::WaitForDiffs(std::span<const std::uint64_t> sent) {
  std::vector<std::uint64_t> coming(sent.size());
  llcl::Flag done;
  const absl::Status told = WaitFor(
      job_.endpoint->world().TryAlltoall(
          std::as_bytes(sent), std::as_writable_bytes(std::span(coming)), done.completion()),
      done);
  if (!told.ok()) return told;
  for (std::size_t rank = 0; rank < coming.size(); ++rank) {
    while (diffs_from_[rank].load(std::memory_order_acquire) < coming[rank]) {
      if (absl::Status gone = CheckAllThere(); !gone.ok()) return gone;
      if (!job_.endpoint->TryAdvance()) sched_yield();
    }
  }
  return absl::OkStatus();
}

// Of all messages that are to be; under releasing_, so that none are added.
absl::Status Space::WaitForAcknowledgments() {
  while (acknowledged_.load(std::memory_order_acquire) < to_acknowledge_) {
    if (absl::Status gone = CheckAllThere(); !gone.ok()) return gone;
    if (!job_.endpoint->TryAdvance()) sched_yield();
  }
  return absl::OkStatus();
}

}  // namespace dsm
