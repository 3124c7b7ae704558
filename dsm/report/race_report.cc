#include "dsm/report/race_report.h"

#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "dsm/report/element_name.h"

namespace dsm {
namespace {

constexpr std::uint64_t kMostReported = 10;

}  // namespace

void RaceReport::Report(std::span<const Race> races) {
  for (const Race& race : races) {
    const std::uint64_t before = count_.fetch_add(1, std::memory_order_relaxed);
    if (before >= kMostReported) continue;
    const std::string text = absl::StrCat(
        "dsm: race: ", race.bytes, race.bytes == 1 ? " byte" : " bytes", " at 0x",
        absl::Hex(reinterpret_cast<std::uintptr_t>(map_.AddressOf(race.offset))), ", element ",
        NameOfElement(map_, race.offset), ", written by ranks ", race.one, " and ", race.other,
        " between the same flush barriers\n",
        before + 1 == kMostReported ? "dsm: there may be more races at this rank\n" : "");
    std::fputs(text.c_str(), stderr);
  }
}

}  // namespace dsm
