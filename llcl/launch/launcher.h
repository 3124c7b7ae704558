// Finds the launcher of a process in the environment.
//
// One of several processes without a way to the other ranks must not become a job of one rank: N
// processes would do the whole work N times, without a word. So a launcher's count of processes
// above one is a refusal where no launcher can be asked.
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
