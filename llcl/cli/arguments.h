// llclrun's words as a value.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "llcl/start/binding.h"
#include "llcl/start/hosts.h"

namespace llcl {

// A proxy: llclrun on one machine of several, with the ranks of the machine. A value.
struct ProxyPart {
  std::vector<int> ranks;
  int ranks_of_all = 1;
  std::string rendezvous;
  bool is_interruptible = false;  // SIGINT is not to be ignored
  int code_when_well = 0;         // its exit code where its ranks have returned 0
};

// A value.
struct Arguments {
  std::vector<Program> programs;  // of the first the ranks may be 0: not said
  std::string host_file, hosts;   // one of the two, or none
  std::string shell;              // empty: the usual one
  std::string remote_llclrun;     // empty: as this program's file
  int port = 0;                   // 0: a random one
  std::vector<std::pair<std::string, std::string>> environment;
  Binding binding = Binding::kNone;
  std::string output;
  bool labels = false, keeps_going = false;
  std::optional<int> most_seconds = {};
  int seconds_to_end = 2;
  std::optional<ProxyPart> proxy = {};
};

// Of main's words without the first. OutOfRange carries the text of the help. Errors:
// InvalidArgument with a sentence.
absl::StatusOr<Arguments> ParseArguments(const std::vector<std::string>& words);

// The words that make llclrun on a host run the part. The environment goes by the proxy's input
// (start/input_frames.h): a machine's users see words.
std::vector<std::string> ProxyWords(const Arguments& job, const ProxyPart& part);

}  // namespace llcl
