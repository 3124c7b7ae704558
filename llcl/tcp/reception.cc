#include "llcl/tcp/reception.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"
#include "llcl/launch/crowd.h"
#include "llcl/launch/random_name.h"
#include "llcl/tcp/call_plan.h"

namespace llcl {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{5};  // for one to prove itself
constexpr std::chrono::milliseconds kTimeToRest{100};
constexpr int kMostAccepted = 16;  // by a poll

absl::StatusOr<std::string> AddressOf(int listener) {
  sockaddr_storage at = {};
  socklen_t length = sizeof at;
  const std::string host = LocalAddressOf(listener);
  if (host.empty() || getsockname(listener, reinterpret_cast<sockaddr*>(&at), &length) != 0) {
    return absl::UnavailableError("a listening socket has no port");
  }
  // The port is at the same place in both families.
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&at) + 2;
  const int port = bytes[0] << 8 | bytes[1];
  const bool has_colons = host.find(':') != std::string::npos;
  return has_colons ? absl::StrCat("[", host, "]:", port) : absl::StrCat(host, ":", port);
}

}  // namespace

absl::StatusOr<TcpListeners> ListenAt(const std::vector<std::string>& hosts) {
  TcpListeners listeners;
  absl::Status failure = absl::UnavailableError("this machine has no address that is up");
  for (const std::string& host : hosts) {
    absl::StatusOr<OwnedFd> listener = Listen({host, "0"});
    // An address may have gone, or not be usable yet.
    if (!listener.ok()) failure = listener.status();
    if (!listener.ok()) continue;
    absl::StatusOr<std::string> address = AddressOf(listener->get());
    if (!address.ok()) return address.status();
    listeners.fds.push_back(*std::move(listener));
    listeners.addresses.push_back(*std::move(address));
  }
  if (!listeners.fds.empty()) return listeners;
  return absl::UnavailableError(
      absl::StrCat(std::string(failure.message()), ": ", AddressAdvice("this machine")));
}

TcpReception::TcpReception(TcpListeners listeners, const SipKey& key, int size, int epoll)
    : key_(key), size_(size), epoll_(epoll), addresses_(std::move(listeners.addresses)) {
  for (OwnedFd& fd : listeners.fds) listeners_.emplace_back(std::move(fd), epoll, EPOLLIN);
}

absl::Status TcpReception::Poll(Judge judge, Meet meet) {
  if (rests_ && Clock::now() >= rests_until_) EndRest();
  std::vector<pollfd> fds;
  for (const WatchedFd& listener : listeners_) {
    fds.push_back({rests_ ? -1 : listener.get(), POLLIN, 0});
  }
  for (const Visitor& visitor : visitors_) fds.push_back({visitor.fd.get(), POLLIN, 0});
  (void)poll(fds.data(), fds.size(), 0);
  std::size_t at = listeners_.size();
  for (auto visitor = visitors_.begin(); visitor != visitors_.end(); ++at) {
    const bool has_spoken = fds[at].revents != 0;
    const bool was_greeted = visitor->interview.has_greeted();
    bool stays = !has_spoken || Hear(*visitor, judge, meet);
    // This process may have been stopped, and a rank has spoken in time.
    if (stays && !was_greeted && visitor->interview.has_greeted()) {
      visitor->until = Clock::now() + kPatience;
    }
    stays = stays && Clock::now() < visitor->until;
    visitor = stays ? std::next(visitor) : visitors_.erase(visitor);
  }
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    if (fds[i].revents == 0) continue;
    if (absl::Status accepted = AcceptAll(fds[i].fd, judge, meet); !accepted.ok()) {
      Rest();
      return accepted;
    }
  }
  return absl::OkStatus();
}

Deadline TcpReception::due() const {
  Deadline due = rests_ ? rests_until_ : Deadline::max();
  for (const Visitor& visitor : visitors_) due = std::min(due, visitor.until);
  return due;
}

absl::Status TcpReception::AcceptAll(int listener, Judge judge, Meet meet) {
  for (int i = 0; i < kMostAccepted; ++i) {
    absl::StatusOr<Caller> caller = Accept(listener);
    if (absl::IsNotFound(caller.status())) break;
    if (!caller.ok() && visitors_.empty()) return caller.status();
    if (!caller.ok() || visitors_.size() >= most_) MakeRoom(judge, meet);
    if (!caller.ok()) continue;
    absl::StatusOr<std::string> nonce = RandomName(kNonceBytes / 2);
    if (!nonce.ok()) return nonce.status();
    visitors_.push_back({WatchedFd(std::move(caller->fd), epoll_, EPOLLIN),
                         Interview(key_, size_, *std::move(nonce)), Clock::now() + kPatience});
    // A rank's greeting has often come with it.
    Visitor& visitor = visitors_.back();
    if (!visitor.fd.is_watched() || !Hear(visitor, judge, meet)) visitors_.pop_back();
  }
  return absl::OkStatus();
}

// Nobody is sent away unheard: a greeting may have come since the last look.
void TcpReception::MakeRoom(Judge judge, Meet meet) {
  while (true) {
    const auto visitor = FirstToLeave(visitors_);
    const bool was_greeted = visitor->interview.has_greeted();
    const bool stays = Hear(*visitor, judge, meet);
    if (stays && !was_greeted && visitor->interview.has_greeted()) continue;
    visitors_.erase(visitor);
    return;
  }
}

// False: the visitor has become a connection, or is sent away.
bool TcpReception::Hear(Visitor& visitor, Judge judge, Meet meet) {
  char bytes[kGreetingBytes];
  const ssize_t got = recv(visitor.fd.get(), bytes, sizeof bytes, MSG_DONTWAIT);
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  if (got == 0) return false;
  Interview& interview = visitor.interview;
  const std::string answer = interview.Hear({bytes, static_cast<std::size_t>(got)});
  if (!answer.empty() && !SendNow(visitor.fd.get(), answer)) return false;
  if (interview.is_refused()) return false;
  if (!interview.is_proved()) return true;
  const Rank rank{interview.rank()};
  const Verdict verdict = interview.is_of_other_size() ? Verdict::kTaken : judge(rank);
  const char letter = static_cast<char>(verdict);
  // Where it is not sent, the rank has hung up, and its connection says so.
  (void)SendNow(visitor.fd.get(), {&letter, 1});
  if (verdict == Verdict::kWelcome) meet(rank, visitor.fd.Take());
  return false;
}

// The callers wait where the system keeps them, until there may be room.
void TcpReception::Rest() {
  rests_ = true;
  rests_until_ = Clock::now() + kTimeToRest;
  for (WatchedFd& listener : listeners_) listener.Watch(0);
}

void TcpReception::EndRest() {
  rests_ = false;
  for (WatchedFd& listener : listeners_) listener.Watch(EPOLLIN);
}

void TcpReception::Close() {
  visitors_.clear();
  listeners_.clear();
  rests_ = false;
}

}  // namespace llcl
