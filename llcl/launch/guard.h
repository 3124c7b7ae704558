// A launcher in two processes, of which each ends the job when the other is killed.
//
//   guard --starts--> launcher --starts--> ranks --start--> whatever they like
//
// A rank ends with its parent, by a signal of the kernel's, but what the rank has started is then
// nobody's: only a process above it that has asked for that (a subreaper) gets it. So there is one
// above the launcher, which no signal to the launcher ends.
//
// Threads: one.
#pragma once

#include <signal.h>

#include <functional>

namespace llcl {

// Runs `launch` in a process of its own, with SIGINT, SIGTERM and SIGHUP blocked; it gets the mask
// that was there before, and returns what to exit with. Returns that. Where the launcher is killed,
// all that it and the ranks have started is killed too, and standard error says so; where this
// process is killed, the launcher gets a SIGTERM.
int RunGuarded(const std::function<int(const sigset_t& before)>& launch);

// Kills what has become this process's by the death of others, until there is none, for two seconds
// at most. Precondition: nothing else of it is waited for.
void EndOrphans();

}  // namespace llcl
