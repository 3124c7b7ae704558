// The barriers of a space: how changes get to their homes and stale copies go.
//
//   1  each rank sends what it has changed of others' pages to their homes
//   2  all tell each other how many messages they sent; each waits for those it is to get,
//      so that then its home pages are whole
//   3  each home tells all which of its pages have changed, and by whom
//   4  each rank drops the copies that others have changed
//
// Nobody leaves 3 before all homes are whole, and nobody uses memory before it has done 4.
#include <sched.h>

#include <algorithm>
#include <cstring>
#include <numeric>
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

absl::Status Space::Barrier(Consistency consistency) {
  barriers_.fetch_add(1, std::memory_order_relaxed);
  if (consistency == Consistency::kFlush) return Flush();
  llcl::Flag done;
  const absl::Status met = WaitFor(job_.endpoint->world().TryBarrier(done.completion()), done);
  if (met.ok() && consistency == Consistency::kDiscard) {
    const std::lock_guard lock(sending_);
    copies_->Invalidate(copies_->Held(), nullptr);
  }
  return met;
}

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

// Gathers changes into messages, a row of them for each home. Held by one thread at a time.
class Space::DiffSender {
 public:
  explicit DiffSender(Space& space)
      : space_(space), messages_(static_cast<std::size_t>(space.ranks_)) {}

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
                               .handler = llcl::HandlerId{0},
                               .payload = message});
    });
    if (posted != llcl::Posted::kPosted) {
      status_ = space_.CheckAllThere();
      if (status_.ok()) status_ = absl::UnavailableError("changes cannot be sent any more");
      return;
    }
    ++space_.sent_to_[home];
    space_.diff_bytes_.fetch_add(message.size(), std::memory_order_relaxed);
    space_.diff_messages_.fetch_add(1, std::memory_order_relaxed);
    message.clear();
  }

  Space& space_;
  std::vector<std::vector<std::byte>> messages_;
  absl::Status status_;
};

absl::Status Space::Flush() {
  const std::lock_guard lock(sending_);
  DiffSender changes(*this);
  (void)copies_->SendChanges(changes.AsSend());
  if (const absl::Status status = changes.Finish(); !status.ok()) return status;
  if (const absl::Status status = WaitForDiffs(); !status.ok()) return status;
  const absl::StatusOr<std::vector<Notice>> notices = ExchangeNotices();
  if (!notices.ok()) return notices.status();
  DiffSender late(*this);
  copies_->Invalidate(ChangedByOthers(copies_->Held(), *notices, rank_), late.AsSend());
  return late.Finish();
}

absl::Status Space::Release() {
  const std::lock_guard lock(sending_);
  DiffSender changes(*this);
  (void)copies_->SendChanges(changes.AsSend());
  if (const absl::Status status = changes.Finish(); !status.ok()) return status;
  return WaitForAcknowledgments();
}

absl::Status Space::Acquire() {
  const std::lock_guard lock(sending_);
  DiffSender changes(*this);
  copies_->Invalidate(copies_->Held(), changes.AsSend());
  if (const absl::Status status = changes.Finish(); !status.ok()) return status;
  return WaitForAcknowledgments();
}

// A handler. What is no difference of a page of ours is dropped: its sender is wrong, and
// its barrier will not end in time.
void Space::OnDiffs(llcl::Message& message) {
  const int from = ToInt(message.from());
  if (!TryApply(from, message.payload())) return;
  diffs_from_[static_cast<std::size_t>(from)].fetch_add(1, std::memory_order_release);
  (void)message.Reply(llcl::HandlerId{1}, {});
}

bool Space::TryApply(int from, std::span<const std::byte> message) {
  std::vector<Notice> changed;
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
    changed.push_back({header.page, header.page + 1, from});
    at += std::min(Aligned(header.bytes), message.size() - at);
  }
  const std::lock_guard lock(mutex_);
  received_.insert(received_.end(), changed.begin(), changed.end());
  return true;
}

// Those that all ranks have sent here so far.
absl::Status Space::WaitForDiffs() {
  std::vector<std::uint64_t> coming(sent_to_.size());
  llcl::Flag done;
  const absl::Status told =
      WaitFor(job_.endpoint->world().TryAlltoall(std::as_bytes(std::span(sent_to_)),
                                                 std::as_writable_bytes(std::span(coming)),
                                                 done.completion()),
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

// Of all messages that this rank has sent so far.
absl::Status Space::WaitForAcknowledgments() {
  const std::uint64_t sent = std::accumulate(sent_to_.begin(), sent_to_.end(), std::uint64_t{0});
  while (acknowledged_.load(std::memory_order_acquire) < sent) {
    if (absl::Status gone = CheckAllThere(); !gone.ok()) return gone;
    if (!job_.endpoint->TryAdvance()) sched_yield();
  }
  return absl::OkStatus();
}

// Everybody's, of all pages that have changed; who has them knows that all homes are whole.
absl::StatusOr<std::vector<Notice>> Space::ExchangeNotices() {
  std::vector<Notice> mine;
  {
    const std::lock_guard lock(mutex_);
    mine.swap(received_);
  }
  // Which of its own pages a home has written is not known: all may have changed.
  const std::size_t allocations = allocation_count_.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < allocations; ++i) {
    const Allocation& allocation = *allocations_[i];
    for (const PageRange& range : allocation.distribution.PagesOf(rank_)) {
      mine.push_back(
          {allocation.first_page + range.first, allocation.first_page + range.last, rank_});
    }
  }
  mine = Merged(std::move(mine));

  const std::uint64_t count = mine.size();
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(ranks_));
  llcl::Flag counted, gathered;
  absl::Status told = WaitFor(job_.endpoint->world().TryAllgather(
                                  std::as_bytes(std::span(&count, 1)),
                                  std::as_writable_bytes(std::span(counts)), counted.completion()),
                              counted);
  if (!told.ok()) return told;
  // Blocks are of one size.
  const std::uint64_t most = *std::max_element(counts.begin(), counts.end());
  mine.resize(most);
  std::vector<Notice> padded(most * counts.size());
  told = WaitFor(job_.endpoint->world().TryAllgather(std::as_bytes(std::span(mine)),
                                                     std::as_writable_bytes(std::span(padded)),
                                                     gathered.completion()),
                 gathered);
  if (!told.ok()) return told;
  std::vector<Notice> all;
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    const auto first = padded.begin() + static_cast<std::ptrdiff_t>(rank * most);
    all.insert(all.end(), first, first + static_cast<std::ptrdiff_t>(counts[rank]));
  }
  return Merged(std::move(all));
}

}  // namespace dsm
