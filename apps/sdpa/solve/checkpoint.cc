#include "apps/sdpa/solve/checkpoint.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "apps/program/checkpoint.h"

namespace sdpa {
namespace {

// Of all numbers of the problem (FNV-1a).
std::uint64_t HashOf(const Problem& problem) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&hash](std::uint64_t word) { hash = (hash ^ word) * 0x100000001b3; };
  for (const Block& block : problem.blocks) {
    add(block.shape == Shape::kDense ? 1 : 2);
    add(static_cast<std::uint64_t>(block.size));
  }
  for (const double cost : problem.costs) add(std::bit_cast<std::uint64_t>(cost));
  for (const SparseMatrix& matrix : problem.matrices) {
    add(matrix.size());
    for (const auto& [block, elements] : matrix) {
      add(static_cast<std::uint64_t>(block));
      add(elements.size());
      for (const auto [row, column, value] : elements) {
        add(static_cast<std::uint64_t>(row));
        add(static_cast<std::uint64_t>(column));
        add(std::bit_cast<std::uint64_t>(value));
      }
    }
  }
  return hash;
}

std::string TitleOf(const Problem& problem) {
  return absl::StrCat("sdpa, ", problem.constraints(), " constraints, ", problem.blocks.size(),
                      " blocks, ", absl::Hex(HashOf(problem)));
}

// Calls each(numbers) for x and all blocks, of a point or of the second numbers of its pairs.
template <typename Values, typename Each>
absl::Status ForEachPart(Values& values, const Each& each) {
  absl::Status status = each(values.x);
  for (auto* const blocks : {&values.slack, &values.dual}) {
    for (auto& block : *blocks) {
      if (status.ok()) status = each(block);
    }
  }
  return status;
}

}  // namespace

absl::Status WriteCheckpoint(const std::string& file, const Problem& problem,
                             const SolutionValues& point) {
  auto writer = program::CheckpointWriter::Open(file, TitleOf(problem));
  if (!writer.ok()) return writer.status();
  const auto add = [&](const std::vector<double>& numbers) {
    std::vector<std::uint64_t> words(numbers.size());
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = std::bit_cast<std::uint64_t>(numbers[i]);
    }
    return writer->Add(words);
  };
  absl::Status added = ForEachPart(point, add);
  if (added.ok() && !point.low.x.empty()) added = ForEachPart(point.low, add);
  return added.ok() ? writer->Publish() : added;
}

absl::StatusOr<SolutionValues> ReadCheckpoint(const std::string& file, const Problem& problem) {
  auto reader = program::CheckpointReader::Open(file, TitleOf(problem));
  if (!reader.ok()) return reader.status();
  SolutionValues point = ZerosFor(problem);
  const auto get = [&](std::vector<double>& numbers) {
    std::vector<std::uint64_t> words(numbers.size());
    const absl::Status status = reader->Read(words);
    for (std::size_t i = 0; i < words.size(); ++i) numbers[i] = std::bit_cast<double>(words[i]);
    return status;
  };
  absl::Status read = ForEachPart(point, get);
  if (read.ok() && reader->left() > 0) {
    point.low = {point.x, point.slack, point.dual};
    read = ForEachPart(point.low, get);
  }
  if (!read.ok()) return read;
  return point;
}

}  // namespace sdpa
