// A launcher in two processes, of which each ends the job when the other is killed.
//
//   guard --starts--> launcher --starts--> ranks --start--> other processes
//
// A rank ends with its parent, by a signal of the kernel's, but processes that the rank has started
// are then orphans: only a subreaper above it, which has asked for that, adopts them. So there is
// one above the launcher, which no signal to the launcher ends.
//
// Threads: one.
#pragma once

#include <signal.h>

#include <functional>

namespace llcl {

// The signals by which a job is ended: SIGTERM, and SIGINT and SIGHUP unless this process ignores
// them, as a shell's background ignores SIGINT, and nohup has SIGHUP ignored.
sigset_t EndingSignals();

// SIGUSR1 and SIGUSR2, which ranks get: batch systems warn so before a job's time is over.
inline bool IsForRanks(int signal) { return signal == SIGUSR1 || signal == SIGUSR2; }

// EndingSignals and those for ranks.
sigset_t TakenSignals();

// Runs `launch` in a process of its own, with TakenSignals blocked. `launch` gets the mask that
// was there before, and returns the exit code, which RunGuarded returns. Where the launcher is
// killed, all processes that it and the ranks started are killed too, with a message on standard
// error; where this process is killed, the launcher gets a SIGTERM.
int RunGuarded(const std::function<int(const sigset_t& before)>& launch);

// Kills the orphans that this process has adopted, until there are none, for two seconds at most.
// Precondition: it has no other children, and no other thread waits for any.
void EndOrphans();

}  // namespace llcl
