#include "dsm/home/races.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "dsm/diff/diff.h"
#include "dsm/spin_lock.h"

namespace dsm {

absl::StatusOr<std::unique_ptr<RaceFinder>> RaceFinder::Make(int rank, Engine& engine,
                                                             std::span<std::byte> memory,
                                                             std::uint64_t page_bytes,
                                                             PageSource& source) {
  std::unique_ptr<RaceFinder> finder(new RaceFinder(rank, engine, memory, page_bytes, source));
  const std::uint64_t pages = memory.size() / page_bytes;
  for (const auto& [what, bytes] : {std::pair(&finder->states_, pages * sizeof(Page)),
                                    std::pair(&finder->twins_, memory.size()),
                                    std::pair(&finder->written_, pages * sizeof(std::uint64_t))}) {
    auto reserved = Reserved::Zeros(bytes);
    if (!reserved.ok()) return reserved.status();
    *what = *std::move(reserved);
  }
  finder->pages_ = finder->states_.as<Page>();
  return finder;
}

void RaceFinder::Protect(std::uint64_t page) {
  if (!engine_.Protect(page * page_bytes_, page_bytes_)) {
    source_.OnRefused("protect", {page, page + 1});
  }
}

void RaceFinder::Watch(PageRange pages) {
  for (std::uint64_t page = pages.first; page < pages.last; ++page) {
    Protect(page);
    pages_[page].Done(PageState::kClean);
  }
}

bool RaceFinder::OnWrite(std::uint64_t page) {
  if (pages_[page].state() == PageState::kAbsent) return false;
  if (pages_[page].Begin(true) != Turn::kArm) return true;
  std::memcpy(TwinOf(page).data(), BytesOf(page).data(), page_bytes_);
  {
    const SpinLock lock(lock_);
    written_.as<std::uint64_t>()[written_count_++] = page;
  }
  if (!engine_.AllowWrites(page * page_bytes_, page_bytes_)) {
    source_.OnRefused("let write", {page, page + 1});
  }
  pages_[page].Done(PageState::kDirty);
  return true;
}

// Nobody keeps a twin of it meanwhile. Returns the state that it had.
PageState RaceFinder::Hold(std::uint64_t page) {
  while (true) {
    const PageState state = pages_[page].WaitUntilItLasts();
    if (pages_[page].TryLeave(state)) return state;
  }
}

bool RaceFinder::Apply(std::uint64_t page, int from, bool is_locked,
                       std::span<const std::byte> diff) {
  const PageState state = Hold(page);
  const std::lock_guard lock(mutex_);
  const bool has_twin = state == PageState::kDirty;
  if (!is_locked && !diff.empty()) {
    if (has_twin) {
      for (const std::size_t byte : Conflicts(diff, TwinOf(page), BytesOf(page))) {
        Add(page, byte, from, rank_);
      }
    }
    // As if every byte had changed: those that the difference has.
    const std::vector<std::byte> zeros(page_bytes_), ones(page_bytes_, std::byte{1});
    std::vector<int>& writers = writers_.try_emplace(page, page_bytes_).first->second;
    for (const std::size_t byte : Conflicts(diff, zeros, ones)) {
      const int before = std::exchange(writers[byte], from + 1);
      if (before != 0 && before != from + 1) Add(page, byte, before - 1, from);
    }
  }
  // The twin is then what the page would be without the writes here.
  const bool is_good =
      ApplyDiff(diff, BytesOf(page)) && (!has_twin || ApplyDiff(diff, TwinOf(page)));
  pages_[page].Done(state);
  return is_good;
}

void RaceFinder::Add(std::uint64_t page, std::size_t byte, int one, int other) {
  found_.push_back({page * page_bytes_ + byte, 1, std::min(one, other), std::max(one, other)});
}

std::vector<Race> RaceFinder::Flush() {
  std::vector<std::uint64_t> written;
  {
    const SpinLock lock(lock_);
    const auto* const first = written_.as<std::uint64_t>();
    written.assign(first, first + std::exchange(written_count_, 0));
  }
  const std::lock_guard lock(mutex_);
  for (const std::uint64_t page : written) {
    // Nobody is in its fault any more then, and nothing is being applied.
    if (const PageState state = Hold(page); state != PageState::kDirty) {
      pages_[page].Done(state);
      continue;
    }
    Protect(page);
    if (const auto at = writers_.find(page); at != writers_.end()) {
      for (std::size_t byte = 0; byte < page_bytes_; ++byte) {
        if (at->second[byte] == 0 || BytesOf(page)[byte] == TwinOf(page)[byte]) continue;
        Add(page, byte, at->second[byte] - 1, rank_);
      }
    }
    pages_[page].Done(PageState::kClean);
  }
  writers_.clear();
  std::vector<Race> races;
  std::sort(found_.begin(), found_.end(), [](const Race& a, const Race& b) {
    return std::tie(a.offset, a.one, a.other) < std::tie(b.offset, b.one, b.other);
  });
  for (const Race& race : std::exchange(found_, {})) {
    Race* const last = races.empty() ? nullptr : &races.back();
    if (last != nullptr && *last == race) continue;
    if (last != nullptr && last->offset + last->bytes == race.offset && last->one == race.one &&
        last->other == race.other) {
      ++last->bytes;
    } else {
      races.push_back(race);
    }
  }
  return races;
}

}  // namespace dsm
