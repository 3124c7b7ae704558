#include "apps/program/outputs.h"

#include <iostream>
#include <utility>

#include "absl/strings/str_cat.h"

namespace program {

absl::StatusOr<Outputs> Outputs::Open(std::initializer_list<Asked> asked) {
  Outputs outputs;
  const char* on_standard_output = nullptr;
  for (const Asked& one : asked) {
    if (one.path != "-") continue;
    if (on_standard_output != nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(on_standard_output, " and ", one.flag,
                                                     " cannot both go to standard output"));
    }
    on_standard_output = one.flag;
    outputs.stream_ = Stream::kError;
  }
  std::map<std::string, const char*> flags;
  for (const Asked& one : asked) {
    if (one.path.empty()) continue;
    const auto [other, is_new] = flags.emplace(one.path, one.flag);
    const bool is_device = one.path.starts_with("/dev/");  // as /dev/null, or a shell's /dev/fd/5
    if (!is_new && !is_device) {
      return absl::InvalidArgumentError(
          absl::StrCat(other->second, " and ", one.flag, " cannot both be written to ", one.path));
    }
    auto file = OutputFile::Open(one.path);
    if (!file.ok()) return file.status();
    outputs.files_.emplace(one.flag, *std::move(file));
  }
  return outputs;
}

absl::Status Outputs::Commit(const std::string& flag,
                             const std::function<std::string()>& contents) {
  const auto file = files_.find(flag);
  return file == files_.end() ? absl::OkStatus() : file->second.Commit(contents());
}

std::ostream& Outputs::text() const { return stream_ == Stream::kError ? std::cerr : std::cout; }

Color Outputs::color() const { return ColorOf(stream_); }

}  // namespace program
