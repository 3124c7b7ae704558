// C's arrays, and the fields of structures that name them.
//
// Pure. Threads: any.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace taskrt {

// "void *name[] = {...}; "; nothing where there are no elements.
inline std::string ArrayOf(const std::string& type, const std::string& name,
                           const std::vector<std::string>& elements) {
  if (elements.empty()) return "";
  return absl::StrCat(type, name, "[] = {", absl::StrJoin(elements, ", "), "}; ");
}

// ", .count = 2, .field = name"; nothing where there are no elements.
inline std::string FieldsFor(const std::string& count, const std::string& field,
                             const std::string& name, std::size_t elements) {
  if (elements == 0) return "";
  return absl::StrCat(", .", count, " = ", elements, ", .", field, " = ", name);
}

}  // namespace taskrt
