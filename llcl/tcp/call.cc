#include "llcl/tcp/call.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <utility>

#include "llcl/launch/introduction.h"
#include "llcl/launch/rendezvous_wire.h"

namespace llcl {
namespace {

using Clock = std::chrono::steady_clock;

std::string ReasonOf(int error) {
  if (error == ECONNREFUSED) return "refused";
  if (error == ETIMEDOUT) return "timed out";
  return std::strerror(error);
}

// Does this process lack something, whoever is called?
bool IsLack(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM ||
         error == EADDRNOTAVAIL || error == EAGAIN;
}

// May the network do better soon?
bool MayPass(int error) {
  return error == ENETUNREACH || error == EHOSTUNREACH || error == ENETDOWN || error == ETIMEDOUT;
}

}  // namespace

TcpCall::TcpCall(CallOptions options, int epoll)
    : options_(std::move(options)),
      epoll_(epoll),
      to_connect_(options_.to_connect),
      to_answer_(options_.to_answer),
      plan_(options_.addresses, options_.first) {}

std::int64_t TcpCall::NowMs() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begun_).count();
}

void TcpCall::AddTo(std::vector<pollfd>& fds) const {
  for (const Attempt& attempt : attempts_) {
    const int events = attempt.step == Step::kDials ? POLLOUT : POLLIN;
    fds.push_back({attempt.fd.get(), static_cast<short>(events), 0});
  }
}

std::optional<Called> TcpCall::Poll(std::span<const pollfd> fds) {
  std::size_t at = 0;
  for (auto attempt = attempts_.begin(); attempt != attempts_.end(); ++at) {
    if (fds[at].revents == 0) {
      ++attempt;
      continue;
    }
    // The others are gone.
    if (attempt->step == Step::kProved) {
      if (auto called = HearVerdict(attempt)) return called;
      break;
    }
    const Progress progress = attempt->step == Step::kDials ? Greet(*attempt) : Hear(*attempt);
    if (progress == Progress::kAnswered) {
      Prove(attempt);
      break;
    }
    attempt = progress == Progress::kOver ? attempts_.erase(attempt) : std::next(attempt);
  }
  // No address is called beside one that has answered.
  while (!has_proved()) {
    const std::optional<std::size_t> position = plan_.Next(NowMs());
    if (!position) break;
    Begin(*position);
  }
  const Deadline now = Clock::now();
  const bool is_late = now >= to_answer_ || (now >= to_connect_ && !HasTakers() && lack_ == 0);
  if (plan_.IsOver() || is_late) return Called{.why = plan_.Sentence(ToInt(options_.rank))};
  return std::nullopt;
}

Deadline TcpCall::due() const {
  Deadline due = std::min(to_connect_, to_answer_);
  if (HasTakers() || lack_ != 0) due = to_answer_;
  const std::optional<std::int64_t> next = plan_.NextAtMs();
  if (next && !has_proved()) due = std::min(due, begun_ + std::chrono::milliseconds(*next));
  return due;
}

bool TcpCall::HasTakers() const {
  return std::any_of(attempts_.begin(), attempts_.end(),
                     [](const Attempt& attempt) { return attempt.step != Step::kDials; });
}

void TcpCall::OnFailed(std::size_t position, int error) {
  // At the start it is better said soon.
  const bool is_start = options_.to_answer != Deadline::max();
  const bool goes_on = IsLack(error) || (MayPass(error) && !is_start);
  if (!goes_on) return plan_.Failed(position, ReasonOf(error), NowMs());
  if (IsLack(error)) lack_ = error;
  plan_.CallAgain(position, ReasonOf(error), NowMs());
}

void TcpCall::OnHungUp(std::size_t position) {
  // It was there until now, though its process may have been stopped for long.
  if (options_.to_connect != Deadline::max()) {
    to_connect_ = Clock::now() + (options_.to_connect - begun_);
  }
  plan_.CallAgain(position, "it hangs up", NowMs());
}

void TcpCall::Begin(std::size_t position) {
  const std::optional<HostAndPort> at = ParseAddress(plan_.address(position));
  if (!at) return plan_.Failed(position, "it is no address", NowMs());
  absl::StatusOr<Approach> approach = NewApproach(options_.key, options_.mine, options_.size);
  if (!approach.ok()) {
    return plan_.Failed(position, std::string(approach.status().message()), NowMs());
  }
  Dialing dialing = BeginToDial(*at);
  if (dialing.error != 0) return OnFailed(position, dialing.error);
  if (lack_ != 0 && options_.to_connect != Deadline::max()) {
    to_connect_ = Clock::now() + (options_.to_connect - begun_);
  }
  lack_ = 0;
  Attempt attempt = {position, WatchedFd(std::move(dialing.fd), epoll_, EPOLLOUT),
                     *std::move(approach)};
  if (!attempt.fd.is_watched()) return OnFailed(position, ENOMEM);
  attempts_.push_back(std::move(attempt));
}

TcpCall::Progress TcpCall::Greet(Attempt& attempt) {
  if (const int error = FinishDialing(attempt.fd.get()); error != 0) {
    OnFailed(attempt.position, error);
    return Progress::kOver;
  }
  attempt.step = Step::kGreeted;
  attempt.fd.Watch(EPOLLIN);
  plan_.Connected(attempt.position);
  // A new connection has room for the bytes; where it has ended already, that is heard.
  (void)SendNow(attempt.fd.get(), attempt.approach.Greeting());
  return Progress::kGoesOn;
}

TcpCall::Progress TcpCall::Hear(Attempt& attempt) {
  char bytes[kAnswerBytes];
  const ssize_t got = recv(attempt.fd.get(), bytes, attempt.approach.missing(), MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return Progress::kGoesOn;
  if (got <= 0) {
    OnHungUp(attempt.position);
    return Progress::kOver;
  }
  attempt.approach.Hear({bytes, static_cast<std::size_t>(got)});
  if (attempt.approach.missing() > 0) return Progress::kGoesOn;
  if (attempt.approach.IsAnsweredByRank0()) return Progress::kAnswered;
  // As another machine of the same address, or this one.
  plan_.Failed(attempt.position, "who listens there does not know this job's secret", NowMs());
  return Progress::kOver;
}

void TcpCall::Prove(Attempts::iterator answered) {
  for (auto attempt = attempts_.begin(); attempt != attempts_.end();) {
    if (attempt != answered) plan_.CallAgain(attempt->position, "no answer", NowMs());
    attempt = attempt == answered ? std::next(attempt) : attempts_.erase(attempt);
  }
  answered->step = Step::kProved;
  (void)SendNow(answered->fd.get(), answered->approach.Proof());
}

std::optional<Called> TcpCall::HearVerdict(Attempts::iterator proved) {
  char letter = 0;
  const ssize_t got = recv(proved->fd.get(), &letter, 1, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return std::nullopt;
  Attempt attempt = std::move(*proved);
  attempts_.erase(proved);
  if (got <= 0) {
    OnHungUp(attempt.position);
    return std::nullopt;
  }
  const auto verdict = static_cast<Verdict>(letter);
  if (verdict == Verdict::kWelcome) {
    return Called{.verdict = verdict, .fd = attempt.fd.Take(), .position = attempt.position};
  }
  if (verdict == Verdict::kCallsItself) return Called{.verdict = verdict};
  plan_.Failed(attempt.position, "it does not expect this rank", NowMs());
  return Called{.verdict = Verdict::kTaken, .why = plan_.Sentence(ToInt(options_.rank))};
}

}  // namespace llcl
