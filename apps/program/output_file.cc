#include "apps/program/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

namespace program {
namespace {

absl::Status Error(const std::string& path, int error) {
  const std::string message = "cannot write " + path + ": " + std::strerror(error);
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return absl::NotFoundError(message);
    case EACCES:
    case EPERM:
    case EROFS:
      return absl::PermissionDeniedError(message);
    case EISDIR:
      return absl::InvalidArgumentError(message);
    default:
      return absl::UnavailableError(message);
  }
}

// The permissions a new file would get; umask can only be read by setting it.
mode_t ModeOfNewFiles() {
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

absl::StatusOr<OutputFile> OutputFile::Open(std::string path) {
  OutputFile file;
  file.path_ = std::move(path);
  if (file.path_ == "-") {
    file.descriptor_ = dup(STDOUT_FILENO);
    if (file.descriptor_ < 0) return Error("standard output", errno);
    return file;
  }
  if (file.path_.empty()) return absl::InvalidArgumentError("an output file needs a name");

  struct stat existing;
  const bool exists = stat(file.path_.c_str(), &existing) == 0;
  if (exists && S_ISDIR(existing.st_mode)) return Error(file.path_, EISDIR);
  if (exists && !S_ISREG(existing.st_mode)) {
    file.descriptor_ = open(file.path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (file.descriptor_ < 0) return Error(file.path_, errno);
    return file;
  }
  if (exists && access(file.path_.c_str(), W_OK) != 0) return Error(file.path_, errno);

  std::error_code error;
  file.target_ = exists ? std::filesystem::canonical(file.path_, error).string() : file.path_;
  if (error) return Error(file.path_, error.value());
  std::string name = file.target_ + ".XXXXXX";
  file.descriptor_ = mkostemp(name.data(), O_CLOEXEC);
  if (file.descriptor_ < 0) return Error(file.path_, errno);
  file.temporary_ = std::move(name);
  if (fchmod(file.descriptor_, exists ? existing.st_mode & 07777 : ModeOfNewFiles()) != 0) {
    return Error(file.path_, errno);
  }
  return file;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

absl::Status OutputFile::Commit(std::string_view contents) {
  while (!contents.empty()) {
    const ssize_t written = write(descriptor_, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return Error(path_, errno);
    contents.remove_prefix(static_cast<std::size_t>(written));
  }
  // A full disk may show only here.
  if (close(std::exchange(descriptor_, -1)) != 0) return Error(path_, errno);
  if (temporary_.empty()) return absl::OkStatus();
  if (rename(temporary_.c_str(), target_.c_str()) != 0) return Error(path_, errno);
  temporary_.clear();
  return absl::OkStatus();
}

}  // namespace program
