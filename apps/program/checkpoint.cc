#include "apps/program/checkpoint.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"

namespace program {
namespace {

constexpr std::uint64_t kMagic = 0x7974696e69636976, kVersion = 1;  // "vicinity"
constexpr std::uint64_t kNoSum = 0xcbf29ce484222325;
constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::uint64_t kLongestTitle = 4096;

std::uint64_t Summed(std::uint64_t sum, std::span<const std::uint64_t> numbers) {
  for (const std::uint64_t number : numbers) {
    sum = (sum ^ number) * 0x100000001b3;
    sum ^= sum >> 32;
  }
  return sum;
}

absl::Status SystemError(const std::string& file, const char* what) {
  return absl::InternalError(absl::StrCat(file, ": cannot be ", what, ": ", std::strerror(errno)));
}

// What stands before the numbers.
std::vector<std::uint64_t> HeaderOf(std::string_view title) {
  std::vector<std::uint64_t> header = {kMagic, kVersion, title.size()};
  header.resize(3 + (title.size() + kWord - 1) / kWord, 0);
  std::memcpy(header.data() + 3, title.data(), title.size());
  return header;
}

bool ReadWords(std::FILE* stream, std::span<std::uint64_t> words) {
  return std::fread(words.data(), kWord, words.size(), stream) == words.size();
}

}  // namespace

CheckpointWriter::Unfinished::~Unfinished() {
  if (stream != nullptr) std::fclose(stream);
  if (!name.empty()) (void)unlink(name.c_str());
}

CheckpointWriter::CheckpointWriter(const std::string& file)
    : file_(file), unfinished_(std::make_unique<Unfinished>()), sum_(kNoSum) {}

absl::StatusOr<CheckpointWriter> CheckpointWriter::Open(const std::string& file,
                                                        std::string_view title) {
  // Renaming would put a file in the place of a device, too.
  struct stat facts = {};
  if (stat(file.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode)) {
    return absl::InvalidArgumentError(file + ": it is there and no regular file");
  }
  CheckpointWriter writer(file);
  const std::string name = file + ".new";
  // The user's alone, and never what somebody else has put there.
  (void)unlink(name.c_str());
  const int fd = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return SystemError(name, "made");
  writer.unfinished_->name = name;
  writer.unfinished_->stream = fdopen(fd, "wb");
  if (absl::Status status = writer.Add(HeaderOf(title)); !status.ok()) return status;
  return writer;
}

absl::Status CheckpointWriter::Add(std::span<const std::uint64_t> numbers) {
  if (std::fwrite(numbers.data(), kWord, numbers.size(), unfinished_->stream) != numbers.size()) {
    return SystemError(unfinished_->name, "written");
  }
  sum_ = Summed(sum_, numbers);
  return absl::OkStatus();
}

absl::Status CheckpointWriter::Publish() {
  const std::uint64_t sum = sum_;
  if (absl::Status status = Add({&sum, 1}); !status.ok()) return status;
  if (std::fflush(unfinished_->stream) != 0 || fsync(fileno(unfinished_->stream)) != 0) {
    return SystemError(unfinished_->name, "written");
  }
  if (std::rename(unfinished_->name.c_str(), file_.c_str()) != 0) {
    return SystemError(file_, "put in its place");
  }
  unfinished_->name.clear();
  // The name is on the disk then, too.
  const std::size_t slash = file_.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : file_.substr(0, slash + 1);
  if (const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); fd >= 0) {
    (void)fsync(fd);
    close(fd);
  }
  return absl::OkStatus();
}

absl::StatusOr<CheckpointReader> CheckpointReader::Open(const std::string& file,
                                                        std::string_view title) {
  CheckpointReader reader;
  reader.file_ = file;
  reader.stream_.reset(std::fopen(file.c_str(), "rbe"));
  std::FILE* const stream = reader.stream_.get();
  if (stream == nullptr) {
    return absl::NotFoundError(absl::StrCat(file, ": cannot be read: ", std::strerror(errno)));
  }
  const auto cut_off = [&] { return absl::DataLossError(file + ": it is cut off"); };
  std::array<std::uint64_t, 3> start = {};
  if (!ReadWords(stream, start)) return cut_off();
  if (start[0] != kMagic || start[1] != kVersion || start[2] > kLongestTitle) {
    return absl::FailedPreconditionError(file + ": it is no checkpoint of this version");
  }
  std::vector<std::uint64_t> written((start[2] + kWord - 1) / kWord);
  if (!ReadWords(stream, written)) return cut_off();
  const std::string its_title(reinterpret_cast<const char*>(written.data()), start[2]);
  if (its_title != title) {
    return absl::FailedPreconditionError(
        absl::StrCat(file, ": it is of ", its_title, "; here is ", std::string(title)));
  }
  struct stat facts = {};
  if (fstat(fileno(stream), &facts) != 0) return SystemError(file, "read");
  const std::uint64_t words = static_cast<std::uint64_t>(facts.st_size) / kWord;
  const std::uint64_t before = start.size() + written.size();
  if (words < before + 1) return cut_off();
  reader.left_ = words - before - 1;

  std::uint64_t sum = Summed(Summed(kNoSum, start), written), stored = 0;
  std::vector<std::uint64_t> some(1 << 16);
  for (std::uint64_t left = reader.left_; left > 0;) {
    const auto now = std::span(some).first(std::min<std::uint64_t>(left, some.size()));
    if (!ReadWords(stream, now)) return cut_off();
    sum = Summed(sum, now);
    left -= now.size();
  }
  if (!ReadWords(stream, {&stored, 1}) || std::fgetc(stream) != EOF) return cut_off();
  if (stored != sum) return absl::DataLossError(file + ": its check sum is wrong");
  if (std::fseek(stream, static_cast<long>(before * kWord), SEEK_SET) != 0) {
    return SystemError(file, "read");
  }
  return reader;
}

absl::Status CheckpointReader::Read(std::span<std::uint64_t> numbers) {
  if (numbers.size() > left_ || !ReadWords(stream_.get(), numbers)) {
    return absl::DataLossError(file_ + ": it has fewer numbers than it says");
  }
  left_ -= numbers.size();
  return absl::OkStatus();
}

}  // namespace program
