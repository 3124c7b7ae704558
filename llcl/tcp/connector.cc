#include "llcl/tcp/connector.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "llcl/launch/rendezvous_wire.h"
#include "llcl/process_limits.h"

namespace llcl {
namespace {

constexpr std::chrono::seconds kTimeToAwait{5};  // the call of a rank that says that it calls

// The rank that answers has a key of its own: a proof for one rank is of no use at another.
SipKey KeyOf(const SipKey& secret, Rank answering) {
  SipKey key = {};
  for (std::size_t half = 0; half < 2; ++half) {
    const std::uint64_t word =
        SipHash(secret, absl::StrCat("rank ", ToInt(answering), ", half ", half));
    const std::string bytes = LittleEndianBytes(word, 8);
    std::copy(bytes.begin(), bytes.end(), key.begin() + static_cast<std::ptrdiff_t>(8 * half));
  }
  return key;
}

}  // namespace

absl::Status TcpConnector::Open(TcpListeners listeners) {
  const auto fails = [](const char* call) {
    return absl::ResourceExhaustedError("cannot watch calls: " + WhyCallFailed(call, errno));
  };
  ranks_.resize(job_.hosts.size());
  news_ = OwnedFd(epoll_create1(EPOLL_CLOEXEC));
  if (news_.get() < 0) return fails("epoll_create1");
  reception_ = std::make_unique<TcpReception>(std::move(listeners), KeyOf(job_.secret, job_.mine),
                                              static_cast<int>(job_.hosts.size()), news_.get());
  return absl::OkStatus();
}

void TcpConnector::EndStart() {
  reception_->EndStart();
  OwnedFd timer(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  epoll_event event = {.events = EPOLLIN, .data = {}};
  const bool has_timer =
      timer.get() >= 0 && epoll_ctl(news_.get(), EPOLL_CTL_ADD, timer.get(), &event) == 0;
  if (has_timer) timer_ = std::move(timer);
}

void TcpConnector::Want(Rank rank, Deadline to_connect, Deadline to_answer) {
  if (!Of(rank).Want()) {
    for (TcpCall& call : calls_) {
      if (call.rank() == rank) call.EndAt(to_answer);
    }
    return SetTimer();
  }
  const std::string& addresses = job_.addresses[static_cast<std::size_t>(ToInt(rank))];
  calls_.emplace_back(CallOptions{.addresses = absl::StrSplit(addresses, ' ', absl::SkipEmpty()),
                                  .first = first_,
                                  .key = KeyOf(job_.secret, rank),
                                  .rank = rank,
                                  .mine = job_.mine,
                                  .size = static_cast<int>(job_.hosts.size()),
                                  .to_connect = to_connect,
                                  .to_answer = to_answer},
                      news_.get());
  WakeAt(std::chrono::steady_clock::now());  // The next Poll begins the call.
}

void TcpConnector::Doubt(Rank rank, Deadline until) {
  if (awaited_.erase(rank) > 0) Of(rank).OnAwaitedInVain();
  Want(rank, until, until);
}

bool TcpConnector::MayBeMet(Rank rank) const {
  return std::any_of(calls_.begin(), calls_.end(), [rank](const TcpCall& call) {
    return call.rank() == rank && call.has_proved();
  });
}

void TcpConnector::OnGone(Rank rank) {
  Of(rank).OnGone();
  awaited_.erase(rank);
  EndCall(rank);
}

void TcpConnector::EndCall(Rank rank) {
  calls_.remove_if([rank](const TcpCall& call) { return call.rank() == rank; });
}

void TcpConnector::Close() {
  for (Acquaintance& rank : ranks_) {
    if (rank.state() != Acquaintance::State::kMet) rank.OnGone();
  }
  calls_.clear();
  awaited_.clear();
  reception_->Close();
}

absl::Status TcpConnector::Poll(OnMet met, OnMissed missed) {
  std::uint64_t times = 0;
  if (timer_.get() >= 0 && read(timer_.get(), &times, sizeof times) > 0) {
    timer_at_ = Deadline::max();
  }
  const absl::Status heard = reception_->Poll(
      [&](Rank rank) {
        // Only ranks of other hosts call at these addresses.
        return MayMeet(rank) ? Of(rank).OnVisit(job_.mine, rank) : Verdict::kTaken;
      },
      [&](Rank rank, OwnedFd fd) {
        awaited_.erase(rank);
        EndCall(rank);
        met(rank, std::move(fd));
      });
  PollCalls(met, missed);
  EndAwaiting();
  wakes_at_ = Deadline::max();
  SetTimer();
  return heard;
}

void TcpConnector::PollCalls(OnMet met, OnMissed missed) {
  std::vector<pollfd> fds;
  for (const TcpCall& call : calls_) call.AddTo(fds);
  (void)poll(fds.data(), fds.size(), 0);
  std::span<const pollfd> left = fds;
  const Deadline now = std::chrono::steady_clock::now();
  for (auto call = calls_.begin(); call != calls_.end();) {
    const std::span<const pollfd> of_call = left.first(call->attempts());
    left = left.subspan(of_call.size());
    const bool has_news = std::ranges::any_of(of_call, [](auto& fd) { return fd.revents != 0; });
    std::optional<Called> called;
    if (has_news || call->due() <= now) called = call->Poll(of_call);
    if (!called) {
      ++call;
      continue;
    }
    const Rank rank = call->rank();
    call = calls_.erase(call);
    OnCalled(rank, *std::move(called), met, missed);
  }
}

void TcpConnector::OnCalled(Rank rank, Called called, OnMet met, OnMissed missed) {
  Of(rank).OnVerdict(called.verdict);
  if (called.verdict == Verdict::kWelcome) {
    first_ = called.position;
    met(rank, std::move(called.fd));
  } else if (called.verdict == Verdict::kCallsItself) {
    awaited_[rank] = std::chrono::steady_clock::now() + kTimeToAwait;
    has_awaited_ = true;
  } else {
    missed(rank, called.why);
  }
}

// A rank that calls itself may not reach this one.
void TcpConnector::EndAwaiting() {
  const Deadline now = std::chrono::steady_clock::now();
  std::vector<Rank> late;
  for (const auto& [rank, until] : awaited_) {
    if (now >= until) late.push_back(rank);
  }
  for (const Rank rank : late) {
    awaited_.erase(rank);
    Of(rank).OnAwaitedInVain();
    Want(rank, now + kTimeToAwait, Deadline::max());
  }
}

void TcpConnector::WakeAt(Deadline time) {
  wakes_at_ = std::min(wakes_at_, time);
  SetTimer();
}

Deadline TcpConnector::due() const {
  Deadline due = std::min(wakes_at_, reception_->due());
  for (const TcpCall& call : calls_) due = std::min(due, call.due());
  for (const auto& [rank, until] : awaited_) due = std::min(due, until);
  return due;
}

void TcpConnector::SetTimer() {
  const Deadline due = this->due();
  if (timer_.get() < 0 || due == timer_at_) return;
  timer_at_ = due;
  itimerspec at = {};
  if (due != Deadline::max()) {
    const auto since = std::max(due.time_since_epoch(), Deadline::duration(1));
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since);
    at.it_value.tv_sec = seconds.count();
    at.it_value.tv_nsec = static_cast<long>(std::chrono::nanoseconds(since - seconds).count());
  }
  (void)timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &at, nullptr);
}

std::string TcpConnector::Lack() const {
  for (const TcpCall& call : calls_) {
    if (call.lack() == 0) continue;
    return absl::StrCat("rank ", ToInt(job_.mine), " cannot call rank ", ToInt(call.rank()),
                        " yet: ", WhyCallFailed("socket", call.lack()));
  }
  return "";
}

}  // namespace llcl
