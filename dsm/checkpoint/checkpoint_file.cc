#include "dsm/checkpoint/checkpoint_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "llcl/process_limits.h"

namespace dsm {
namespace {

constexpr std::uint64_t kMagic = 0x7974696e69636976, kVersion = 1;  // "vicinity"
constexpr std::uint64_t kNoPage = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kNoSum = 0xcbf29ce484222325;
using Words = std::array<std::uint64_t, 8>;

// FNV-1a of words, as pages have whole ones.
std::uint64_t Summed(std::uint64_t sum, std::span<const std::byte> bytes) {
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, 8);
    sum = (sum ^ word) * 0x100000001b3;
    sum ^= sum >> 32;
  }
  return sum;
}

Words WordsOf(const CheckpointHeader& header) {
  return {kMagic,       kVersion,          header.ranks,   header.rank,
          header.pages, header.page_bytes, header.dealing, header.number};
}

std::string Unfinished(const std::string& file) { return file + ".new"; }

absl::Status SystemError(const std::string& file, const char* what) {
  return absl::InternalError(absl::StrCat(file, ": cannot be ", what, ": ", std::strerror(errno)));
}

// A file being read, with the sum of what was read.
class Reader {
 public:
  explicit Reader(const std::string& file) : stream_(std::fopen(file.c_str(), "rbe")) {}
  ~Reader() {
    if (stream_ != nullptr) std::fclose(stream_);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  bool is_open() const { return stream_ != nullptr; }
  std::uint64_t sum() const { return sum_; }
  // False: the file ends before.
  [[nodiscard]] bool Read(std::span<std::byte> bytes) {
    if (std::fread(bytes.data(), 1, bytes.size(), stream_) != bytes.size()) return false;
    sum_ = Summed(sum_, bytes);
    return true;
  }
  bool IsAtEnd() { return std::fgetc(stream_) == EOF; }

 private:
  std::FILE* const stream_;
  std::uint64_t sum_ = kNoSum;
};

std::string TextOf(const CheckpointHeader& header) {
  return absl::StrCat("rank ", header.rank, " of ", header.ranks, " with ", header.pages,
                      " pages of ", header.page_bytes, " bytes, dealt as ",
                      absl::Hex(header.dealing));
}

absl::Status CutOff(const std::string& file) {
  return absl::DataLossError(file + ": it is cut off");
}

absl::StatusOr<CheckpointHeader> ReadHeader(Reader& reader, const std::string& file) {
  if (!reader.is_open()) {
    return absl::NotFoundError(absl::StrCat(file, ": cannot be read: ", std::strerror(errno)));
  }
  Words words = {};
  if (!reader.Read(std::as_writable_bytes(std::span(words)))) return CutOff(file);
  if (words[0] != kMagic || words[1] != kVersion) {
    return absl::FailedPreconditionError(file + ": it is no checkpoint of this version");
  }
  return CheckpointHeader{.ranks = words[2],
                          .rank = words[3],
                          .page_bytes = words[5],
                          .pages = words[4],
                          .dealing = words[6],
                          .number = words[7]};
}

// Reads all of it. `on_page`: as below.
absl::Status ReadOnce(
    const std::string& file, const CheckpointHeader& expected, std::uint64_t& number,
    const std::function<absl::Status(PageNumber, std::span<const std::byte>)>& on_page) {
  Reader reader(file);
  const absl::StatusOr<CheckpointHeader> read = ReadHeader(reader, file);
  if (!read.ok()) return read.status();
  const CheckpointHeader& header = *read;
  number = header.number;
  if (!header.IsLike(expected)) {
    return absl::FailedPreconditionError(
        absl::StrCat(file, ": it is of ", TextOf(header), "; here is ", TextOf(expected)));
  }
  std::vector<std::byte> bytes(header.page_bytes);
  while (true) {
    const std::uint64_t sum = reader.sum();
    std::array<std::uint64_t, 2> row = {};
    if (!reader.Read(std::as_writable_bytes(std::span(row)))) return CutOff(file);
    if (row[0] == kNoPage) {
      if (row[1] == sum && reader.IsAtEnd()) return absl::OkStatus();
      return absl::DataLossError(file + ": its check sum is wrong");
    }
    if (row[0] >= header.pages || row[1] > header.pages - row[0]) {
      return absl::DataLossError(file + ": it has pages that there are not");
    }
    for (const PageNumber page : PageRange::Of(row[0], row[0] + row[1])) {
      if (!reader.Read(bytes)) return CutOff(file);
      if (absl::Status status = on_page(page, bytes); !status.ok()) return status;
    }
  }
}

}  // namespace

