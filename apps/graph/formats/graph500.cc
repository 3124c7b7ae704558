#include <algorithm>
#include <string>
#include <utility>

#include "apps/graph/formats/edge_lines.h"
#include "apps/graph/formats/numbering.h"
#include "apps/graph/formats/parsers.h"

namespace graph {
namespace {

// How many edges tell the two formats apart.
constexpr std::size_t kEdgesLookedAt = 1024;

std::uint64_t Word32(const char* bytes) {
  std::uint64_t word = 0;
  for (int i = 3; i >= 0; --i) word = word << 8 | static_cast<unsigned char>(bytes[i]);
  return word;
}

std::uint64_t Word64(const char* bytes) { return Word32(bytes + 4) << 32 | Word32(bytes); }

struct Pair {
  static constexpr std::size_t kBytes = 16;
  static constexpr const char* kNoun = "a pair of 64-bit ids";
  static WideEdge At(const char* bytes) { return {Word64(bytes), Word64(bytes + 8)}; }
};

// packed_edge of the reference code: v0_low, v1_low, high, whose lower half is of v0.
struct Packed {
  static constexpr std::size_t kBytes = 12;
  static constexpr const char* kNoun = "a packed edge";
  static WideEdge At(const char* bytes) {
    const std::uint64_t high = Word32(bytes + 8);
    return {(high & 0xffff) << 32 | Word32(bytes), high >> 16 << 32 | Word32(bytes + 4)};
  }
};

absl::Status Fault(std::string_view file, std::size_t offset, const std::string& found,
                   const std::string& expected) {
  return absl::InvalidArgumentError(std::string(file) + ": byte " + std::to_string(offset) +
                                    ": found " + found + ", expected " + expected);
}

// Precondition: ids fit into Id.
template <typename Record, typename Id>
absl::StatusOr<EdgeList> ReadRecords(std::string_view file, std::string_view bytes,
                                     const ParseOptions& options) {
  Edges<Id> edges;
  edges.edges.resize(bytes.size() / Record::kBytes);
  constexpr std::size_t kBlock = std::size_t{1} << 16;
  const std::size_t blocks = (edges.edges.size() + kBlock - 1) / kBlock;
  ForEachByThreads(blocks, options.threads, [&](std::size_t block) {
    const std::size_t end = std::min(edges.edges.size(), (block + 1) * kBlock);
    for (std::size_t i = block * kBlock; i < end; ++i) {
      const WideEdge edge = Record::At(bytes.data() + i * Record::kBytes);
      edges.edges[i] = {static_cast<Id>(edge.from), static_cast<Id>(edge.to)};
    }
  });
  return Numbered<Id>(file, std::move(edges), options);
}

template <typename Record>
absl::StatusOr<EdgeList> ParseRecords(std::string_view file, std::string_view bytes,
                                      ParseOptions options) {
  if (bytes.empty()) return Fault(file, 0, "an empty file", Record::kNoun);
  const std::size_t count = bytes.size() / Record::kBytes;
  if (const std::size_t rest = bytes.size() % Record::kBytes; rest != 0) {
    return Fault(file, count * Record::kBytes,
                 std::to_string(rest) + (rest == 1 ? " byte" : " bytes") + " at the end",
                 std::string(Record::kNoun) + " of " + std::to_string(Record::kBytes) + " bytes");
  }
  const bool is_exact = options.ids == IdRule::kFromZero || options.ids == IdRule::kFromOne;
  const std::uint64_t first = options.ids == IdRule::kFromOne ? 1 : 0;
  const std::uint64_t last = is_exact ? kMaxVertices - 1 + first : kMaxId;
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const WideEdge edge = Record::At(bytes.data() + i * Record::kBytes);
    for (const std::uint64_t id : {edge.from, edge.to}) {
      if (id < first || id > last) {
        return Fault(file, i * Record::kBytes, "id " + std::to_string(id),
                     "a vertex from " + std::to_string(first) + " to " + std::to_string(last));
      }
      largest = std::max(largest, id);
    }
  }
  // Ids of generators are from 0 on, whether 0 has an edge or not.
  if (options.ids == IdRule::kGuess && !AreSparse(largest, count)) options.ids = IdRule::kFromZero;
  return largest < kMaxVertices ? ReadRecords<Record, Vertex>(file, bytes, options)
                                : ReadRecords<Record, std::uint64_t>(file, bytes, options);
}

template <typename Record>
bool HaveNarrowIds(std::string_view bytes) {
  const std::size_t records = std::min(bytes.size() / Record::kBytes, kEdgesLookedAt);
  for (std::size_t i = 0; i < records; ++i) {
    const WideEdge edge = Record::At(bytes.data() + i * Record::kBytes);
    if (edge.from >= kMaxVertices || edge.to >= kMaxVertices) return false;
  }
  return records > 0;
}

}  // namespace

absl::StatusOr<EdgeList> ParseGraph500(Format format, std::string_view file, std::string_view bytes,
                                       const ParseOptions& options) {
  return format == Format::kGraph500Packed ? ParseRecords<Packed>(file, bytes, options)
                                           : ParseRecords<Pair>(file, bytes, options);
}

bool LooksLikeGraph500(Format format, std::string_view bytes) {
  return format == Format::kGraph500Packed ? HaveNarrowIds<Packed>(bytes)
                                           : HaveNarrowIds<Pair>(bytes);
}

}  // namespace graph
