// The command lines of sdpa 7.3 and csdp 6.2, by which modelling programs call these solvers. Pure.
//
//   sdpa -ds FILE -o FILE [-p FILE] [-is FILE] [-pt 0|1|2] [-dimacs] [-numThreads N]
//        -dd and -id name dense files
//   sdpa FILE RESULT [INITIAL] [-pt 0|1|2] [-dimacs] [-numThreads N]
//   csdp FILE [SOLUTION [INITIAL]]
//
// Source: the usage that both programs print; B. Borchers, CSDP 6.2.0 User's Guide, 2017.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "apps/sdpa/files/formats.h"

namespace sdpa {

enum class Peer { kSdpa, kCsdp };

// csdp's where the program is called by that name; sdpa's where the first word is one of its
// options or no option at all; else none: the program's own flags.
std::optional<Peer> PeerOf(std::string_view program, std::span<const std::string> arguments);

// A value: one call. An empty name: there is no such file.
struct PeerCall {
  std::string problem, solution, initial, parameters;
  Format format = Format::kSparse;       // of the problem
  std::optional<Format> initial_format;  // none: by its name and its first lines
  bool are_parameters_optional = false;  // they are read where that file is
  bool prints_dimacs = false;
  std::optional<int> threads;
};

// InvalidArgument is one sentence.
absl::StatusOr<PeerCall> ParseCall(Peer peer, std::span<const std::string> arguments);

}  // namespace sdpa
