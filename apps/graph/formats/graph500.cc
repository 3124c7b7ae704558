#include <algorithm>
#include <string>

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

// A value: ids as they stand in the file.
struct WideEdge {
  std::uint64_t from;
  std::uint64_t to;
};

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

template <typename Record>
absl::StatusOr<EdgeList> ParseRecords(std::string_view file, std::string_view bytes) {
  if (bytes.empty()) return Fault(file, 0, "an empty file", Record::kNoun);
  EdgeList list;
  list.edges.reserve(bytes.size() / Record::kBytes);
  std::uint64_t largest = 0;
  std::size_t offset = 0;
  for (; bytes.size() - offset >= Record::kBytes; offset += Record::kBytes) {
    const WideEdge edge = Record::At(bytes.data() + offset);
    for (const std::uint64_t id : {edge.from, edge.to}) {
      if (id >= kMaxVertices) {
        return Fault(file, offset, "id " + std::to_string(id),
                     "a vertex from 0 to " + std::to_string(kMaxVertices - 1));
      }
    }
    largest = std::max({largest, edge.from, edge.to});
    list.edges.push_back({static_cast<Vertex>(edge.from), static_cast<Vertex>(edge.to)});
  }
  if (offset != bytes.size()) {
    return Fault(file, offset, std::to_string(bytes.size() - offset) + " bytes at the end",
                 std::string(Record::kNoun) + " of " + std::to_string(Record::kBytes) + " bytes");
  }
  list.vertices = largest + 1;
  return list;
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

absl::StatusOr<EdgeList> ParseGraph500(Format format, std::string_view file,
                                       std::string_view bytes) {
  return format == Format::kGraph500Packed ? ParseRecords<Packed>(file, bytes)
                                           : ParseRecords<Pair>(file, bytes);
}

bool LooksLikeGraph500(Format format, std::string_view bytes) {
  return format == Format::kGraph500Packed ? HaveNarrowIds<Packed>(bytes)
                                           : HaveNarrowIds<Pair>(bytes);
}

}  // namespace graph
