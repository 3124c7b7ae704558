// The interface of all launches (launch.h).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "llcl/region.h"

namespace llcl {

// A resource.
class Launch {
 public:
  virtual ~Launch() = default;
  virtual Rank rank() const = 0;
  virtual int size() const = 0;

  // The bytes of all ranks, by rank. All ranks call it, equally often.
  virtual absl::StatusOr<std::vector<std::string>> Allgather(std::string_view mine) = 0;

  // This machine's address on the launch's own connection to the other ranks, in digits: it is
  // known to work. Empty: the launcher gives none.
  virtual std::string LocalAddress() const { return ""; }

  // Ends the job: all its processes, with this exit code as far as the launcher can.
  virtual void Abort(int exit_code, std::string_view why) = 0;
};

}  // namespace llcl
