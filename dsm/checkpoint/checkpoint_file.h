// A rank's file of a checkpoint: the pages that are at home there.
//
//   u64     "vicinity", version, ranks, rank, bytes of a page, pages of the space in use, a number
//           that stands for how they are dealt to ranks, a random number of this checkpoint
//   then rows of pages:  u64 first page, u64 count, the pages
//   u64 x 2 no page, and the check sum (FNV-1a, 64 bits) of all before
//
// all little endian, as the machines are that this is for.
//
// Threads: one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "dsm/layout/pages.h"

namespace dsm {

// What must be the same for a checkpoint to be of use. A value.
struct CheckpointHeader {
  std::uint64_t ranks = 0, rank = 0;
  std::uint64_t page_bytes = 0, pages = 0;
  std::uint64_t dealing = 0;
  std::uint64_t number = 0;  // of the checkpoint: not compared
  // Is it of the same space?
  bool IsLike(const CheckpointHeader& other) const {
    return ranks == other.ranks && rank == other.rank && page_bytes == other.page_bytes &&
           pages == other.pages && dealing == other.dealing;
  }
  friend bool operator==(const CheckpointHeader&, const CheckpointHeader&) = default;
};

// Writes one beside where it belongs. A resource.
class CheckpointWriter {
 public:
  // Errors of all: Internal, with the file and what the system said; ResourceExhausted where the
  // file would grow beyond the limit of file sizes (ulimit -f).
  absl::Status Open(const std::string& file, const CheckpointHeader& header);
  absl::Status Add(PageNumber first, std::span<const std::byte> pages);
  // It is on the disk then.
  absl::Status Finish();
  // It takes the place of what was there.
  absl::Status Publish();
  // What is not published is removed.
  ~CheckpointWriter();

 private:
  absl::Status Write(std::span<const std::byte> bytes);

  std::string file_;
  std::FILE* stream_ = nullptr;
  std::uint64_t sum_ = 0;
  std::uint64_t written_ = 0;  // bytes
  PageSize page_size_{1};
};

// The number of a file's checkpoint, of any space. Errors: NotFound; DataLoss for a file that is
// shorter than a header; FailedPrecondition for no checkpoint of this version.
absl::StatusOr<std::uint64_t> ReadCheckpointNumber(const std::string& file);

// Reads the file once. Errors: as ReadCheckpoint.
absl::Status VerifyCheckpoint(const std::string& file, const CheckpointHeader& expected);

// Calls on_page(number, its bytes) for each of the file, after it was read once to see that it is
// whole. Errors: NotFound; FailedPrecondition, with both, for one of another space; DataLoss
// for one that is not whole. Returns its number.
absl::StatusOr<std::uint64_t> ReadCheckpoint(
    const std::string& file, const CheckpointHeader& expected,
    const std::function<absl::Status(PageNumber page, std::span<const std::byte>)>& on_page);

}  // namespace dsm
