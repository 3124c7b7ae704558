// How changes get to their homes and stale copies go, at barriers and under locks.
//
// The flush barrier, which ends an epoch (stamp.h):
//
//   1  each rank sends what it has changed of others' pages to their homes, and which pages
//      it has fetched since the last; the homes acknowledge
//   2  all meet: all homes are whole. Each stamps the pages that it has written itself
//   3  all meet: all stamps are there
//   4  each rank reads the stamps of the copies it has, and drops those that are stale
//
// A thread that takes a lock drops all copies, as nobody knows what their homes wrote since the
// last flush; where the lock says what memory it protects, those of that memory alone.
//
// Messages keep no order, so a rank's changes are on their way for one of its threads at a time,
// until they are acknowledged, and their pages are not dropped meanwhile.
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "dsm/release/change_message.h"
#include "dsm/space.h"
#include "llcl/team.h"

namespace dsm {

absl::Status Space::WaitFor(llcl::Posted posted, llcl::Flag& done) {
  if (posted == llcl::Posted::kPosted && job_.endpoint->Wait(done) == llcl::Outcome::kDone) {
    return absl::OkStatus();
  }
  return WhyNotAll("not all ranks came in time");
}

// Names all that are gone: who goes first takes others along.
absl::Status Space::CheckAllThere() const {
  std::string gone;
  for (int rank = 0; rank < ranks_; ++rank) {
    if (IsGone(rank)) absl::StrAppend(&gone, gone.empty() ? "" : ", ", "rank ", rank, " is gone");
  }
  return gone.empty() ? absl::OkStatus() : absl::UnavailableError(gone);
}
absl::Status Space::WhyNotAll(const char* else_this) const {
  absl::Status gone = CheckAllThere();
  return gone.ok() ? absl::UnavailableError(else_this) : gone;
}

// Sends changes to their homes, several pages in a message. Under sending_.
class Space::Sender final : public ChangeSink {
 public:
  // `handler`: kChanges, or kLockedChanges.
  Sender(Space& space, llcl::HandlerId handler)
      : space_(space),
        handler_(handler),
        packers_(static_cast<std::size_t>(space.ranks_),
                 ChangePacker(space.epoch_, llcl::Messenger::kMostPayload)) {}

 private:
  auto SendTo(std::size_t home) {
    return [this, home](std::span<const std::byte> message) {
      const absl::Status sent = space_.SendTo(static_cast<int>(home), handler_, message);
      // What other homes get does not depend on this one.
      status_.Update(sent);
      if (!sent.ok()) return;
      space_.diff_bytes_.fetch_add(message.size(), std::memory_order_relaxed);
      space_.diff_messages_.fetch_add(1, std::memory_order_relaxed);
    };
  }

 public:
  void Send(std::uint64_t page, std::span<const std::byte> twin,
            std::span<const std::byte> now) override {
    const auto home = static_cast<std::size_t>(space_.HomeOfPage(page));
    packers_[home].Add(page, twin, now, SendTo(home));
  }

  void SendAll(PageRange pages) override {
    space_.ForEachForeign(pages, [&](PageRange of_one) {
      Write(of_one);
      const auto home = static_cast<std::size_t>(space_.HomeOfPage(of_one.first));
      for (std::uint64_t page = of_one.first; page < of_one.last; ++page) {
        packers_[home].AddWhole(page, SendTo(home));
      }
    });
  }

  void Settle() override {
    for (std::size_t home = 0; home < packers_.size(); ++home) packers_[home].Finish(SendTo(home));
    status_.Update(space_.WaitForAcknowledgments());
  }
  // Unavailable: a home is gone.
  const absl::Status& status() const { return status_; }

