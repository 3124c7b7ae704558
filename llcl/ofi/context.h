// What libfabric gives back with each completion: whose it is.
#pragma once

#include <rdma/fabric.h>

#include <cstdint>

namespace llcl {

enum class OfiWhat : std::uint8_t { kOperation, kSend, kReceive };

// The beginning of whatever is given to libfabric until its completion. A resource.
struct OfiContext {
  fi_context2 provider{};  // the provider's
  OfiWhat what = OfiWhat::kOperation;
  bool is_posted = false;  // libfabric has it

  explicit OfiContext(OfiWhat that) : what(that) {}
  OfiContext(const OfiContext&) = delete;
  OfiContext& operator=(const OfiContext&) = delete;
};

}  // namespace llcl
