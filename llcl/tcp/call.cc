#include "llcl/tcp/call.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <list>
#include <optional>
#include <utility>

#include "llcl/launch/introduction.h"
#include "llcl/launch/rendezvous_wire.h"
#include "llcl/tcp/call_plan.h"

namespace llcl {
namespace {

using Clock = std::chrono::steady_clock;

std::string ReasonOf(int error) {
  if (error == ECONNREFUSED) return "refused";
  if (error == ETIMEDOUT) return "timed out";
  return std::strerror(error);
}

class Calls {
 public:
  explicit Calls(const CallOptions& options)
      : options_(options), plan_(options.addresses, options.first) {}

  absl::StatusOr<Called> UntilOneAnswers() {
    while (true) {
      while (const std::optional<std::size_t> position = plan_.Next(NowMs())) Begin(*position);
      if (plan_.IsOver() || Clock::now() >= options_.deadline) {
        return absl::UnavailableError(plan_.Sentence(options_.rank));
      }
      const auto answered = AwaitAnswer();
      if (answered == attempts_.end()) continue;
      absl::StatusOr<Called> called = Prove(answered);
      if (!absl::IsNotFound(called.status())) return called;
    }
  }

 private:
  struct Attempt {
    std::size_t position;
    OwnedFd fd;
    Approach approach;
    bool is_connected = false;
  };
  using Attempts = std::list<Attempt>;
  enum class Progress { kGoesOn, kAnswered, kOver };

  std::int64_t NowMs() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begun_).count();
  }

  void Begin(std::size_t position) {
    const std::optional<HostAndPort> at = ParseAddress(plan_.address(position));
    if (!at) return plan_.Failed(position, "it is no address", NowMs());
    absl::StatusOr<Approach> approach = NewApproach(options_.key, options_.mine, options_.size);
    if (!approach.ok()) {
      return plan_.Failed(position, std::string(approach.status().message()), NowMs());
    }
    Dialing dialing = BeginToDial(*at);
    if (dialing.error != 0) return plan_.Failed(position, ReasonOf(dialing.error), NowMs());
    attempts_.push_back({position, std::move(dialing.fd), *std::move(approach)});
  }

  // The first connection with a proof from the other side; the end: none has so far.
  Attempts::iterator AwaitAnswer() {
    std::vector<pollfd> fds;
    for (const Attempt& attempt : attempts_) {
      const int events = attempt.is_connected ? POLLIN : POLLOUT;
      fds.push_back({attempt.fd.get(), static_cast<short>(events), 0});
    }
    Deadline until = options_.deadline;
    if (const auto next = plan_.NextAtMs()) {
      until = std::min(until, begun_ + std::chrono::milliseconds(*next));
    }
    (void)poll(fds.data(), fds.size(), MillisecondsTo(until));
    std::size_t at = 0;
    for (auto attempt = attempts_.begin(); attempt != attempts_.end(); ++at) {
      const Progress progress = fds[at].revents == 0    ? Progress::kGoesOn
                                : attempt->is_connected ? Hear(*attempt)
                                                        : Greet(*attempt);
      if (progress == Progress::kAnswered) return attempt;
      attempt = progress == Progress::kOver ? attempts_.erase(attempt) : std::next(attempt);
    }
    return attempts_.end();
  }

  Progress Greet(Attempt& attempt) {
    if (const int error = FinishDialing(attempt.fd.get()); error != 0) {
      plan_.Failed(attempt.position, ReasonOf(error), NowMs());
      return Progress::kOver;
    }
    attempt.is_connected = true;
    plan_.Connected(attempt.position);
    // A new connection has room for the bytes; where it has ended already, that is heard.
    (void)SendAll(attempt.fd.get(), attempt.approach.Greeting());
    return Progress::kGoesOn;
  }

  Progress Hear(Attempt& attempt) {
    char bytes[kAnswerBytes];
    const ssize_t got = recv(attempt.fd.get(), bytes, attempt.approach.missing(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return Progress::kGoesOn;
    if (got <= 0) {
      plan_.CallAgain(attempt.position, "it hangs up", NowMs());
      return Progress::kOver;
    }
    attempt.approach.Hear({bytes, static_cast<std::size_t>(got)});
    if (attempt.approach.missing() > 0) return Progress::kGoesOn;
    if (attempt.approach.IsAnsweredByRank0()) return Progress::kAnswered;
    // As another machine of the same address, or this one.
    plan_.Failed(attempt.position, "who listens there does not know this job's secret", NowMs());
    return Progress::kOver;
  }

  // NotFound: the rank has hung up, and all are called again.
  absl::StatusOr<Called> Prove(Attempts::iterator answered) {
    Attempt attempt = std::move(*answered);
    attempts_.erase(answered);
    for (const Attempt& other : attempts_) plan_.CallAgain(other.position, "no answer", NowMs());
    attempts_.clear();
    const auto verdict = Conclude(attempt.fd.get(), attempt.approach, options_.deadline);
    if (!verdict.ok()) {
      plan_.CallAgain(attempt.position, "it hangs up", NowMs());
      return absl::NotFoundError("it has hung up");
    }
    if (*verdict == Verdict::kWelcome) return Called{std::move(attempt.fd), attempt.position};
    plan_.Failed(attempt.position, "it expects another rank", NowMs());
    return absl::NotFoundError("it expects another rank");
  }

  const CallOptions& options_;
  const Clock::time_point begun_ = Clock::now();
  CallPlan plan_;
  Attempts attempts_;
};

}  // namespace

absl::StatusOr<Called> CallRank(const CallOptions& options) {
  return Calls(options).UntilOneAnswers();
}

}  // namespace llcl
