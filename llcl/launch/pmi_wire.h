// PMI-1's lines: the messages between a process manager and its processes.
//
//   cmd=put kvsname=job_1 key=r3.0 value=6c6c636c
//
// Words of the form name=value; the end of the line ends the message. A reader takes them in any
// order, as Slurm's differs from Hydra's. A writer keeps to the order of MPICH's client, as some
// readers match a whole line: Slurm's refuses an init whose pmi_subversion comes first. Values have
// no spaces, and none that llcl sends is longer than 256 bytes: Slurm ends the job step for 1,023.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace llcl {

// A value: the command, which is the word "cmd", and the other words in the order in which they
// were given.
struct PmiMessage {
  struct Word {
    std::string name;
    std::string value;
  };
  std::string command;
  std::vector<Word> words = {};

  // Of the first word of that name; empty where there is none.
  std::string ValueOf(std::string_view name) const;
};

// The command first, then the words in their order; ends with a newline.
std::string FormatPmi(const PmiMessage& message);

// A line without its newline; nullopt where it is malformed. A value goes up to the next
// space; where a name comes twice the first counts. A line without a command has an empty one.
std::optional<PmiMessage> ParsePmi(std::string_view line);

// Writes 1 to kMostPmiBytes bytes as a value that PMI takes: two hexadecimal digits for each byte.
inline constexpr std::size_t kMostPmiBytes = 128;
std::string ToPmiValue(std::string_view bytes);
// The bytes of such a value; nullopt where it is malformed.
std::optional<std::string> FromPmiValue(std::string_view value);

}  // namespace llcl
