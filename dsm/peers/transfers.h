// Reads and writes of other ranks' memory that are posted one after the other and awaited together.
//
// Threads: one. Not in signal handlers, as a request that finds no room makes progress first, for
// which handlers of messages run.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "dsm/peers/peers.h"
#include "llcl/completion.h"
#include "llcl/endpoint.h"

namespace dsm {

// A resource: waits for what was posted before it ends. What the operations name outlives it.
class Transfers {
 public:
  // The sentences of the errors where no rank is gone: a request is refused, and an operation does
  // not end well.
  struct Reasons {
    const char* refused;
    const char* failed;
  };
  Transfers(const Peers& peers, const Reasons& reasons) : peers_(peers), reasons_(reasons) {}
  ~Transfers() { peers_.endpoint().Wait(done_, posted_); }
  Transfers(const Transfers&) = delete;
  Transfers& operator=(const Transfers&) = delete;

  void Read(llcl::ReadParams params) {
    params.then = done_.completion();
    Post([&] { return peers_.endpoint().TryRead(params); });
  }
  void Write(llcl::WriteParams params) {
    params.then = done_.completion();
    Post([&] { return peers_.endpoint().TryWrite(params); });
  }
  // Were all requests accepted?
  bool ok() const { return status_.ok(); }

  // Returns when all that was posted has ended. Errors: Unavailable.
  absl::Status Finish() {
    peers_.endpoint().Wait(done_, posted_);
    if (done_.failed() > 0) status_.Update(peers_.WhyNotAll(reasons_.failed));
    return status_;
  }

 private:
  template <typename Request>
  void Post(Request request) {
    if (peers_.endpoint().KeepTrying(request) == llcl::Posted::kPosted) {
      ++posted_;
    } else {
      status_.Update(peers_.WhyNotAll(reasons_.refused));
    }
  }

  const Peers& peers_;
  const Reasons reasons_;
  llcl::Counter done_;
  std::uint64_t posted_ = 0;
  absl::Status status_;
};

}  // namespace dsm