absl::Status CheckpointWriter::Open(const std::string& file, const CheckpointHeader& header) {
  file_ = file;
  page_size_ = PageSize(header.page_bytes);
  sum_ = kNoSum;
  written_ = 0;
  // The user's alone, and never what somebody else has put there.
  (void)unlink(Unfinished(file).c_str());
  const int fd =
      open(Unfinished(file).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return SystemError(Unfinished(file), "made");
  stream_ = fdopen(fd, "wb");
  if (stream_ == nullptr) {
    const absl::Status refused = SystemError(Unfinished(file_), "opened");
    close(fd);
    return refused;
  }
  const Words words = WordsOf(header);
  return Write(std::as_bytes(std::span(words)));
}

absl::Status CheckpointWriter::Write(std::span<const std::byte> bytes) {
  written_ += bytes.size();
  const absl::Status allowed = llcl::CheckFileBytes(written_, "save a smaller space");
  if (!allowed.ok()) {
    return absl::ResourceExhaustedError(absl::StrCat(Unfinished(file_), ": ", allowed.message()));
  }
  if (std::fwrite(bytes.data(), 1, bytes.size(), stream_) != bytes.size()) {
    return SystemError(Unfinished(file_), "written");
  }
  sum_ = Summed(sum_, bytes);
  return absl::OkStatus();
}

absl::Status CheckpointWriter::Add(PageNumber first, std::span<const std::byte> pages) {
  const std::array<std::uint64_t, 2> row = {first.value(),
                                            page_size_.WholePagesIn(pages.size()).value()};
  absl::Status status = Write(std::as_bytes(std::span(row)));
  if (status.ok()) status = Write(pages);
  return status;
}

absl::Status CheckpointWriter::Finish() {
  const std::array<std::uint64_t, 2> row = {kNoPage, sum_};
  if (absl::Status status = Write(std::as_bytes(std::span(row))); !status.ok()) return status;
  if (std::fflush(stream_) != 0 || fsync(fileno(stream_)) != 0) {
    return SystemError(Unfinished(file_), "written");
  }
  return absl::OkStatus();
}

absl::Status CheckpointWriter::Publish() {
  if (std::rename(Unfinished(file_).c_str(), file_.c_str()) != 0) {
    return SystemError(file_, "put in its place");
  }
  // The name is on the disk then, too.
  const std::size_t slash = file_.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : file_.substr(0, slash + 1);
  if (const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); fd >= 0) {
    (void)fsync(fd);
    close(fd);
  }
  std::fclose(stream_);
  stream_ = nullptr;
  return absl::OkStatus();
}

CheckpointWriter::~CheckpointWriter() {
  if (stream_ == nullptr) return;
  std::fclose(stream_);
  (void)unlink(Unfinished(file_).c_str());
}

absl::StatusOr<std::uint64_t> ReadCheckpointNumber(const std::string& file) {
  Reader reader(file);
  const absl::StatusOr<CheckpointHeader> header = ReadHeader(reader, file);
  if (!header.ok()) return header.status();
  return header->number;
}

absl::Status VerifyCheckpoint(const std::string& file, const CheckpointHeader& expected) {
  std::uint64_t number = 0;
  return ReadOnce(file, expected, number, [](auto...) { return absl::OkStatus(); });
}

absl::StatusOr<std::uint64_t> ReadCheckpoint(
    const std::string& file, const CheckpointHeader& expected,
    const std::function<absl::Status(PageNumber page, std::span<const std::byte>)>& on_page) {
  std::uint64_t number = 0;
  absl::Status status = ReadOnce(file, expected, number, [](auto...) { return absl::OkStatus(); });
  if (status.ok()) status = ReadOnce(file, expected, number, on_page);
  if (!status.ok()) return status;
  return number;
}

}  // namespace dsm
