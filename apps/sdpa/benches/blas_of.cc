#include "apps/sdpa/benches/blas_of.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "apps/sdpa/benches/command.h"

namespace sdpa {

std::string BlasOf(const std::string& program) {
  std::error_code error;
  // Not a link that is another one for ldd, as /proc/self/exe.
  const std::string file = std::filesystem::canonical(program, error).string();
  std::string found;
  if (const auto printed = RunCommand({"ldd", file}, "."); printed.ok()) {
    for (const Line& line : *printed) {
      // "	libblas.so.3 => /lib/x86_64-linux-gnu/libblas.so.3 (0x00007f0d9db67000)"
      const std::vector<std::string> words =
          absl::StrSplit(line.text, absl::ByAnyChar(" \t"), absl::SkipEmpty());
      if (words.size() < 3) continue;
      // Where there are both, the first is what is called, by way of the other.
      const bool is_blas = absl::StartsWith(words[0], "libblas.so");
      if (is_blas || (found.empty() && absl::StartsWith(words[0], "libopenblas"))) {
        found = words[2];
      }
    }
  }
  if (!found.empty()) {
    const std::filesystem::path library = std::filesystem::canonical(found, error);
    return library.parent_path().filename().string() + "/" + library.filename().string();
  }
  std::ifstream stream(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  return bytes.find("OPENBLAS_NUM_THREADS") != std::string::npos ? "OpenBLAS, linked statically"
                                                                 : "unknown";
}

}  // namespace sdpa
