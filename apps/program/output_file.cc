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

absl::Status WriteAndClose(int descriptor, std::string_view contents, const std::string& path) {
  int error = 0;
  while (!contents.empty() && error == 0) {
    const ssize_t written = write(descriptor, contents.data(), contents.size());
    if (written >= 0) {
      contents.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      error = errno;
    }
  }
  // A full disk may show only here.
  if (close(descriptor) != 0 && error == 0) error = errno;
  return error == 0 ? absl::OkStatus() : Error(path, error);
}

// A resource: a new file, removed unless it takes another's place.
class Temporary {
 public:
  // `path`: for messages.
  static absl::StatusOr<Temporary> Beside(const std::string& target, const std::string& path) {
    Temporary temporary;
    temporary.path_ = path;
    temporary.name_ = target + ".XXXXXX";
    temporary.descriptor_ = mkostemp(temporary.name_.data(), O_CLOEXEC);
    if (temporary.descriptor_ < 0) {
      temporary.name_.clear();
      return Error(path, errno);
    }
    return temporary;
  }
  Temporary(Temporary&& other) noexcept
      : path_(std::move(other.path_)),
        name_(std::exchange(other.name_, {})),
        descriptor_(std::exchange(other.descriptor_, -1)) {}
  Temporary& operator=(Temporary&&) = delete;
  ~Temporary() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!name_.empty()) unlink(name_.c_str());
  }

  absl::Status Replace(const std::string& target, unsigned mode, std::string_view contents) {
    if (fchmod(descriptor_, mode) != 0) return Error(path_, errno);
    absl::Status status = WriteAndClose(std::exchange(descriptor_, -1), contents, path_);
    if (!status.ok()) return status;
    if (rename(name_.c_str(), target.c_str()) != 0) return Error(path_, errno);
    name_.clear();
    return absl::OkStatus();
  }

 private:
  Temporary() = default;

  std::string path_, name_;
  int descriptor_ = -1;
};

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
  file.mode_ = exists ? existing.st_mode & 07777 : ModeOfNewFiles();
  // Tried, and not kept: a run that is killed is to leave nothing behind.
  absl::StatusOr<Temporary> temporary = Temporary::Beside(file.target_, file.path_);
  if (!temporary.ok()) return temporary.status();
  return file;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      mode_(other.mode_),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

absl::Status OutputFile::Commit(std::string_view contents) {
  if (target_.empty()) return WriteAndClose(std::exchange(descriptor_, -1), contents, path_);
  absl::StatusOr<Temporary> temporary = Temporary::Beside(target_, path_);
  if (!temporary.ok()) return temporary.status();
  return temporary->Replace(target_, mode_, contents);
}

}  // namespace program
