// Has the machine of another rank vanished, or does only its process not read?
//
// The kernel of a stopped process goes on to acknowledge what comes and to say that there is no
// room. So segments count that nobody answered, and not time alone: TCP_USER_TIMEOUT counts time
// without room, too, and would end the connection of a process that a debugger holds.
//
// While nothing is on its way the kernel asks by itself (keepalive), and ends the connection about
// as soon. Where a process was stopped for long, its kernel is asked for room each two minutes at
// last, and if its machine vanishes then, that is noticed some minutes later.
#pragma once

#include <cstdint>

namespace llcl {

// Of a connection. A value.
struct TcpSilence {
  std::uint32_t unanswered =
      0;                 // segments that were sent again, or asked for room, since an answer
  std::uint32_t ms = 0;  // since an answer
};

inline constexpr std::uint32_t kVanishedAfterMs = 10'000;

// By then five or six segments in a row got no answer, where segments take milliseconds.
constexpr bool HasVanished(const TcpSilence& silence) {
  return silence.unanswered >= 4 && silence.ms >= kVanishedAfterMs;
}

// None where `socket` is not TCP's.
TcpSilence SilenceOf(int socket);

// From here on HasVanished decides while something is on its way, and keepalive else.
void LetSilenceDecide(int socket);

}  // namespace llcl
