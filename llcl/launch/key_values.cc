#include "llcl/launch/key_values.h"

#include <utility>

namespace llcl {
namespace {

// A part's first letter shows whether another follows.
constexpr char kMore = 'm', kLast = 'l';

std::string KeyOf(int round, int part) {
  return std::to_string(round) + "-" + std::to_string(part);
}

absl::Status PutParts(KeyValueSpace& space, int round, std::string_view bytes) {
  for (int i = 0;; ++i) {
    const std::string_view part = bytes.substr(0, space.most_bytes() - 1);
    bytes.remove_prefix(part.size());
    const absl::Status put =
        space.Put(KeyOf(round, i), (bytes.empty() ? kLast : kMore) + std::string(part));
    if (!put.ok() || bytes.empty()) return put;
  }
}

absl::StatusOr<std::string> GetParts(KeyValueSpace& space, int round, int rank) {
  std::string bytes;
  for (int i = 0;; ++i) {
    const absl::StatusOr<std::string> part = space.Get(rank, KeyOf(round, i));
    if (!part.ok()) return part.status();
    if (part->empty() || ((*part)[0] != kMore && (*part)[0] != kLast)) {
      return absl::UnavailableError("the launcher gave back another value than was put");
    }
    bytes.append(*part, 1);
    if ((*part)[0] == kLast) return bytes;
  }
}

}  // namespace

absl::StatusOr<std::vector<std::string>> Allgather(KeyValueSpace& space, int size, int round,
                                                   std::string_view mine) {
  if (absl::Status put = PutParts(space, round, mine); !put.ok()) return put;
  if (absl::Status all_here = space.Fence(); !all_here.ok()) return all_here;
  std::vector<std::string> all;
  for (int rank = 0; rank < size; ++rank) {
    absl::StatusOr<std::string> one = GetParts(space, round, rank);
    if (!one.ok()) return one.status();
    all.push_back(*std::move(one));
  }
  return all;
}

}  // namespace llcl
