#include "dsm/shared_options.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"

namespace dsm {
namespace {

std::string TextOf(const SharedOptions& space) {
  return absl::StrCat(space.bytes, " bytes at 0x", absl::Hex(space.base), " in pages of ",
                      space.page_bytes,
                      space.home_bytes == 0
                          ? ""
                          : absl::StrCat(", of which ", space.home_bytes, " bytes at home on each"),
                      space.finds_races == 0 ? "" : ", and finds races",
                      space.threads == 0 ? "" : absl::StrCat(", for ", space.threads, " threads"));
}

}  // namespace

SharedOptions SharedOptionsOf(const SpaceOptions& options, std::uintptr_t base) {
  return {.bytes = options.bytes,
          .page_bytes = options.page_bytes,
          .base = base,
          .home_bytes = options.home_bytes,
          .finds_races = options.finds_races ? 1u : 0u,
          .threads = static_cast<std::uint64_t>(options.threads),
          .handlers = options.handlers.size()};
}

absl::Status CheckSame(std::span<const SharedOptions> all, int rank) {
  const SharedOptions& mine = all[static_cast<std::size_t>(rank)];
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const SharedOptions& s) { return s != mine; });
  if (found == all.end()) return absl::OkStatus();
  const auto other = found - all.begin();
  SharedOptions but_handlers = *found;
  but_handlers.handlers = mine.handlers;
  if (but_handlers == mine) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the ranks have different numbers of handlers (SpaceOptions::handlers): ", rank, " has ",
        mine.handlers, ", ", other, " has ", found->handlers));
  }
  return absl::FailedPreconditionError(absl::StrCat("the ranks want different spaces: ", rank,
                                                    " has ", TextOf(mine), ", ", other, " has ",
                                                    TextOf(*found)));
}

}  // namespace dsm
