// What a count of a grid by arrays has come to, in a file: the residues that are complete, then the
// numbers of all open words after some rows of vertices modulo the next modulus.
//
// Threads: one.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "apps/program/checkpoint.h"

namespace simpath {

// A value.
class GridCheckpoint {
 public:
  GridCheckpoint(const program::CheckpointOptions& options, int cells, int moduli)
      : options_(options),
        rows_(cells + 1),
        moduli_(moduli),
        title_(absl::StrCat("simpath's arrays, version 1, of the grid of ", cells, "x", cells,
                            " cells modulo ", moduli, " numbers")),
        written_(Clock::now()) {}

  // Reads the file, if one is to be resumed. Errors: program::CheckpointReader's.
  absl::Status Resume(std::span<std::uint64_t> open) {
    if (!options_.resume) return absl::OkStatus();
    auto reader = program::CheckpointReader::Open(options_.file, title_);
    if (!reader.ok()) return reader.status();
    std::array<std::uint64_t, 2> head = {};  // complete residues, rows
    if (absl::Status status = reader->Read(head); !status.ok()) return status;
    const auto [complete, row] = head;
    if (complete >= static_cast<std::uint64_t>(moduli_) ||
        row >= static_cast<std::uint64_t>(rows_) || reader->left() != complete + open.size()) {
      return absl::DataLossError(options_.file + ": its numbers are not those of its title");
    }
    residues_.resize(complete);
    first_row_ = static_cast<int>(row);
    absl::Status status;
    if (!residues_.empty()) status = reader->Read(residues_);
    if (status.ok()) status = reader->Read(open);
    return status;
  }

  // Those that are complete.
  std::vector<std::uint64_t>& residues() { return residues_; }
  // The rows that are passed modulo the next modulus; 0 from the second call on.
  int TakeFirstRow() { return std::exchange(first_row_, 0); }

  // Writes the file, if it is time to. Errors: program::CheckpointWriter's.
  absl::Status WriteIfDue(int row, std::span<const std::uint64_t> open) {
    if (options_.file.empty() || Clock::now() - written_ < options_.every) return absl::OkStatus();
    auto writer = program::CheckpointWriter::Open(options_.file, title_);
    if (!writer.ok()) return writer.status();
    const std::array<std::uint64_t, 2> head = {residues_.size(), static_cast<std::uint64_t>(row)};
    absl::Status status = writer->Add(head);
    if (status.ok() && !residues_.empty()) status = writer->Add(residues_);
    if (status.ok()) status = writer->Add(open);
    if (status.ok()) status = writer->Publish();
    written_ = Clock::now();
    return status;
  }

 private:
  using Clock = std::chrono::steady_clock;

  program::CheckpointOptions options_;
  int rows_, moduli_;
  std::string title_;
  Clock::time_point written_;
  std::vector<std::uint64_t> residues_;
  int first_row_ = 0;
};

}  // namespace simpath
