#include "llcl/system/option_range.h"

#include <cstdio>
#include <cstdlib>

namespace llcl {

void CheckOrDie(const absl::Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "llcl: %s\n", std::string(status.message()).c_str());
  std::abort();
}

}  // namespace llcl
