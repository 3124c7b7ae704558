#include "taskrt/ompc/translate/emit/lists.h"

#include "absl/strings/str_cat.h"
#include "taskrt/ompc/translate/emit/arrays.h"
#include "taskrt/ompc/translate/emit/functions.h"

namespace taskrt {
namespace {

std::string OrZero(const std::string& lower) { return lower.empty() ? "0" : lower; }

// The elements that a section has from the last brackets of `array` on.
std::string LengthOf(const std::string& array, const Range& range) {
  if (!range.length.empty()) return absl::StrCat("(", range.length, ")");
  return absl::StrCat("(OMPC_LENGTH(", array, ") - (", OrZero(range.lower), "))");
}

std::string CopyOf(const MapElement& map) {
  if (map.is_lost) return "OMPC_TO_LOSE";
  return map.type == "in"      ? "0"
         : map.type == "out"   ? "1"
         : map.type == "inout" ? "2"
                               : "OMPC_SCRATCH";
}

std::string MapOf(const MapElement& map) {
  const ListItem& item = map.item;
  const std::string copy = CopyOf(map);
  if (!item.inner.empty()) {
    const Span span = SpanOf(item);
    return absl::StrCat("OMPC_MAP_SPAN(", item.base, ", ", span.first, ", ", span.last, ", ",
                        span.count, ", ", copy, ")");
  }
  if (item.length.empty() && item.lower.empty()) {
    return absl::StrCat("OMPC_MAP(", item.base, ", ", copy, ")");
  }
  return absl::StrCat("OMPC_MAP_PART(", item.base, ", ", OrZero(item.lower), ", ",
                      item.length.empty() ? LengthOf(item.base, {item.lower, ""}) : item.length,
                      ", ", copy, ")");
}

std::string TextOf(const MapElement& map) {
  switch (map.kind) {
    case MapElement::Kind::kArgument:
      return absl::StrCat("OMPC_MAP_PRESENT(ompc_args[", map.number, "])");
    case MapElement::Kind::kImplied:
      return map.default_map ? absl::StrCat("OMPC_IMPLIED_MAP_AS(", map.shown, ", ",
                                            TextOf(*map.default_map), ")")
                             : absl::StrCat("OMPC_IMPLIED_MAP(", map.shown, ")");
    case MapElement::Kind::kItem:
      break;
  }
  return MapOf(map);
}

std::string Added(const std::string& list, const std::string& block) {
  return absl::StrCat("ompc_list_add(&ompc_", list, ", ", block, "); ");
}

// The loops of the iterators, around what adds an element.
std::string TextOf(const IteratedBlocks& blocks) {
  std::string before, added, behind;
  for (std::size_t i = 0; i < blocks.iterations.size(); ++i) {
    const auto& [variable, from, to, by] = blocks.iterations[i];
    const std::string end = absl::StrCat("ompc_end", i), step = absl::StrCat("ompc_step", i),
                      begin = absl::StrCat("ompc_begin", i);
    absl::StrAppend(&before, "{ ", variable.Declare(begin), " = ", from, "; ",
                    variable.Declare(end), " = ", to, "; const long ", step, " = ", by, "; for (",
                    variable.Declare(variable.name), " = ", begin, "; ", step, " > 0 ? ",
                    variable.name, " < ", end, " : ", variable.name, " > ", end, "; ",
                    variable.name, " += ", step, ") { ");
    behind += "} } ";
  }
  for (const std::string& object : blocks.objects) {
    absl::StrAppend(&added, "ompc_list_add_object(&ompc_in, &ompc_out, &(", object, ")); ");
  }
  for (const DependBlock& block : blocks.blocks) {
    if (blocks.type != "out") added += Added("in", TextOf(block));
    if (blocks.type != "in") added += Added("out", TextOf(block));
  }
  return absl::StrCat(before, added, behind);
}

}  // namespace

std::string TextOf(const DependBlock& block) {
  const ListItem& item = block.item;
  if (block.means == DependBlock::Means::kPlace) return absl::StrCat("(void *)&(", item.base, ")");
  if (block.means == DependBlock::Means::kBlockOrPlace) {
    return absl::StrCat("OMPC_BLOCK_OR_PLACE(", item.base, ")");
  }
  if (!item.is_section) return absl::StrCat("OMPC_BLOCK(", item.base, ")");
  std::string array = item.base, lower = OrZero(item.lower);
  for (const Range& range : item.inner) {
    array = absl::StrCat("(", array, ")[", lower, "]");
    lower = OrZero(range.lower);
  }
  return absl::StrCat("OMPC_PART(", array, ", ", lower, ")");
}

Span SpanOf(const ListItem& item) {
  Span span{absl::StrCat("(", item.base, ")"), absl::StrCat("(", item.base, ")"), "1"};
  Range range{item.lower, item.length};
  std::string array = item.base;
  for (std::size_t i = 0;; ++i) {
    const std::string length = LengthOf(array, range);
    absl::StrAppend(&span.first, "[", OrZero(range.lower), "]");
    absl::StrAppend(&span.last, "[(", OrZero(range.lower), ") + ", length, " - 1]");
    absl::StrAppend(&span.count, " * ", length);
    if (i == item.inner.size()) return span;
    array = absl::StrCat("(", array, ")[0]");
    absl::StrAppend(&span.count, " * OMPC_IS_ROW(", array, ")");
    range = item.inner[i];
  }
}

std::string MapArray(const Lists& lists, const std::string& name) {
  std::vector<std::string> maps;
  for (const MapElement& map : lists.maps) maps.push_back(TextOf(map));
  return ArrayOf("void *", name, maps);
}

DependText DependTextOf(const Lists& lists) {
  DependText text;
  for (const DependBlock& block : lists.in) text.in.push_back(TextOf(block));
  for (const DependBlock& block : lists.out) text.out.push_back(TextOf(block));
  for (const IteratedBlocks& blocks : lists.iterated) text.filled += TextOf(blocks);
  return text;
}

std::string AddedTo(const DependText& lists) {
  std::string text;
  for (const std::string& in : lists.in) text += Added("in", in);
  for (const std::string& out : lists.out) text += Added("out", out);
  return text;
}

std::string ListArrays(const DependText& lists) {
  if (lists.filled.empty()) {
    return absl::StrCat(ArrayOf("void *", "ompc_in", lists.in),
                        ArrayOf("void *", "ompc_out", lists.out));
  }
  return absl::StrCat("struct ompc_list ompc_in = {0}, ompc_out = {0}; ", AddedTo(lists),
                      lists.filled);
}

std::string ListFields(const DependText& lists) {
  if (lists.filled.empty()) {
    return absl::StrCat(FieldsFor("in_count", "in_data", "ompc_in", lists.in.size()),
                        FieldsFor("out_count", "out_data", "ompc_out", lists.out.size()));
  }
  return ", .in_count = ompc_in.count, .in_data = ompc_in.data, .out_count = ompc_out.count, "
         ".out_data = ompc_out.data";
}

std::string ListArguments(const DependText& lists) {
  if (!lists.filled.empty()) {
    return "ompc_in.count, ompc_in.data, ompc_out.count, ompc_out.data";
  }
  const auto passed = [](const std::string& name, const std::vector<std::string>& elements) {
    return elements.empty() ? std::string("0, NULL") : absl::StrCat(elements.size(), ", ", name);
  };
  return absl::StrCat(passed("ompc_in", lists.in), ", ", passed("ompc_out", lists.out));
}

std::string ListsEnd(const DependText& lists) {
  return lists.filled.empty() ? "" : " ompc_list_free(&ompc_in); ompc_list_free(&ompc_out);";
}

}  // namespace taskrt
