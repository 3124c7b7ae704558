#include "apps/graph/file_bytes.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "apps/graph/files/descriptor.h"

namespace graph {
namespace {

absl::Status Error(const std::string& path, int error) {
  return absl::ErrnoToStatus(error, "cannot read " + path);
}

// Empty where it cannot.
std::string_view Map(int descriptor, std::size_t size) {
  void* const address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (address == MAP_FAILED) return {};
  // Parsers read forward once; without this advice to the kernel, they are only slower.
  (void)madvise(address, size, MADV_SEQUENTIAL);
  return {static_cast<const char*>(address), size};
}

}  // namespace

absl::StatusOr<FileBytes> FileBytes::Open(const std::string& path) {
  const bool is_standard_input = path == "-";
  const Descriptor file(is_standard_input ? dup(STDIN_FILENO)
                                          : open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.value() < 0) return Error(path, errno);
  struct stat status;
  if (fstat(file.value(), &status) != 0) return Error(path, errno);
  if (S_ISDIR(status.st_mode)) return Error(path, EISDIR);
  FileBytes bytes;
  // Standard input may have been read up to some line.
  const bool is_at_start = lseek(file.value(), 0, SEEK_CUR) == 0;
  if (S_ISREG(status.st_mode) && status.st_size > 0 && is_at_start) {
    bytes.mapped_ = Map(file.value(), static_cast<std::size_t>(status.st_size));
  }
  // Files of /proc have a size of 0 and contents nevertheless.
  if (bytes.mapped_.empty()) {
    if (const int error = ReadToEnd(file.value(), &bytes.copy_); error != 0) {
      return Error(path, error);
    }
  }
  return bytes;
}

FileBytes FileBytes::Of(std::string bytes) {
  FileBytes all;
  all.copy_ = std::move(bytes);
  return all;
}

FileBytes::FileBytes(FileBytes&& other) noexcept
    : mapped_(std::exchange(other.mapped_, {})), copy_(std::move(other.copy_)) {}

FileBytes& FileBytes::operator=(FileBytes&& other) noexcept {
  std::swap(mapped_, other.mapped_);
  std::swap(copy_, other.copy_);
  return *this;
}

FileBytes::~FileBytes() {
  if (!mapped_.empty()) munmap(const_cast<char*>(mapped_.data()), mapped_.size());
}

}  // namespace graph
