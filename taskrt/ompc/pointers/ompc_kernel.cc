#include "taskrt/ompc/pointers/ompc_kernel.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace taskrt {
namespace {

std::string TextOf(const char* text) { return text == nullptr ? "" : text; }

absl::StatusOr<std::string> Read(const char* what, const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file && text << file.rdbuf()) return text.str();
  return absl::NotFoundError(absl::StrCat("the ", what, " ", path, " cannot be read"));
}

std::vector<std::size_t> Dimensions(const size_t (&sizes)[3]) {
  std::vector<std::size_t> dimensions;
  for (const size_t size : sizes) {
    if (size > 0) dimensions.push_back(size);
  }
  return dimensions;
}

std::array<unsigned, 3> AtLeastOne(const unsigned (&sizes)[3]) {
  std::array<unsigned, 3> all = {1, 1, 1};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (sizes[i] > 0) all[i] = sizes[i];
  }
  return all;
}

absl::StatusOr<std::vector<std::size_t>> ScalarsOf(const ompc_kernel& kernel) {
  std::vector<std::size_t> all;
  for (int i = 0; i < kernel.scalars_count; ++i) {
    if (kernel.scalar_bytes[i] > sizeof(void*)) {
      return absl::InvalidArgumentError(
          absl::StrCat("scalar ", i, " has ", kernel.scalar_bytes[i], " bytes, of at most eight"));
    }
    all.push_back(kernel.scalar_bytes[i]);
  }
  return all;
}

absl::StatusOr<OpenClKernel> OpenClOf(const ompc_kernel& kernel) {
  OpenClKernel opencl;
  opencl.function = kernel.opencl_function;
  opencl.source = TextOf(kernel.opencl_source);
  opencl.binary_file = TextOf(kernel.opencl_binary_file);
  opencl.build_options = TextOf(kernel.opencl_build_options);
  if (kernel.opencl_source != nullptr && kernel.opencl_source_file != nullptr) {
    return absl::InvalidArgumentError("an OpenCL function has a source or its file, not both");
  }
  if (kernel.opencl_source_file != nullptr) {
    absl::StatusOr<std::string> source = Read("source", kernel.opencl_source_file);
    if (!source.ok()) return source.status();
    opencl.source = *std::move(source);
  }
  if (opencl.source.empty() && opencl.binary_file.empty()) {
    return absl::InvalidArgumentError("an OpenCL function has a source, its file or a binary");
  }
  if (auto global = Dimensions(kernel.opencl_global); !global.empty()) {
    opencl.global = std::move(global);
  }
  opencl.local = Dimensions(kernel.opencl_local);
  if (!opencl.local.empty() && opencl.local.size() < opencl.global.size()) {
    return absl::InvalidArgumentError("groups have as many dimensions as the work items");
  }
  if (kernel.opencl_units < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("an OpenCL function has one unit or more, not ", kernel.opencl_units));
  }
  if (kernel.opencl_units > 0) opencl.units = kernel.opencl_units;
  return opencl;
}

absl::StatusOr<CudaKernel> CudaOf(const ompc_kernel& kernel) {
  if (kernel.cuda_function == nullptr) {
    return absl::InvalidArgumentError("a CUDA image has a function");
  }
  if (kernel.cuda_image != nullptr && kernel.cuda_image_file != nullptr) {
    return absl::InvalidArgumentError("a CUDA function has an image or its file, not both");
  }
  CudaKernel cuda;
  cuda.function = kernel.cuda_function;
  cuda.image = TextOf(kernel.cuda_image);
  if (kernel.cuda_image_file != nullptr) {
    absl::StatusOr<std::string> image = Read("image", kernel.cuda_image_file);
    if (!image.ok()) return image.status();
    cuda.image = *std::move(image);
  }
  if (cuda.image.empty()) {
    return absl::InvalidArgumentError("a CUDA function has an image or its file");
  }
  cuda.grid = AtLeastOne(kernel.cuda_grid);
  cuda.block = AtLeastOne(kernel.cuda_block);
  cuda.shared_bytes = kernel.cuda_shared_bytes;
  return cuda;
}

}  // namespace

absl::StatusOr<Kernel> KernelOf(const ompc_kernel& kernel) {
  if (kernel.name == nullptr) return absl::InvalidArgumentError("a kernel has a name");
  // Written so that NaN is refused.
  if (!(kernel.flops >= 0 && std::isfinite(kernel.flops))) {
    return absl::InvalidArgumentError(
        absl::StrCat("a kernel's flops are a number from 0 on, not ", kernel.flops));
  }
  Kernel result(kernel.name);
  result.Flops(kernel.flops);
  const absl::StatusOr<std::vector<std::size_t>> scalars = ScalarsOf(kernel);
  if (!scalars.ok()) return scalars.status();
  if (kernel.opencl_function != nullptr) {
    absl::StatusOr<OpenClKernel> opencl = OpenClOf(kernel);
    if (!opencl.ok()) return opencl.status();
    opencl->scalar_bytes = *scalars;
    result.OnOpenCl(*std::move(opencl));
  }
  if (kernel.cuda_function != nullptr || kernel.cuda_image != nullptr ||
      kernel.cuda_image_file != nullptr) {
    absl::StatusOr<CudaKernel> cuda = CudaOf(kernel);
    if (!cuda.ok()) return cuda.status();
    cuda->scalar_bytes = *scalars;
    result.OnCuda(*std::move(cuda));
  }
  return result;
}

}  // namespace taskrt
