// Operations of two members that do not fit, in numbers that all members get, and as a sentence.
//
// Pure.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "llcl/collective/farewell.h"

namespace llcl {

// A value, of the same bytes on all ranks.
struct Disagreement {
  // The numbers that differ.
  enum class About : std::uint64_t {
    kNoPart,    // the receiver expects none then
    kPart,      // bytes of the part
    kElements,  // bytes of an element, in parts of equal bytes
  };
  std::int32_t from = 0, to = 0;  // ranks of the job
  std::uint64_t sent = 0, expected = 0;
  About about = About::kNoPart;
};

inline std::string SentenceOf(const CollectiveId& id, const Disagreement& one) {
  const std::string where = absl::StrCat(", in operation ", id.number, " of the team");
  if (one.about == Disagreement::About::kElements) {
    return absl::StrCat("rank ", one.from, " combines elements of ", one.sent, " bytes, rank ",
                        one.to, " of ", one.expected, where);
  }
  const std::string expected = one.about == Disagreement::About::kPart
                                   ? absl::StrCat(one.expected, " bytes")
                                   : std::string("nothing");
  return absl::StrCat("rank ", one.from, " sends ", one.sent, " bytes to rank ", one.to,
                      ", which expects ", expected, where);
}

}  // namespace llcl
