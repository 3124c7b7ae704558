// A job whose ranks meet without a launcher (rendezvous.h): its options, and a rank's side of it.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "llcl/launch/abstract_launch.h"

namespace llcl {

// A value.
struct RendezvousOptions {
  std::string address = {};  // host:port or [host]:port, of rank 0
  std::string secret = {};   // 32 hexadecimal digits, from a good source of random ones
  Rank rank{0};
  int size = 1;
  std::chrono::milliseconds deadline = std::chrono::seconds(30);  // for all to be there
  std::chrono::milliseconds patience = std::chrono::seconds(5);   // for one to prove itself
};

// A resource.
class Rendezvous : public Launch {
 public:
  // Of rank 0: connections that were refused. The first few have a line each on standard error, the
  // others one a second at most, with their number.
  virtual int turned_away() const = 0;
};

// The most bytes of one rank in one Allgather.
inline constexpr std::size_t kMostRendezvousBytes = 1 << 20;

}  // namespace llcl
