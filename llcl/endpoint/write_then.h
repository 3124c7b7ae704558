// Puts with signal: a write, and when it is there, a second command.
//
// Threads: any.
#pragma once

#include "llcl/completion.h"
#include "llcl/endpoint/params.h"
#include "llcl/endpoint/requests.h"
#include "llcl/executor/command.h"
#include "llcl/executor/executor.h"
#include "llcl/region.h"

namespace llcl {

// A command that follows a write, and how it ends. A value.
struct SecondCommand {
  Command command;  // with its addresses
  Completion then = {};
  Timeout timeout = {};
  Completion released = {};  // executor.h
};

// `write.then` is called when the write has ended, `second.then` when both have; with the write's
// outcome where it fails. `requests` outlives both.
[[nodiscard]] Posted TryWriteThen(Requests& requests, const WriteParams& write,
                                  const SecondCommand& second);

// The second command is an atomic without a fetch. Its addresses are filled in.
[[nodiscard]] Posted TryWriteThenAtomic(Requests& requests, const WriteParams& write,
                                        SecondCommand second, const RemoteAddress& target);

}  // namespace llcl
