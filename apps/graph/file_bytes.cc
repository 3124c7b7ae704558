#include "apps/graph/file_bytes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace graph {
namespace {

absl::Status Error(const std::string& path, int error) {
  return absl::ErrnoToStatus(error, "cannot read " + path);
}

// Closes at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(const std::string& path) : value_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (value_ >= 0) close(value_);
  }
  int value() const { return value_; }

 private:
  const int value_;
};

// Empty where it cannot.
std::string_view Map(int descriptor, std::size_t size) {
  void* const address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (address == MAP_FAILED) return {};
  // Parsers read forward once; without this advice to the kernel, they are only slower.
  (void)madvise(address, size, MADV_SEQUENTIAL);
  return {static_cast<const char*>(address), size};
}

// Reads up to the end; the error, or 0.
int ReadAll(int descriptor, std::string* text) {
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  for (;;) {
    const std::size_t size = text->size();
    text->resize(size + kChunk);
    const ssize_t count = read(descriptor, text->data() + size, kChunk);
    const int error = errno;
    text->resize(size + (count > 0 ? static_cast<std::size_t>(count) : 0));
    if (count == 0) return 0;
    if (count < 0 && error != EINTR) return error;
  }
}

}  // namespace

absl::StatusOr<FileBytes> FileBytes::Open(const std::string& path) {
  const Descriptor file(path);
  if (file.value() < 0) return Error(path, errno);
  struct stat status;
  if (fstat(file.value(), &status) != 0) return Error(path, errno);
  if (S_ISDIR(status.st_mode)) return Error(path, EISDIR);
  FileBytes bytes;
  if (S_ISREG(status.st_mode) && status.st_size > 0) {
    bytes.mapped_ = Map(file.value(), static_cast<std::size_t>(status.st_size));
  }
  // Files of /proc have a size of 0 and contents nevertheless.
  if (bytes.mapped_.empty()) {
    if (const int error = ReadAll(file.value(), &bytes.copy_); error != 0) {
      return Error(path, error);
    }
  }
  return bytes;
}

FileBytes::FileBytes(FileBytes&& other) noexcept
    : mapped_(std::exchange(other.mapped_, {})), copy_(std::move(other.copy_)) {}

FileBytes::~FileBytes() {
  if (!mapped_.empty()) munmap(const_cast<char*>(mapped_.data()), mapped_.size());
}

}  // namespace graph
