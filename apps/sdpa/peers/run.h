// A run as sdpa or csdp: the command line, files, texts and exit codes are theirs.
#pragma once

#include <span>
#include <string>

#include "apps/sdpa/peers/command_lines.h"

namespace sdpa {

// Returns the exit code. csdp's are CsdpExitCode's, and 200 for a command line that is none, 201
// and 202 for a problem and an initial point that cannot be read, 204 for a solution that cannot
// be written and 205 where memory is missing. sdpa's are 0 once the result is written, whatever its
// phase, and 1. A sentence on standard error says why it is another.
int RunAsPeer(Peer peer, std::span<const std::string> arguments);

}  // namespace sdpa
