// The line of counts at the end of a rank: operations asked for, refused and failed.
//
//   llcl: rank 3 of 8: tcp, 12.4 s; 1,200 reads 4.7 MiB, 30 writes 1.0 MiB, 7 atomics,
//   12 messages 3.0 KiB, 0 answers, 3 collectives; refused: 4 full; failed: 2 late;
//   5 sleeps, 3 wakings                                        (all of it is one line)
//
// Threads: any.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace llcl {

// Operations of one kind. A value.
struct CountedKind {
  std::string_view name;  // of one: "read"
  std::uint64_t operations = 0;
  std::uint64_t bytes = 0;  // of all; 0: they are not written
};
// A reason and a count. A value.
struct CountedReason {
  std::string_view name;  // "no tag"
  std::uint64_t times = 0;
};

// A value.
struct CountsOfRank {
  int rank = 0;
  int size = 1;
  std::string_view conduit;
  std::int64_t lived_ms = 0;
  std::vector<CountedKind> accepted;
  std::vector<CountedReason> refused;  // those of no time are left out
  std::vector<CountedReason> failed;
  std::uint64_t sleeps = 0;
  std::uint64_t wakings = 0;
};

// Ends with a newline.
std::string CountsLine(const CountsOfRank& counts);

}  // namespace llcl
