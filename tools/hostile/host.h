// A host that refuses: system calls as a container's filter does, and limits as a shell's ulimit.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hostile {

// A value. Empty: this host, unchanged.
struct Host {
  struct RefusedCall {
    int number = 0;
    int error = 0;
  };
  struct Limit {
    int resource = 0;
    unsigned long most = 0;
  };
  std::vector<RefusedCall> calls;
  std::vector<Limit> limits;
};

// From words as "membarrier:EPERM", "nofile=16", "fsize=10000000", "as=500000000", "nproc=1", or
// the one word "any". None: a word is not understood, and `fault` is set to it.
std::optional<Host> HostOf(std::string_view text, std::string& fault);

// From now on this process and all child processes live on the host. False, with errno: the system
// refuses.
bool MoveTo(const Host& host);

}  // namespace hostile
