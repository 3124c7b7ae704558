#include "dsm/checkpoint/checkpoint_names.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace dsm {

std::string CheckpointFile(const std::string& path, std::uint64_t number, int rank) {
  if (number == 0) return absl::StrCat(path, ".", rank);
  return absl::StrCat(path, ".", number, ".", rank);
}

std::optional<std::uint64_t> CheckpointNumber(std::string_view name, std::string_view base,
                                              int rank) {
  const std::string last = absl::StrCat(".", rank);
  if (!name.starts_with(base) || !name.ends_with(last)) return std::nullopt;
  if (name.size() == base.size() + last.size()) return 0;
  if (name.size() < base.size() + last.size() + 2 || name[base.size()] != '.') return std::nullopt;
  const std::string_view digits =
      name.substr(base.size() + 1, name.size() - base.size() - 1 - last.size());
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), number);
  if (error != std::errc() || end != digits.end() || digits[0] == '0') return std::nullopt;
  return number;
}

std::vector<std::uint64_t> CheckpointNumbers(const std::string& path, int rank) {
  const std::size_t slash = path.rfind('/');
  const bool has_folder = slash != std::string::npos;
  const std::string folder = has_folder ? path.substr(0, slash + 1) : ".";
  const std::string base = has_folder ? path.substr(slash + 1) : path;
  std::vector<std::uint64_t> numbers;
  std::error_code error;
  for (auto file = std::filesystem::directory_iterator(folder, error);
       !error && file != std::filesystem::directory_iterator(); file.increment(error)) {
    const auto number = CheckpointNumber(file->path().filename().string(), base, rank);
    if (number) numbers.push_back(*number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace dsm
