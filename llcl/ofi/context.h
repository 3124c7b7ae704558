// The context that libfabric returns with each completion: it names the operation.
#pragma once

#include <rdma/fabric.h>

#include <cstdint>

namespace llcl {

// Does another operation to the same rank follow at once, so that the provider may wait for it
// (FI_MORE)?
enum class OfiBatch : std::uint8_t { kEnds, kGoesOn };

enum class OfiWhat : std::uint8_t { kOperation, kSend, kReceive };

// The beginning of each object that libfabric has until its completion. A resource.
struct OfiContext {
  fi_context2 provider{};  // for the provider's own use
  OfiWhat what = OfiWhat::kOperation;
  bool is_posted = false;  // libfabric has it

  explicit OfiContext(OfiWhat that) : what(that) {}
  OfiContext(const OfiContext&) = delete;
  OfiContext& operator=(const OfiContext&) = delete;
};

}  // namespace llcl
