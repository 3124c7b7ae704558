// Flags that several programs share: --policy, --threads, --topology, --json and --svg.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "topo/topo.h"

namespace CLI {
class App;  // Only the sources that declare flags pay for CLI11's headers.
}  // namespace CLI

namespace program {

// Declare them; the texts that they fill must outlive `app`. `remark` ends the help, with the
// default, as in " (default scatter)".
void AddPolicyFlag(CLI::App& app, std::string& policy, const std::string& remark);
void AddThreadsFlag(CLI::App& app, std::string& threads,
                    const std::string& remark = " (default: what the machine does at once)",
                    const std::string& flag = "--threads");
// --topology, of a program that runs on this machine even where another one is described.
void AddTopologyFlag(CLI::App& app, std::string& topology);
// The files of results and of a picture. `svg_help`: the picture's.
void AddOutputFlags(CLI::App& app, std::string& json, std::string& svg,
                    const std::string& svg_help = "draw into this file");

// "compact", "scatter,compact+", or "all": the paper's four, none first. Each at
// most once, in the order given. InvalidArgument names the word that is no policy.
absl::StatusOr<std::vector<topo::Policy>> ParsePolicies(std::string_view text);

// Shall a program start more threads than there are PUs? kNever and kRefuse: an error, which names
// --oversubscribe with kRefuse. kAllow: yes.
enum class Oversubscribe { kNever, kRefuse, kAllow };

// "4", "1,2,8", or "all": 1, 2, 4, ... and the number of allowed PUs; "" is the
// count that the machine runs at once (Topology::default_threads). Ascending,
// each once. InvalidArgument names a word that is not a number from 1 up, or a
// count above the allowed PUs without kAllow.
// `what` is the flag's name and the noun that is counted.
absl::StatusOr<std::vector<int>> ParseThreads(std::string_view text, const topo::Topology& topology,
                                              Oversubscribe oversubscribe,
                                              std::string_view what = "threads");

// The mapping of each policy with each count, as ParsePolicies and ParseThreads understand them;
// more threads than PUs are refused. Unbound where the topology is not this machine's. Errors:
// theirs and topo::Plan's.
absl::StatusOr<std::vector<topo::Mapping>> PlanMappings(std::string_view policies,
                                                        std::string_view threads,
                                                        const topo::Topology& topology);

}  // namespace program
