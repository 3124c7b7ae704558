#include "llcl/launch/agreement.h"

#include "absl/strings/str_cat.h"

namespace llcl {
namespace {

constexpr char kRefused = '\0';  // begins what a rank sends in place of its bytes

}  // namespace

absl::StatusOr<std::vector<std::string>> AllgatherOrRefuse(
    Launch& launch, const absl::StatusOr<std::string>& mine) {
  auto all = launch.Allgather(mine.ok() ? *mine : kRefused + std::string(mine.status().message()));
  // The own reason says more than the error of the failed Allgather.
  if (!mine.ok()) return mine.status();
  if (!all.ok()) return all.status();
  for (std::size_t rank = 0; rank < all->size(); ++rank) {
    const std::string& bytes = (*all)[rank];
    if (bytes.empty() || bytes.front() != kRefused) continue;
    return absl::UnavailableError(absl::StrCat("rank ", rank, ": ", bytes.substr(1)));
  }
  return all;
}

absl::Status MeetOrRefuse(Launch& launch, const absl::Status& mine) {
  return AllgatherOrRefuse(launch, mine.ok() ? absl::StatusOr<std::string>("") : mine).status();
}

}  // namespace llcl
