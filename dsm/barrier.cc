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
  if (met.ok() && consistency == Consistency::kDiscard) copies_->Invalidate(copies_->Held());
  return met;
}

absl::Status Space::WaitFor(llcl::Posted posted, llcl::Flag& done) {
  if (posted == llcl::Posted::kPosted && job_.endpoint->Wait(done) == llcl::Outcome::kDone) {
    return absl::OkStatus();
  }
  for (int rank = 0; rank < ranks_; ++rank) {
    if (job_.endpoint->IsDown(llcl::Rank{rank})) {
      return absl::UnavailableError(absl::StrCat("rank ", rank, " is gone"));
    }
  }
  return absl::UnavailableError("not all ranks came in time");
}

absl::Status Space::Flush() {
  std::vector<std::uint64_t> sent(static_cast<std::size_t>(ranks_));
  if (const absl::Status status = SendDiffs(sent); !status.ok()) return status;
  if (const absl::Status status = WaitForDiffs(sent); !status.ok()) return status;
  const absl::StatusOr<std::vector<Notice>> notices = ExchangeNotices();
  if (!notices.ok()) return notices.status();
  copies_->Invalidate(ChangedByOthers(copies_->Held(), *notices, rank_));
  return absl::OkStatus();
}

// `sent`: messages, by home.
absl::Status Space::SendDiffs(std::vector<std::uint64_t>& sent) {
  std::vector<std::vector<std::byte>> messages(static_cast<std::size_t>(ranks_));
  absl::Status status;
  const auto send = [&](std::size_t home) {
    if (messages[home].empty() || !status.ok()) return;
    const llcl::Posted posted = job_.endpoint->KeepTrying([&] {
      return job_.endpoint->TrySend({.to = llcl::Rank{static_cast<std::int32_t>(home)},
                                     .handler = llcl::HandlerId{0},
                                     .payload = messages[home]});
    });
    if (posted != llcl::Posted::kPosted) {
      status = absl::UnavailableError(absl::StrCat("rank ", home, " is gone"));
    }
    ++sent[home];
    diff_bytes_.fetch_add(messages[home].size(), std::memory_order_relaxed);
    diff_messages_.fetch_add(1, std::memory_order_relaxed);
    messages[home].clear();
  };
  constexpr std::size_t kMost = llcl::Messenger::kMostPayload;
  constexpr std::size_t kLeast = sizeof(DiffHeader) + Aligned(kMostDiffRecordBytes);
  (void)copies_->SendChanges([&](std::uint64_t page, std::span<const std::byte> twin,
                                 std::span<const std::byte> now) {
    const auto home = static_cast<std::size_t>(HomeOfPage(page));
    std::vector<std::byte>& message = messages[home];
    for (std::size_t line = 0; line < now.size() / kDiffLineBytes;) {
      if (message.size() + kLeast > kMost) send(home);
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
  });
  for (std::size_t home = 0; home < messages.size(); ++home) send(home);
  return status;
}

// A handler. What is no difference of a page of ours is dropped: its sender is wrong, and
// its barrier will not end in time.
void Space::OnDiffs(int from, std::span<const std::byte> message) {
  std::vector<Notice> changed;
  for (std::size_t at = 0; at < message.size();) {
    DiffHeader header;
    if (message.size() - at < sizeof header) return;
    std::memcpy(&header, message.data() + at, sizeof header);
    at += sizeof header;
    if (header.bytes > message.size() - at || AllocationAt(header.page) == nullptr ||
        HomeOfPage(header.page) != rank_) {
      return;
    }
    const std::span<std::byte> page(memory_.local().start + header.page * options_.page_bytes,
                                    options_.page_bytes);
    if (!ApplyDiff(message.subspan(at, header.bytes), page)) return;
    changed.push_back({header.page, header.page + 1, from});
    at += std::min(Aligned(header.bytes), message.size() - at);
  }
  {
    const std::lock_guard lock(mutex_);
    received_.insert(received_.end(), changed.begin(), changed.end());
  }
  diffs_from_[static_cast<std::size_t>(from)].fetch_add(1, std::memory_order_release);
}

absl::Status Space::WaitForDiffs(std::span<const std::uint64_t> sent) {
  std::vector<std::uint64_t> coming(sent.size());
  llcl::Flag done;
  const absl::Status told = WaitFor(
      job_.endpoint->world().TryAlltoall(
          std::as_bytes(sent), std::as_writable_bytes(std::span(coming)), done.completion()),
      done);
  if (!told.ok()) return told;
  for (std::size_t rank = 0; rank < coming.size(); ++rank) {
    expected_from_[rank] += coming[rank];
    while (diffs_from_[rank].load(std::memory_order_acquire) < expected_from_[rank]) {
      if (job_.endpoint->IsDown(llcl::Rank{static_cast<std::int32_t>(rank)})) {
        return absl::UnavailableError(absl::StrCat("rank ", rank, " is gone"));
      }
      if (!job_.endpoint->TryAdvance()) sched_yield();
    }
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
