#include "taskrt/task/describe.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "taskrt/task/block.h"

namespace taskrt {

std::string Describe(const Task& task) {
  std::string text = absl::StrCat("task ", task.kernel().name(), "(");
  constexpr const char* kModes[] = {"in", "out", "inout", "commutative", "reduction"};
  const char* comma = "";
  for (const TaskAccess& access : task.accesses()) {
    absl::StrAppend(&text, comma, kModes[static_cast<int>(access.mode)], " ", access.block->name);
    comma = ", ";
  }
  return text + ")";
}

std::string BodiesOf(const Kernel& kernel) {
  std::vector<const char*> bodies;
  if (kernel.host() != nullptr) bodies.push_back("the host");
  if (kernel.simulated() != nullptr) bodies.push_back("simulated devices");
  if (kernel.opencl() != nullptr) bodies.push_back("OpenCL");
  if (kernel.cuda() != nullptr || kernel.cuda_stream() != nullptr) bodies.push_back("CUDA");
  return bodies.empty() ? "nothing, as it has no body (OnHost and its like)"
                        : absl::StrJoin(bodies, " and ");
}

}  // namespace taskrt
