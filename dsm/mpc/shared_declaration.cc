#include "dsm/mpc/shared_declaration.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace dsm::mpc {
namespace {

bool HasEmpty(const std::vector<std::string>& texts) {
  return std::any_of(texts.begin(), texts.end(),
                     [](const std::string& text) { return text.empty(); });
}

absl::Status ReadMapping(Reader& reader, SharedData& data) {
  data.divisions = reader.Bracketed();
  if (data.divisions.size() != data.extents.size() || HasEmpty(data.divisions)) {
    return reader.Expected(reader.at(), "as many divisions as extents");
  }
  const std::string target = "(first,count) behind the divisions";
  if (!reader.Take("(")) return reader.Expected(reader.at(), target);
  data.first = reader.Until(",)");
  if (!reader.Take(",")) return reader.Expected(reader.at(), target);
  data.count = reader.Until(")");
  if (!reader.Take(")")) return reader.Expected(reader.at(), target);
  return absl::OkStatus();
}

// Behind the name.
absl::Status ReadShape(Reader& reader, SharedData& data) {
  data.extents = reader.Bracketed();
  const bool is_elsewhere = data.linkage == Linkage::kElsewhere;
  // As in C, a declaration of what is elsewhere may leave the first extent out.
  const bool may_be_empty = is_elsewhere && !data.extents.empty() && data.extents[0].empty();
  std::vector<std::string> extents = data.extents;
  if (may_be_empty) extents.erase(extents.begin());
  if (HasEmpty(extents)) {
    return reader.Expected(reader.at(), "the extents of a shared array: [..]");
  }
  if (reader.Take("::")) {
    if (is_elsewhere) {
      return reader.Expected(reader.at(), "no mapping: it stands where the array is defined");
    }
    if (data.is_scalar()) {
      return reader.Expected(reader.at(), "extents before the mapping of a shared array");
    }
    return ReadMapping(reader, data);
  }
  if (reader.Take("=")) {
    return reader.Expected(reader.at(), "no initializer: shared data begin as zeros");
  }
  return absl::OkStatus();
}

std::string NameOfPointer(const SharedData& data) {
  return data.is_scalar() ? absl::StrCat("mpc_shared_", data.name) : data.name;
}

}  // namespace

absl::StatusOr<std::vector<SharedData>> ReadShared(Reader& reader, std::size_t start,
                                                   Linkage linkage) {
  // The type is all words but the last, which is the name.
  std::vector<std::string> words;
  for (reader.SkipSpace(); !reader.at_end() && IsWord(reader.next()); reader.SkipSpace()) {
    words.push_back(reader.Word());
  }
  if (words.size() < 2) return reader.Expected(start, "a type and a name after `shared`");
  SharedData data = {.linkage = linkage, .type = "", .name = words.back(), .extents = {}};
  words.pop_back();
  data.type = absl::StrJoin(words, " ");
  std::vector<SharedData> all;
  while (true) {
    data.divisions.clear();
    if (absl::Status shape = ReadShape(reader, data); !shape.ok()) return shape;
    all.push_back(data);
    if (!reader.Take(",")) break;
    reader.SkipSpace();
    data.name = reader.Word();
    if (data.name.empty()) return reader.Expected(reader.at(), "a name");
  }
  if (!reader.Take(";")) return reader.Expected(reader.at(), "a ; behind shared data");
  return all;
}

std::string UseOfScalar(const std::string& name) {
  return absl::StrCat("(*mpc_shared_", name, ")");
}

std::string PointerOf(const SharedData& data) {
  const std::string linkage = data.linkage == Linkage::kStatic      ? "static "
                              : data.linkage == Linkage::kElsewhere ? "extern "
                                                                    : "";
  if (data.extents.size() < 2) {
    return absl::StrCat(linkage, data.type, " *", NameOfPointer(data), ";");
  }
  const std::vector<std::string> inner(data.extents.begin() + 1, data.extents.end());
  return absl::StrCat(linkage, data.type, " (*", data.name, ")[", absl::StrJoin(inner, "]["), "];");
}

std::string AllocationOf(const std::vector<SharedData>& all) {
  std::string text;
  for (const SharedData& data : all) {
    if (data.linkage == Linkage::kElsewhere) continue;
    if (data.divisions.empty()) {
      absl::StrAppend(&text, "  ", NameOfPointer(data), " = sms_alloc(sizeof(", data.type, ")");
      for (const std::string& extent : data.extents) {
        absl::StrAppend(&text, " * (size_t)(", extent, ")");
      }
      absl::StrAppend(&text, ", 0);\n");
      continue;
    }
    absl::StrAppend(&text, "  {\n    const size_t extents[] = {", absl::StrJoin(data.extents, ", "),
                    "};\n    const int divisions[] = {", absl::StrJoin(data.divisions, ", "),
                    "};\n    ", data.name, " = sms_mapalloc(", data.extents.size(),
                    ", extents, sizeof(", data.type, "), divisions, ", data.first, ", ", data.count,
                    ");\n  }\n");
  }
  if (text.empty()) return "";
  return absl::StrCat(
      "\n/* By mpc: what the shared declarations above mean. */\n"
      "static void mpc_allocate(void) {\n",
      text, "}\nMPC_ALLOCATE_AT_START(mpc_allocate)\n");
}

}  // namespace dsm::mpc