 private:
  // To their home, which is one.
  void Write(PageRange pages) {
    const std::uint64_t end = pages.last * space_.options_.page_bytes;
    llcl::Endpoint& endpoint = *space_.job_.endpoint;
    const llcl::RemoteRegion& home =
        space_.homes_[static_cast<std::size_t>(space_.HomeOfPage(pages.first))];
    llcl::Counter done;
    std::uint64_t posted = 0;
    absl::Status status;
    for (std::uint64_t at = pages.first * space_.options_.page_bytes; at < end && status.ok();
         at += kMostAtOnce) {
      const llcl::Posted result = endpoint.KeepTrying([&] {
        return endpoint.TryWrite({.from = {space_.memory_.local(), at},
                                  .to = {home, at},
                                  .bytes = std::min(kMostAtOnce, end - at),
                                  .then = done.completion()});
      });
      if (result != llcl::Posted::kPosted) {
        status = space_.WhyNotAll("changes cannot be sent any more");
      } else {
        ++posted;
      }
    }
    endpoint.Wait(done, posted);
    if (done.failed() > 0) status.Update(space_.WhyNotAll("changes did not get home in time"));
    status_.Update(status);
  }

  Space& space_;
  const llcl::HandlerId handler_;
  std::vector<ChangePacker> packers_;
  absl::Status status_;
};

// Under sending_.
absl::Status Space::SendTo(int rank, llcl::HandlerId handler, std::span<const std::byte> payload) {
  llcl::Endpoint& endpoint = *job_.endpoint;
  const llcl::Posted posted = endpoint.KeepTrying([&] {
    return endpoint.TrySend({.to = llcl::Rank{rank}, .handler = handler, .payload = payload});
  });
  if (posted != llcl::Posted::kPosted) return WhyNotAll("changes cannot be sent any more");
  ++sent_to_[static_cast<std::size_t>(rank)];
  return absl::OkStatus();
}

absl::Status Space::Barrier(Consistency consistency) {
  barriers_.fetch_add(1, std::memory_order_relaxed);
  std::uint64_t epoch = 0;
  if (consistency == Consistency::kFlush) {
    if (absl::Status status = BringChangesHome(epoch); !status.ok()) return status;
  }
  if (absl::Status met = Meet(); !met.ok()) return met;
  copies_->UnpinAll();
  if (consistency == Consistency::kKeep) return absl::OkStatus();
  std::vector<std::uint64_t> pages = copies_->Held();
  if (consistency == Consistency::kDiscard) {
    for (; !pages.empty(); copies_->FinishFaults(pages)) pages = copies_->Drop(pages, nullptr);
    return absl::OkStatus();
  }
  if (absl::Status read = FindStale(epoch, pages); !read.ok()) return read;
  return DropAndSend(std::move(pages));
}

absl::Status Space::Meet() {
  llcl::Flag done;
  return WaitFor(job_.endpoint->world().TryBarrier(done.completion()), done);
}

// What another thread of this rank has written to them meanwhile is sent. Waits for faults while
// it keeps nobody from sending, as who faults may wait for memory whose content must be sent.
absl::Status Space::DropAndSend(std::vector<std::uint64_t> pages) {
  while (true) {
    {
      const std::lock_guard lock(sending_);
      Sender changes(*this, kLockedChanges);
      pages = copies_->Drop(pages, &changes);
      if (!changes.status().ok()) return changes.status();
    }
    if (pages.empty()) return absl::OkStatus();
    copies_->FinishFaults(pages);
  }
}

// `epoch`: the one that ends.
absl::Status Space::BringChangesHome(std::uint64_t& epoch) {
  const std::vector<std::uint64_t> pages = copies_->Held();
  copies_->FinishFaults(pages);
  {
    // Not longer: who holds a lock that other ranks wait for, before they come here, must be
    // able to unlock it.
    const std::lock_guard lock(sending_);
    if (absl::Status told = TellWhatIsNew(); !told.ok()) return told;
    Sender changes(*this, kChanges);
    copies_->SendChanges(pages, changes);
    changes.Settle();
    if (!changes.status().ok()) return changes.status();
    epoch = epoch_++;
  }
  if (absl::Status met = Meet(); !met.ok()) return met;
  if (races_ != nullptr) Tell(races_->Flush());
  home_->Flush(epoch);
  return absl::OkStatus();
}

// Homes are to know who has copies. Under sending_.
absl::Status Space::TellWhatIsNew() {
  constexpr std::size_t kMost = llcl::Messenger::kMostPayload / sizeof(PageRange);
  std::vector<std::vector<PageRange>> news(static_cast<std::size_t>(ranks_));
  for (const PageRange& range : AsRanges(copies_->TakeNew())) {
    ForEachForeign(range, [&](PageRange of_one) {
      news[static_cast<std::size_t>(HomeOfPage(of_one.first))].push_back(of_one);
    });
  }
  for (int home = 0; home < ranks_; ++home) {
    const std::span<const PageRange> all = news[static_cast<std::size_t>(home)];
    for (std::size_t at = 0; at < all.size(); at += kMost) {
      const auto some = all.subspan(at, std::min(kMost, all.size() - at));
      if (absl::Status sent = SendTo(home, kHeld, std::as_bytes(some)); !sent.ok()) return sent;
    }
  }
  return absl::OkStatus();
}

// Of these copies, those that somebody has changed in the epoch are left.
absl::Status Space::FindStale(std::uint64_t epoch, std::vector<std::uint64_t>& pages) {
  constexpr std::uint64_t kGap = 64;  // pages between, whose stamps come along
  std::vector<std::uint64_t> slots;   // where the stamp of each comes, in stamps_read_
  std::size_t stale = 0;
  for (std::size_t first = 0; first < pages.size();) {
    slots.clear();
    llcl::Counter done;
    std::uint64_t posted = 0;
    absl::Status status;
    for (std::uint64_t used = 0; first + slots.size() < pages.size() && status.ok();) {
      const std::uint64_t begin = pages[first + slots.size()];
      const int home = HomeOfPage(begin);
      std::uint64_t end = begin;
      for (std::size_t at = first + slots.size(); at < pages.size() && pages[at] < end + kGap;
           ++at) {
        if (used + pages[at] - begin >= kStampsAtOnce || HomeOfPage(pages[at]) != home) break;
        slots.push_back(used + pages[at] - begin);
        end = pages[at] + 1;
      }
      if (end == begin) break;
      const llcl::Posted result = job_.endpoint->KeepTrying([&] {
        return job_.endpoint->TryRead({.from = {homes_[static_cast<std::size_t>(home)],
                                                options_.bytes + begin * sizeof(Stamp)},
                                       .to = {stamps_read_.local(), used * sizeof(Stamp)},
                                       .bytes = (end - begin) * sizeof(Stamp),
                                       .then = done.completion()});
      });
      if (result != llcl::Posted::kPosted) status = WhyNotAll("homes cannot be asked any more");
      posted += result == llcl::Posted::kPosted ? 1 : 0;
      used += end - begin;
    }
    job_.endpoint->Wait(done, posted);
    if (done.failed() > 0) status.Update(WhyNotAll("not all homes answered in time"));
    if (!status.ok()) return status;
    const auto* const read = reinterpret_cast<const Stamp*>(stamps_read_.local().start);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      // Homes were not told of what was fetched since this flush began.
      const bool is_stale =
          read[slots[i]].MakesStale(rank_, epoch) || copies_->IsNew(pages[first + i]);
      if (is_stale) pages[stale++] = pages[first + i];
    }
    first += slots.size();
  }
  pages.resize(stale);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::uint64_t>> Space::HeldOf(std::span<const std::byte> memory) {
  std::vector<std::uint64_t> pages = copies_->Held();
  if (memory.empty()) return pages;
  const absl::StatusOr<PageRange> range = PagesOf(memory);
  if (!range.ok()) return range.status();
  std::erase_if(pages,
                [&](std::uint64_t page) { return page < range->first || page >= range->last; });
  return pages;
}

absl::Status Space::Release(std::span<const std::byte> memory) {
  const auto pages = HeldOf(memory);
  if (!pages.ok()) return pages.status();
  copies_->FinishFaults(*pages);
  const std::lock_guard lock(sending_);
  Sender changes(*this, kLockedChanges);
  copies_->SendChanges(*pages, changes);
  return changes.status();
}

absl::Status Space::Acquire(std::span<const std::byte> memory) {
  if (memory.empty()) copies_->UnpinAll();
  auto pages = HeldOf(memory);
  return pages.ok() ? DropAndSend(*std::move(pages)) : pages.status();
}

// Where the copies' memory is bounded.
void Space::KeepRoom() {
  while (copies_->WaitForNeed()) {
    // All may be in somebody's hands, who will be done soon.
    while (copies_->EvictClean() == 0 && EvictWritten() == 0 && !copies_->is_stopping()) {
      std::this_thread::yield();
    }
  }
}

std::uint64_t Space::EvictWritten() {
  const std::lock_guard lock(sending_);
  Sender changes(*this, kLockedChanges);
  const std::uint64_t evicted = copies_->EvictWritten(changes);
  if (!changes.status().ok()) {
    std::fprintf(stderr, "dsm: rank %d: what was written to a copy cannot be sent home: %s\n",
                 rank_, std::string(changes.status().message()).c_str());
    _exit(kPageIsGone);
  }
  return evicted;
}

std::vector<llcl::Handler> Space::Handlers() {
  // What makes no sense is dropped: its sender is wrong, and will not get what it waits for.
  const auto acknowledged = [](auto is_good) {
    return [is_good](llcl::Message& message) {
      if (is_good(message)) (void)message.Reply(kAcknowledgment, {});
    };
  };
  const auto apply = [this](bool is_locked) {
    return [this, is_locked](llcl::Message& message) {
      return TryApply(ToInt(message.from()), is_locked, message.payload());
    };
  };
  return {acknowledged(apply(false)),
          acknowledged(apply(true)),
          [this](llcl::Message& message) {
            acknowledged_by_[static_cast<std::size_t>(ToInt(message.from()))].fetch_add(
                1, std::memory_order_release);
          },
          acknowledged([this](llcl::Message& message) { return TryAddHeld(message.payload()); }),
          [this](llcl::Message& message) {
            locks_.OnMessageToHome(ToInt(message.from()), message.payload());
          },
          [this](llcl::Message& message) { locks_.OnMessageToWaiter(message.payload()); }};
}

// Pages of one piece at home.
bool Space::AreHere(PageRange pages) const {
  const Allocation* const allocation = AllocationAt(pages.first);
  if (allocation == nullptr || pages.first >= pages.last) return false;
  const PageRange mine =
      allocation->distribution.NextPagesOf(rank_, pages.first - allocation->first_page);
  return mine.first + allocation->first_page == pages.first &&
         mine.last + allocation->first_page >= pages.last;
}

bool Space::TryApply(int from, bool is_locked, std::span<const std::byte> message) {
  return UnpackChanges(
      message, [&](std::uint64_t epoch, std::uint64_t page, std::span<const std::byte> diff) {
        if (!AreHere({page, page + 1})) return false;
        const std::span<std::byte> bytes(memory_.local().start + page * options_.page_bytes,
                                         options_.page_bytes);
        const bool is_good =
            races_ != nullptr ? races_->Apply(page, from, is_locked, diff) : ApplyDiff(diff, bytes);
        if (!is_good) return false;
        home_->OnChanged(page, Stamp(epoch, from));
        return true;
      });
}

bool Space::TryAddHeld(std::span<const std::byte> message) {
  for (; message.size() >= sizeof(PageRange); message = message.subspan(sizeof(PageRange))) {
    PageRange range;
    std::memcpy(&range, message.data(), sizeof range);
    if (!AreHere(range)) return false;
    home_->AddHeld(range);
  }
  return message.empty();
}

// Of all that this rank has sent. Under sending_.
absl::Status Space::WaitForAcknowledgments() {
  // A time that is no number would have passed.
  constexpr std::chrono::milliseconds kMost = std::chrono::hours(24 * 365);
  const auto deadline = std::chrono::steady_clock::now() + std::min(options_.patience, kMost);
  absl::Status status;
  for (std::size_t home = 0; home < sent_to_.size(); ++home) {
    const std::atomic<std::uint64_t>& acknowledged = acknowledged_by_[home];
    while (acknowledged.load(std::memory_order_acquire) < sent_to_[home]) {
      if (IsGone(static_cast<int>(home))) {
        status.Update(CheckAllThere());
        // It acknowledges no more; nothing that comes later is to fail by that.
        sent_to_[home] = acknowledged.load(std::memory_order_relaxed);
      } else if (std::chrono::steady_clock::now() > deadline) {
        status.Update(absl::UnavailableError(absl::StrCat("rank ", home, " does not answer")));
        break;
      } else if (!job_.endpoint->TryAdvance()) {
        sched_yield();
      }
    }
  }
  return status;
}

}  // namespace dsm
