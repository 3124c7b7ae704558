// Channels to the ranks that share memory with this one, for frames of collective operations: a
// short header, and a payload that the receiver reads where it lies.
//
// Threads: any; Read does nothing while another thread reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "absl/functional/function_ref.h"
#include "llcl/region.h"

namespace llcl {

// A resource of a conduit.
class Channels {
 public:
  static constexpr std::size_t kHeaderBytes = 40;
  static constexpr std::size_t kMostPayload = 16 << 10;

  virtual ~Channels() = default;
  // Is there a channel to the rank, and one back? Not to this rank itself.
  virtual bool Reach(Rank rank) const = 0;
  // Copies the frame, and wakes the rank where it sleeps. False: no room now. Precondition: the
  // header has kHeaderBytes, the payload at most kMostPayload.
  [[nodiscard]] virtual bool TryWrite(Rank to, std::span<const std::byte> header,
                                      std::span<const std::byte> payload) = 0;
  // Calls take(from, header, payload), which calls nothing of this but TryWrite, for frames that
  // have come, of each rank in their order; where it returns false, the frame and those behind it
  // are left for later. True: something was taken.
  using Take = absl::FunctionRef<bool(Rank from, std::span<const std::byte> header,
                                      std::span<const std::byte> payload)>;
  virtual bool Read(Take take) = 0;
  // Read, of the rank's oldest frame alone. Precondition: Reach(from).
  virtual bool ReadOne(Rank from, Take take) = 0;
};

}  // namespace llcl
