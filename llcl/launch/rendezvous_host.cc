#include "llcl/launch/rendezvous_host.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <list>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "llcl/launch/addresses.h"
#include "llcl/launch/crowd.h"
#include "llcl/launch/random_name.h"
#include "llcl/launch/refusals.h"
#include "llcl/launch/rendezvous_socket.h"
#include "llcl/process_limits.h"

namespace llcl {
namespace {

using Clock = std::chrono::steady_clock;

// A caller that has not proved yet that it knows the secret.
struct Visitor {
  Caller caller;
  Interview interview;
  Deadline until;
};

// The bytes that can be received without waiting, perhaps none; nullopt where the
// other side is gone.
std::optional<std::string> ReceiveNow(int fd) {
  char bytes[65536];
  const ssize_t got = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
  if (got > 0) return std::string(bytes, static_cast<std::size_t>(got));
  if (got < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) return "";
  return std::nullopt;
}

class HostLaunch final : public Rendezvous {
 public:
  HostLaunch(const RendezvousOptions& options, const SipKey& key)
      : options_(options), key_(key), guests_(static_cast<std::size_t>(options.size)) {}

  absl::Status Gather(const HostAndPort& address);

  Rank rank() const override { return Rank{0}; }
  int size() const override { return options_.size; }
  int turned_away() const override { return static_cast<int>(refusals_.count()); }
  std::string LocalAddress() const override;
  absl::StatusOr<std::vector<std::string>> Allgather(std::string_view mine) override;
  void Abort(int exit_code, std::string_view why) override {
    TellAll(FrameKind::kEnd, EndSentence(Rank{0}, exit_code, why));
    _exit(exit_code);
  }

 private:
  struct Guest {
    OwnedFd fd;
    FrameReader reader{kMostRendezvousBytes};
    std::optional<std::string> said;  // in this round
  };

  absl::Status AcceptAll(int listener);
  absl::Status Await(const HostAndPort& address);
  void HearVisitors(const std::vector<pollfd>& polled);
  bool HearVisitor(Visitor& visitor);
  void MakeRoom();
  void Seat(Visitor& visitor);
  void TurnAway(const Visitor& visitor, const std::string& why);
  static void Print(const std::optional<std::string>& line);
  absl::Status Missing();
  absl::Status Hear(int rank);
  absl::Status Answer(std::string_view bytes);
  absl::Status Lose(int rank);
  void TellAll(FrameKind kind, std::string_view bytes);

  Guest& At(int rank) { return guests_[static_cast<std::size_t>(rank)]; }
  // Ranks that are there, and whose fate is `polled` from that place on.
  std::optional<int> FirstGone(const std::vector<pollfd>& polled, std::size_t from) const;

