// The rules of a job started by hand (launch/rendezvous.h): the environment of a rank, the pauses
// between calls to rank 0, and the case in which rank 0 listens at all addresses of its machine.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace llcl {

// The environment of a rank. A value.
struct ByHand {
  absl::Status error = {};  // why the rest says nothing
  std::string address = {};
  std::string secret = {};
  int rank = 0;
  int size = 1;
  int timeout_s = 30;
};

// `environment`: as getenv, nullptr where a variable is not set. Reads LLCL_RENDEZVOUS, LLCL_RANK,
// LLCL_SIZE, LLCL_SECRET and LLCL_RENDEZVOUS_TIMEOUT; a variable that is empty is not set. Without
// LLCL_RANK the rank is JOB_COMPLETION_INDEX, which Kubernetes gives each pod of an Indexed Job.
// Errors: Unavailable where one is missing, InvalidArgument where the bound is none.
ByHand ReadByHand(const std::function<const char*(const char*)>& environment);

// The pause before the next call of rank 0, after calls in vain for `waited_ms`: ranks started
// minutes apart do not ask a name server twenty times a second.
constexpr std::int64_t PauseMs(std::int64_t waited_ms) {
  constexpr std::int64_t kLeast = 50, kMost = 1000;
  const std::int64_t pause = waited_ms / 10;
  return pause < kLeast ? kLeast : pause > kMost ? kMost : pause;
}

// Why rank 0 may not listen at the address of the job.
enum class CannotListen {
  kNotFound,  // no name server knows the name, perhaps not yet
  kNotOurs,   // the address is of no interface of this machine: a virtual one, or another machine's
  kOnlyHere,  // the name leads to the loopback alone, as Debian's /etc/hosts has a machine's own
              // name
  kOtherwise,  // the port is taken, or the system refuses it
};

// Does rank 0 listen at all addresses instead? Only where a name leads to no address of this
// machine by which another machine can call: otherwise rank 0 would be open to hosts outside the
// job's network. An address in digits that no interface has is a mistake, as where rank 0 is
// started on another machine.
constexpr bool ListensEverywhere(bool is_name, CannotListen why) {
  return is_name && why != CannotListen::kOtherwise;
}

// The names that stand for the loopback on every machine.
bool IsLoopbackName(std::string_view host);

}  // namespace llcl
