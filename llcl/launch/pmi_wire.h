// PMI-1's lines: the messages between a process manager and its processes.
//
//   cmd=put kvsname=job_1 key=r3.0 value=6c6c636c
//
// Words of the form name=value in any order (Slurm's differs from Hydra's), the end
// of the line ends the message. Values have no spaces, and none that llcl sends is
// longer than 256 bytes: Slurm ends the job step for 1,023.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace llcl {

using PmiMessage = std::map<std::string, std::string, std::less<>>;

// "cmd" first, the others by name; ends with a newline.
std::string FormatPmi(const PmiMessage& message);

// A line without its newline; nullopt where it is malformed. A value goes up to the next
// space; where a name comes twice the first counts.
std::optional<PmiMessage> ParsePmi(std::string_view line);

// Writes 1 to kMostPmiBytes bytes as a value that PMI takes: two hexadecimal digits for each byte.
inline constexpr std::size_t kMostPmiBytes = 128;
std::string ToPmiValue(std::string_view bytes);
// The bytes of such a value; nullopt where it is malformed.
std::optional<std::string> FromPmiValue(std::string_view value);

}  // namespace llcl