  const RendezvousOptions options_;
  const SipKey key_;
  std::vector<Guest> guests_;  // by rank; the first, us, is never there
  int here_ = 1;
  std::list<Visitor> visitors_;  // the oldest first
  Refusals refusals_;
  std::string listens_everywhere_;  // why; empty: it does not
  absl::Status over_;               // why nothing can be exchanged any more
};

absl::Status HostLaunch::Gather(const HostAndPort& address) {
  if (options_.size == 1) return absl::OkStatus();
  absl::Status all_here = Await(address);
  Print(refusals_.Rest());
  return all_here;
}

absl::Status HostLaunch::Await(const HostAndPort& address) {
  // poll() refuses more than that, too.
  if (absl::Status room =
          CheckDescriptors(absl::StrCat("the meeting of ", options_.size, " ranks at rank 0"),
                           static_cast<std::uint64_t>(options_.size) + 1);
      !room.ok()) {
    return room;
  }
  // First: a name server may take long to say that it does not know the name.
  const Deadline deadline = Clock::now() + options_.deadline;
  const absl::StatusOr<OwnedFd> listener = ListenForRanks(address, listens_everywhere_);
  if (!listener.ok()) return listener.status();
  while (here_ < options_.size) {
    if (Clock::now() >= deadline) return Missing();
    std::vector<pollfd> polled = {{listener->get(), POLLIN, 0}};
    Deadline next = deadline;
    for (const Visitor& visitor : visitors_) {
      polled.push_back({visitor.caller.fd.get(), POLLIN, 0});
      next = std::min(next, visitor.until);
    }
    const std::size_t first_guest = polled.size();
    for (const Guest& guest : guests_) polled.push_back({guest.fd.get(), POLLRDHUP, 0});
    if (poll(polled.data(), polled.size(), MillisecondsTo(next)) < 0 && errno != EINTR) {
      return absl::ResourceExhaustedError(WhyCallFailed("poll", errno));
    }
    if (const auto gone = FirstGone(polled, first_guest)) return Lose(*gone);
    HearVisitors(polled);
    if (polled[0].revents == 0) continue;
    if (absl::Status accepted = AcceptAll(listener->get()); !accepted.ok()) return accepted;
  }
  visitors_.clear();
  return absl::OkStatus();
}

// A guest of this machine may have come by the loopback, which no other machine reaches.
std::string HostLaunch::LocalAddress() const {
  std::string found;
  for (const Guest& guest : guests_) {
    if (guest.fd.get() < 0) continue;
    found = LocalAddressOf(guest.fd.get());
    if (!found.empty() && !IsLoopback(found)) break;
  }
  return found;
}

absl::Status HostLaunch::AcceptAll(int listener) {
  // Of silent ones so many are heard at a time.
  const std::size_t most = guests_.size() + 256;
  for (std::size_t i = 0; i < most; ++i) {
    absl::StatusOr<Caller> caller = Accept(listener);
    if (absl::IsNotFound(caller.status())) break;
    if (!caller.ok() && visitors_.empty()) return caller.status();
    if (!caller.ok() || visitors_.size() >= most) MakeRoom();
    if (!caller.ok()) continue;
    absl::StatusOr<std::string> nonce = RandomName(kNonceBytes / 2);
    if (!nonce.ok()) return nonce.status();
    visitors_.push_back({*std::move(caller), Interview(key_, options_.size, *std::move(nonce)),
                         Clock::now() + options_.patience});
    // A rank's greeting has often come with it.
    if (!HearVisitor(visitors_.back())) visitors_.pop_back();
  }
  return absl::OkStatus();
}

// Nobody is turned away unheard: a greeting may have come since the last look.
void HostLaunch::MakeRoom() {
  while (true) {
    const auto visitor = FirstToLeave(visitors_);
    const bool was_greeted = visitor->interview.has_greeted();
    const bool stays = HearVisitor(*visitor);
    if (stays && !was_greeted && visitor->interview.has_greeted()) continue;
    if (stays) TurnAway(*visitor, "too many are here who prove nothing");
    visitors_.erase(visitor);
    return;
  }
}

void HostLaunch::HearVisitors(const std::vector<pollfd>& polled) {
  std::size_t place = 1;
  for (auto visitor = visitors_.begin(); visitor != visitors_.end(); ++place) {
    bool stays = polled[place].revents == 0 || HearVisitor(*visitor);
    if (stays && Clock::now() >= visitor->until) {
      TurnAway(*visitor, "it proves nothing for too long");
      stays = false;
    }
    visitor = stays ? std::next(visitor) : visitors_.erase(visitor);
  }
}

// Without waiting; false where it has become a guest, or is turned away.
bool HostLaunch::HearVisitor(Visitor& visitor) {
  Interview& interview = visitor.interview;
  const int fd = visitor.caller.fd.get();
  const std::optional<std::string> said = ReceiveNow(fd);
  if (!said) {
    TurnAway(visitor, "it hung up before it proved that it knows the secret");
    return false;
  }
  const std::string reply = interview.Hear(*said);
  const bool is_sent = reply.empty() || SendNow(fd, reply);
  if (interview.is_refused()) {
    TurnAway(visitor, interview.why());
  } else if (!is_sent) {
    TurnAway(visitor, "it does not listen");
  } else if (interview.is_proved()) {
    Seat(visitor);
  } else {
    return true;
  }
  return false;
}

void HostLaunch::Seat(Visitor& visitor) {
  const Interview& interview = visitor.interview;
  const auto answer = [&](Verdict verdict) {
    const char letter = static_cast<char>(verdict);
    return SendNow(visitor.caller.fd.get(), {&letter, 1});
  };
  if (interview.is_of_other_size()) {
    (void)answer(Verdict::kOtherSize);
    TurnAway(visitor, "it is of a job of " + std::to_string(interview.size()) + " ranks, not " +
                          std::to_string(options_.size));
  } else if (interview.rank() == 0 || At(interview.rank()).fd.get() >= 0) {
    (void)answer(Verdict::kTaken);
    TurnAway(visitor, "rank " + std::to_string(interview.rank()) + " is here already");
  } else if (!answer(Verdict::kWelcome)) {
    TurnAway(visitor, "it does not listen");
  } else {
    At(interview.rank()).fd = std::move(visitor.caller.fd);
    ++here_;
  }
}

void HostLaunch::TurnAway(const Visitor& visitor, const std::string& why) {
  const auto now =
      std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now().time_since_epoch());
  Print(refusals_.Add(visitor.caller.from, why, now.count()));
}

void HostLaunch::Print(const std::optional<std::string>& line) {
  if (line) std::fprintf(stderr, "llcl: rank 0 %s\n", line->c_str());
}

absl::Status HostLaunch::Missing() {
  std::string missing;
  int first = 0;
  for (int rank = options_.size - 1; rank > 0; --rank) {
    if (At(rank).fd.get() >= 0) continue;
    missing = " " + std::to_string(rank) + missing;
    first = rank;
  }
  TellAll(FrameKind::kLost, std::to_string(first));
  std::string everywhere;
  if (!listens_everywhere_.empty()) {
    everywhere = "; it listened at all addresses of its machine: " + listens_everywhere_;
  }
  return absl::UnavailableError("not all ranks came to " + options_.address + " within " +
                                Bound(options_) + "; missing:" + missing + "; turned away: " +
                                std::to_string(refusals_.count()) + " connections" + everywhere);
}

absl::StatusOr<std::vector<std::string>> HostLaunch::Allgather(std::string_view mine) {
  if (mine.size() > kMostRendezvousBytes) return TooLongError(mine.size());
  std::vector<pollfd> polled(guests_.size());
  for (int silent = options_.size - 1; over_.ok() && silent > 0;) {
    for (std::size_t i = 0; i < guests_.size(); ++i) {
      const int events = guests_[i].said ? POLLRDHUP : POLLIN;
      polled[i] = {guests_[i].fd.get(), static_cast<short>(events), 0};
    }
    if (poll(polled.data(), polled.size(), -1) < 0) continue;
    for (int rank = 1; over_.ok() && rank < options_.size; ++rank) {
      if (polled[static_cast<std::size_t>(rank)].revents == 0) continue;
      if (At(rank).said) {
        over_ = Lose(rank);
      } else {
        over_ = Hear(rank);
        silent -= At(rank).said ? 1 : 0;
      }
    }
  }
  if (!over_.ok()) return over_;
  std::vector<std::string> all = {std::string(mine)};
  for (int rank = 1; rank < options_.size; ++rank) {
    all.push_back(*std::move(At(rank).said));
    At(rank).said.reset();
  }
  over_ = Answer(FormatFrame(FrameKind::kAll, FormatAll(all)));
  if (!over_.ok()) return over_;
  return all;
}

absl::Status HostLaunch::Hear(int rank) {
  Guest& guest = At(rank);
  const std::optional<std::string> bytes = ReceiveNow(guest.fd.get());
  if (!bytes) return Lose(rank);
  guest.reader.Append(*bytes);
  std::optional<Frame> frame = guest.reader.Next();
  if (guest.reader.is_bad()) return Lose(rank);
  if (!frame) return absl::OkStatus();
  if (frame->kind == FrameKind::kMine) {
    guest.said = std::move(frame->bytes);
    return absl::OkStatus();
  }
  if (frame->kind != FrameKind::kEnd) return Lose(rank);
  TellAll(FrameKind::kEnd, frame->bytes);
  return absl::AbortedError(frame->bytes);
}

// A rank that has died meanwhile does not keep the answer from the others.
absl::Status HostLaunch::Answer(std::string_view bytes) {
  int lost = 0;
  for (int rank = 1; rank < options_.size; ++rank) {
    if (!SendAll(At(rank).fd.get(), bytes)) lost = rank;
  }
  return lost == 0 ? absl::OkStatus() : Lose(lost);
}

absl::Status HostLaunch::Lose(int rank) {
  At(rank).fd = OwnedFd();
  TellAll(FrameKind::kLost, std::to_string(rank));
  return GoneError(rank);
}

void HostLaunch::TellAll(FrameKind kind, std::string_view bytes) {
  const std::string frame = FormatFrame(kind, bytes);
  for (const Guest& guest : guests_) {
    if (guest.fd.get() >= 0) (void)SendNow(guest.fd.get(), frame);
  }
}

std::optional<int> HostLaunch::FirstGone(const std::vector<pollfd>& polled,
                                         std::size_t from) const {
  for (std::size_t rank = 1; rank < guests_.size(); ++rank) {
    if (polled[from + rank].revents != 0) return static_cast<int>(rank);
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Rendezvous>> Host(const RendezvousOptions& options,
                                                 const HostAndPort& address, const SipKey& key) {
  auto launch = std::make_unique<HostLaunch>(options, key);
  if (const absl::Status gathered = launch->Gather(address); !gathered.ok()) return gathered;
  return launch;
}

std::string Bound(const RendezvousOptions& options) {
  const std::string ms = std::to_string(options.deadline.count() % 1000);
  const std::string fraction =
      options.deadline.count() % 1000 == 0 ? "" : "." + std::string(3 - ms.size(), '0') + ms;
  return std::to_string(options.deadline.count() / 1000) + fraction +
         " s (LLCL_RENDEZVOUS_TIMEOUT)";
}

absl::Status GoneError(int rank) {
  return absl::UnavailableError("rank " + std::to_string(rank) + " is gone");
}

absl::Status TooLongError(std::size_t bytes) {
  return absl::InvalidArgumentError("a rendezvous exchanges at most " +
                                    std::to_string(kMostRendezvousBytes) +
                                    " bytes of each rank, not " + std::to_string(bytes));
}

std::string EndSentence(Rank who, int exit_code, std::string_view why) {
  return "rank " + std::to_string(ToInt(who)) + " aborts the job (exit code " +
         std::to_string(exit_code) + "): " + std::string(why.substr(0, 1024));
}

}  // namespace llcl
