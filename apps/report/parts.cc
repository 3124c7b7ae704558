#include "apps/report/parts.h"

#include <map>

namespace report {

Part PartFor(const std::string& app) {
  static const std::map<std::string, Part> parts = {
      {"cholesky", CholeskyPart},
      {"matmul", MatmulPart},
      {"stencil", StencilPart},
      {"stream", StreamPart},
  };
  const auto found = parts.find(app);
  return found == parts.end() ? OtherPart : found->second;
}

}  // namespace report
