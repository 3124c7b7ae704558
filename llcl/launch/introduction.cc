#include "llcl/launch/introduction.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "llcl/launch/random_name.h"

namespace llcl {
namespace {

absl::StatusOr<std::string> ReceiveExactly(int fd, std::size_t count, Deadline deadline) {
  std::string bytes(count, '\0');
  for (std::size_t got = 0; got < count;) {
    pollfd ready = {fd, POLLIN, 0};
    (void)poll(&ready, 1, MillisecondsTo(deadline));
    const ssize_t more = recv(fd, bytes.data() + got, count - got, MSG_DONTWAIT);
    const bool may_come = more < 0 && (errno == EINTR || errno == EAGAIN);
    if (may_come && MillisecondsTo(deadline) > 0) continue;
    if (more <= 0) return absl::UnavailableError("who listens there does not answer");
    got += static_cast<std::size_t>(more);
  }
  return bytes;
}

}  // namespace

absl::StatusOr<Verdict> Introduce(int fd, const std::string& address, const SipKey& key, Rank mine,
                                  int size, Deadline deadline) {
  absl::StatusOr<std::string> nonce = RandomName(kNonceBytes / 2);
  if (!nonce.ok()) return nonce.status();
  const Hello hello = {ToInt(mine), size, *std::move(nonce)};
  (void)SendAll(fd, FormatGreeting(key, hello));
  const absl::StatusOr<std::string> answer = ReceiveExactly(fd, kAnswerBytes, deadline);
  if (!answer.ok()) return answer.status();
  const std::string nonce_there = answer->substr(0, kNonceBytes);
  if (!EqualInConstantTime(answer->substr(kNonceBytes), ProofOfRank0(key, hello, nonce_there))) {
    return absl::PermissionDeniedError(
        absl::StrCat("who listens at ", address, " does not know this job's secret"));
  }
  (void)SendAll(fd, ProofToRank0(key, hello, nonce_there));
  const absl::StatusOr<std::string> verdict = ReceiveExactly(fd, 1, deadline);
  if (!verdict.ok()) return verdict.status();
  return static_cast<Verdict>(verdict->front());
}

}  // namespace llcl
