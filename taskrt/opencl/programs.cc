#include "taskrt/opencl/programs.h"

#include <fstream>
#include <iterator>
#include <string_view>
#include <thread>

#include "absl/strings/str_cat.h"
#include "lwt/event.h"
#include "topo/mutex.h"

namespace taskrt::opencl {

Programs::~Programs() {
  for (const auto& [kernel, built] : built_) {
    library_.ReleaseKernel(built.kernel);
    library_.ReleaseProgram(built.program);
  }
}

absl::StatusOr<cl_kernel> Programs::Find(const std::shared_ptr<const OpenClKernel>& kernel) {
  const topo::Lock lock(mutex_);
  if (const auto found = built_.find(kernel); found != built_.end()) return found->second.kernel;
  const absl::StatusOr<cl_program> program = Build(*kernel);
  if (!program.ok()) return program.status();
  cl_int error = CL_SUCCESS;
  const cl_kernel function = library_.CreateKernel(*program, kernel->function.c_str(), &error);
  if (error != CL_SUCCESS) {
    library_.ReleaseProgram(*program);
    return ErrorOf(error, kernel->function);
  }
  built_.emplace(kernel, Built{*program, function});
  return function;
}

absl::StatusOr<std::string> Programs::Binary(const OpenClKernel& kernel) {
  const absl::StatusOr<cl_program> program = Build(kernel);
  if (!program.ok()) return program.status();
  std::size_t bytes = 0;
  cl_int error =
      library_.GetProgramInfo(*program, CL_PROGRAM_BINARY_SIZES, sizeof(bytes), &bytes, nullptr);
  std::string binary(bytes, '\0');
  char* const data = binary.data();
  if (error == CL_SUCCESS) {
    error = library_.GetProgramInfo(*program, CL_PROGRAM_BINARIES, sizeof(data),
                                    const_cast<char**>(&data), nullptr);
  }
  library_.ReleaseProgram(*program);
  if (error != CL_SUCCESS) return ErrorOf(error, "asking for a binary");
  return binary;
}

absl::StatusOr<cl_program> Programs::Create(const OpenClKernel& kernel) const {
  cl_int error = CL_SUCCESS;
  cl_program program = nullptr;
  if (!kernel.source.empty()) {
    const char* source = kernel.source.c_str();
    program = library_.CreateProgramWithSource(context_, 1, &source, nullptr, &error);
  } else {
    std::ifstream file(kernel.binary_file, std::ios::binary);
    const std::string binary{std::istreambuf_iterator<char>(file), {}};
    if (!file || binary.empty()) {
      return absl::NotFoundError(absl::StrCat(kernel.function, ": its binary \"",
                                              kernel.binary_file, "\" cannot be read"));
    }
    const auto* data = reinterpret_cast<const unsigned char*>(binary.data());
    const std::size_t bytes = binary.size();
    program =
        library_.CreateProgramWithBinary(context_, 1, &device_, &bytes, &data, nullptr, &error);
  }
  if (error != CL_SUCCESS) return ErrorOf(error, kernel.function);
  return program;
}

absl::StatusOr<cl_program> Programs::Build(const OpenClKernel& kernel) const {
  const absl::StatusOr<cl_program> program = Create(kernel);
  if (!program.ok()) return program;
  // A compiler needs more stack than a lightweight thread has.
  cl_int error = CL_SUCCESS;
  lwt::Event is_built;
  std::thread compiler([&] {
    error = library_.BuildProgram(*program, 1, &device_, kernel.build_options.c_str(), nullptr,
                                  nullptr);
    is_built.Set();
  });
  is_built.Wait("a compiler");
  compiler.join();
  if (error == CL_SUCCESS) return program;
  std::size_t bytes = 0;
  library_.GetProgramBuildInfo(*program, device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &bytes);
  std::string log(bytes, '\0');
  library_.GetProgramBuildInfo(*program, device_, CL_PROGRAM_BUILD_LOG, bytes, log.data(), nullptr);
  library_.ReleaseProgram(*program);
  log.resize(log.find_last_not_of(std::string_view(" \n\0", 3)) + 1);
  return ErrorOf(error, log.empty() ? kernel.function : absl::StrCat(kernel.function, ": ", log));
}

}  // namespace taskrt::opencl
