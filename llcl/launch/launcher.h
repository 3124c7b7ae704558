// The rule by which a process tells from its environment who has started it.
//
// A process that is one of several, and cannot hear of the others, must not take itself for a job
// of one rank: each of N processes would do the whole work, and none would say so. So a variable
// that counts the processes of a launcher, above one, is a refusal where no launcher can be asked.
//
// Threads: any.
#pragma once

#include <functional>
#include <string>

namespace llcl {

enum class Launcher {
  kRendezvous,  // LLCL_RENDEZVOUS
  kPmi,         // PMI_FD
  kPmix,        // PMIX_NAMESPACE, PMIX_RANK
  kNone,        // a job of one rank
  kUnknown,     // one of several processes, whose launcher cannot be asked; or a wrong LLCL_LAUNCH
};

// A value.
struct LauncherFound {
  Launcher launcher = Launcher::kNone;
  std::string refusal = {};  // of kUnknown: a sentence with the variable, and how to start the job
};

// `environment`: as getenv, nullptr where a variable is not set. LLCL_LAUNCH=none makes each
// process a job of one rank, whatever else is set.
LauncherFound FindLauncher(const std::function<const char*(const char*)>& environment);

}  // namespace llcl
