// The files of a path's checkpoints on one rank: each checkpoint has a number, and its own files.
//
//   PATH.7.3       rank 3's of checkpoint 7: a file has this name from when it is whole
//   PATH.7.3.new   the same while it is written
//   PATH.3         rank 3's of version 0.1, which had no numbers: checkpoint 0
//
// Threads: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dsm {

std::string CheckpointFile(const std::string& path, std::uint64_t number, int rank);

// The number of the checkpoint of which a file is the rank's; none for another file. `name` and
// `base`: without a folder.
std::optional<std::uint64_t> CheckpointNumber(std::string_view name, std::string_view base,
                                              int rank);

// The numbers of the rank's files that are there, ascending. Looks at the folder; empty also where
// it cannot be read.
std::vector<std::uint64_t> CheckpointNumbers(const std::string& path, int rank);

}  // namespace dsm
