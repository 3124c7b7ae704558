// A way to another rank of a job: an endpoint, memory there and here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "apps/rma/problem/point.h"
#include "llcl/endpoint.h"
#include "llcl/launch/launch.h"
#include "llcl/region.h"

namespace rma {

// A resource.
class Path {
 public:
  // Reads of a thread that lie beside each other; then it uses their memory again.
  static constexpr std::uint64_t kSlots = 64;

  struct Options {
    Network network = Network::kOfi;
    Offload offload = Offload::kHybrid;
    std::string provider = {};  // libfabric's
    int threads = 1;            // at most
    std::uint64_t bytes = 8;    // of a read, at most
    Way way = Way::kAny;
    int partner = 0;  // the rank whose memory is read
  };
  // All ranks call it. Errors: the conduit's, and of memory that cannot be had.
  static absl::StatusOr<std::unique_ptr<Path>> Open(llcl::Launch& launch, const Options& options);
  // Waits for all that is under way.
  ~Path() = default;
  Path(const Path&) = delete;
  Path& operator=(const Path&) = delete;

  Network network() const { return options_.network; }
  Offload offload() const { return options_.offload; }
  Way way() const { return options_.way; }
  llcl::Endpoint& endpoint() { return *endpoint_; }

  // What thread `thread` reads, and where its read `number` goes.
  llcl::RemoteAddress There(int thread) const;
  llcl::LocalAddress Here(int thread, std::uint64_t number) const;
  // Makes the slots unlike what is read.
  void Clear();
  // Has each slot of the thread's first `reads` reads what the other rank's memory has?
  bool IsRight(int thread, std::uint64_t reads, std::uint64_t bytes) const;

 private:
  explicit Path(Options options) : options_(std::move(options)) {}

  const Options options_;
  std::unique_ptr<llcl::Endpoint> endpoint_;
  llcl::Region target_;
  llcl::RemoteRegion there_;
  std::vector<std::byte> memory_;
  llcl::Region local_;
};

}  // namespace rma
