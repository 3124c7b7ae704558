#include "llcl/launch/rendezvous_rules.h"

#include <charconv>
#include <string_view>

namespace llcl {
namespace {

using Environment = std::function<const char*(const char*)>;

std::string TextOf(const Environment& environment, const char* variable) {
  const char* const text = environment(variable);
  return text == nullptr ? "" : text;
}

bool Parse(std::string_view digits, int& number) {
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), number);
  return error == std::errc() && end == digits.end() && number >= 0;
}

absl::Status WrongTimeout(const std::string& text) {
  return absl::InvalidArgumentError("LLCL_RENDEZVOUS_TIMEOUT is " + text +
                                    ": it is a number of seconds from 1 to 86400");
}

}  // namespace

ByHand ReadByHand(const Environment& environment) {
  constexpr int kMostSeconds = 86400;
  ByHand found;
  found.address = TextOf(environment, "LLCL_RENDEZVOUS");
  found.secret = TextOf(environment, "LLCL_SECRET");
  std::string rank = TextOf(environment, "LLCL_RANK");
  if (rank.empty()) rank = TextOf(environment, "JOB_COMPLETION_INDEX");
  const std::string timeout = TextOf(environment, "LLCL_RENDEZVOUS_TIMEOUT");
  if (!Parse(rank, found.rank) || !Parse(TextOf(environment, "LLCL_SIZE"), found.size)) {
    found.error = absl::UnavailableError(
        "LLCL_RENDEZVOUS is set, but LLCL_RANK and LLCL_SIZE do not say which rank of how many "
        "this is");
  } else if (found.secret.empty()) {
    found.error = absl::UnavailableError(
        "LLCL_RENDEZVOUS is set, but LLCL_SECRET is missing: the job's secret, 32 hexadecimal "
        "digits, the same for all ranks");
  } else if (!timeout.empty() && (!Parse(timeout, found.timeout_s) || found.timeout_s < 1 ||
                                  found.timeout_s > kMostSeconds)) {
    found.error = WrongTimeout(timeout);
  }
  return found;
}

bool IsLoopbackName(std::string_view host) {
  for (const std::string_view name : {"localhost", "ip6-localhost", "ip6-loopback"}) {
    if (host == name) return true;
  }
  // localhost.localdomain, and RFC 6761's names.
  return host.starts_with("localhost.") || host.ends_with(".localhost");
}

}  // namespace llcl
