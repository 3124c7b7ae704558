// The side of all ranks but 0, and Meet, which chooses the side.
#include "llcl/launch/rendezvous.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <thread>
#include <utility>

#include "llcl/launch/authentication.h"
#include "llcl/launch/introduction.h"
#include "llcl/launch/rendezvous_host.h"
#include "llcl/launch/rendezvous_rules.h"
#include "llcl/launch/rendezvous_socket.h"
#include "llcl/launch/rendezvous_wire.h"

namespace llcl {
namespace {

using Clock = std::chrono::steady_clock;

class GuestLaunch final : public Rendezvous {
 public:
  GuestLaunch(OwnedFd fd, Rank rank, int size)
      : fd_(std::move(fd)),
        rank_(rank),
        size_(size),
        reader_(static_cast<std::size_t>(size) * (kMostRendezvousBytes + 8)) {}

  Rank rank() const override { return rank_; }
  int size() const override { return size_; }
  int turned_away() const override { return 0; }
  std::string LocalAddress() const override { return LocalAddressOf(fd_.get()); }

  absl::StatusOr<std::vector<std::string>> Allgather(std::string_view mine) override {
    if (mine.size() > kMostRendezvousBytes) return TooLongError(mine.size());
    if (!over_.ok()) return over_;
    // Where it cannot be sent, a frame that has come has the reason.
    (void)SendAll(fd_.get(), FormatFrame(FrameKind::kMine, mine));
    const std::optional<Frame> frame = Receive();
    if (frame && frame->kind == FrameKind::kAll) {
      std::optional<std::vector<std::string>> all = ParseAll(frame->bytes, size_);
      if (all) return *std::move(all);
    }
    over_ = WhyNot(frame);
    return over_;
  }

  void Abort(int exit_code, std::string_view why) override {
    (void)SendAll(fd_.get(), FormatFrame(FrameKind::kEnd, EndSentence(rank_, exit_code, why)));
    _exit(exit_code);
  }

 private:
  std::optional<Frame> Receive() {
    while (!reader_.is_bad()) {
      if (std::optional<Frame> frame = reader_.Next()) return frame;
      char bytes[65536];
      const ssize_t got = recv(fd_.get(), bytes, sizeof bytes, 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return std::nullopt;
      reader_.Append({bytes, static_cast<std::size_t>(got)});
    }
    return std::nullopt;
  }

  static absl::Status WhyNot(const std::optional<Frame>& frame) {
    if (frame && frame->kind == FrameKind::kLost) return GoneError(std::atoi(frame->bytes.c_str()));
    if (frame && frame->kind == FrameKind::kEnd) return absl::AbortedError(frame->bytes);
    return GoneError(0);
  }

  const OwnedFd fd_;
  const Rank rank_;
  const int size_;
  FrameReader reader_;
  absl::Status over_;
};

// One call at rank 0. Unavailable: to be tried again.
absl::StatusOr<OwnedFd> Call(const RendezvousOptions& options, const HostAndPort& address,
                             const SipKey& key, Deadline deadline) {
  absl::StatusOr<OwnedFd> fd = Dial(address, deadline);
  if (!fd.ok()) return fd.status();
  const absl::StatusOr<Verdict> verdict =
      Introduce(fd->get(), options.address, key, options.rank, options.size, deadline);
  if (!verdict.ok()) return verdict.status();
  switch (*verdict) {
    case Verdict::kWelcome:
      return fd;
    case Verdict::kTaken:
      return absl::AlreadyExistsError("another process is rank " +
                                      std::to_string(ToInt(options.rank)) + " of this job");
    case Verdict::kOtherSize:
      return absl::InvalidArgumentError("rank 0's job is not one of " +
                                        std::to_string(options.size) + " ranks");
    case Verdict::kCallsItself:
      break;  // Not in a rendezvous.
  }
  return absl::UnavailableError("rank 0 says what is not understood");
}

// Behind the reason for which rank 0 was not reached.
const char* AdviceFor(const absl::Status& refused) {
  const bool has_no_name = refused.message().find("cannot find ") == 0;
  return has_no_name
             ? "; every machine of the job must know this name, as by DNS or /etc/hosts"
             : "; rank 0 has not begun, or its job is running or over and takes no rank any "
               "more";
}

absl::StatusOr<std::unique_ptr<Rendezvous>> Visit(const RendezvousOptions& options,
                                                  const HostAndPort& address, const SipKey& key) {
  const Deadline began = Clock::now(), deadline = began + options.deadline;
  while (true) {
    absl::StatusOr<OwnedFd> fd = Call(options, address, key, deadline);
    if (fd.ok()) {
      return std::make_unique<GuestLaunch>(*std::move(fd), options.rank, options.size);
    }
    if (!absl::IsUnavailable(fd.status())) return fd.status();
    if (Clock::now() >= deadline) {
      return absl::UnavailableError("rank " + std::to_string(ToInt(options.rank)) +
                                    " did not get to rank 0 at " + options.address + " within " +
                                    Bound(options) + ": " + std::string(fd.status().message()) +
                                    AdviceFor(fd.status()));
    }
    // Rank 0 may not have been started yet, nor its name be known.
    const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began);
    std::this_thread::sleep_until(
        std::min(deadline, Clock::now() + std::chrono::milliseconds(PauseMs(waited.count()))));
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<Rendezvous>> Meet(const RendezvousOptions& options) {
  const std::optional<HostAndPort> address = ParseAddress(options.address);
  if (!address) {
    return absl::InvalidArgumentError("address is '" + options.address +
                                      "': it is no address as host:port or [host]:port");
  }
  const std::optional<SipKey> key = ParseSecret(options.secret);
  if (!key) {
    return absl::InvalidArgumentError(
        "the secret is not 32 hexadecimal digits (LLCL_SECRET, as by openssl rand -hex 16)");
  }
  constexpr int kMostRanks = 1 << 20;
  constexpr std::chrono::milliseconds kMostTime = std::chrono::hours(24 * 365);
  if (options.size < 1 || options.size > kMostRanks) {
    return absl::InvalidArgumentError("size is " + std::to_string(options.size) + ": it is 1 to " +
                                      std::to_string(kMostRanks));
  }
  for (const auto& [name, time] :
       {std::pair("deadline", options.deadline), std::pair("patience", options.patience)}) {
    if (time >= std::chrono::milliseconds(0) && time <= kMostTime) continue;
    return absl::InvalidArgumentError(std::string(name) + " is " + std::to_string(time.count()) +
                                      " ms: it is 0 to " + std::to_string(kMostTime.count()));
  }
  const int rank = ToInt(options.rank);
  if (rank < 0 || rank >= options.size) {
    return absl::InvalidArgumentError("there is no rank " + std::to_string(rank) + " of " +
                                      std::to_string(options.size));
  }
  return rank == 0 ? Host(options, *address, *key) : Visit(options, *address, *key);
}

}  // namespace llcl
