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

absl::StatusOr<Approach> NewApproach(const SipKey& key, Rank mine, int size) {
  absl::StatusOr<std::string> nonce = RandomName(kNonceBytes / 2);
  if (!nonce.ok()) return nonce.status();
  return Approach(key, {ToInt(mine), size, *std::move(nonce)});
}

absl::StatusOr<Verdict> Introduce(int fd, const std::string& address, const SipKey& key, Rank mine,
                                  int size, Deadline deadline) {
  absl::StatusOr<Approach> approach = NewApproach(key, mine, size);
  if (!approach.ok()) return approach.status();
  (void)SendAll(fd, approach->Greeting());
  const absl::StatusOr<std::string> answer = ReceiveExactly(fd, approach->missing(), deadline);
  if (!answer.ok()) return answer.status();
  approach->Hear(*answer);
  if (!approach->IsAnsweredByRank0()) {
    return absl::PermissionDeniedError(
        absl::StrCat("who listens at ", address, " does not know this job's secret"));
  }
  (void)SendAll(fd, approach->Proof());
  const absl::StatusOr<std::string> verdict = ReceiveExactly(fd, 1, deadline);
  if (!verdict.ok()) return verdict.status();
  return static_cast<Verdict>(verdict->front());
}

}  // namespace llcl
