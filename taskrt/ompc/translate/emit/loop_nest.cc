#include "taskrt/ompc/translate/emit/loop_nest.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"

namespace taskrt {
namespace {

// The names of the variables that hold a loop's numbers.
struct Named {
  const SharedLoop& nested;
  std::string lower, upper, step, count, index;

  Named(const SharedLoop& which, std::size_t n)
      : nested(which),
        lower(absl::StrCat("ompc_lower", n)),
        upper(absl::StrCat("ompc_upper", n)),
        step(HasNumber() ? which.loop.step : absl::StrCat("ompc_step", n)),
        count(absl::StrCat("ompc_count", n)),
        index(absl::StrCat("ompc_index", n)) {}

  bool HasNumber() const { return nested.loop.step == "1" || nested.loop.step == "-1"; }
  const std::string& name() const { return nested.variable.name; }

  std::string Bounds() const {
    const Loop& loop = nested.loop;
    return absl::StrCat(nested.variable.Declare(lower), " = ", loop.lower,
                        "; const __typeof__(1 ? ", lower, " : (", loop.upper, ")) ", upper, " = ",
                        loop.upper, "; ");
  }
  std::string Step() const {
    return HasNumber() ? "" : absl::StrCat("const long ", step, " = ", nested.loop.step, "; ");
  }
  std::string Counted() const {
    return absl::StrCat("const long ", count, " = ", nested.loop.Count(lower, upper, step), "; ");
  }
  // The variable in the iteration that `number` counts.
  std::string Assigned(const std::string& number) const {
    return absl::StrCat(name(), " = ", lower, " + ", number, " * ", step, "; ");
  }
};

NestText OfOne(const Named& its) {
  return {.head = its.Bounds() + its.Step() + its.Counted(),
          .count = its.count,
          .open = absl::StrCat(
              its.Assigned("ompc_first"),
              "for (long ompc_left = ompc_last - ompc_first; ompc_left > 0; --ompc_left, ",
              its.name(), " += ", its.step, ") { "),
          .close = " }",
          .number = "ompc_last - ompc_left",
          .last = ""};
}

NestText OfRectangle(std::span<const Named> loops) {
  NestText text;
  std::string values, next;
  for (std::size_t i = loops.size(); i-- > 0;) {
    const Named& its = loops[i];
    text.head = its.Bounds() + its.Step() + its.Counted() + text.head;
    text.count = text.count.empty() ? its.count : absl::StrCat(its.count, " * ", text.count);
    text.last = its.Assigned(its.count) + text.last;
    text.open += i == 0 ? absl::StrCat("long ", its.index, " = ompc_rest; ")
                        : absl::StrCat("long ", its.index, " = ompc_rest % ", its.count,
                                       "; ompc_rest /= ", its.count, "; ");
    values = its.Assigned(its.index) + values;
    next = i + 1 == loops.size() ? absl::StrCat("++", its.index)
                                 : absl::StrCat(next, " == ", loops[i + 1].count, " ? (",
                                                loops[i + 1].index, " = 0, ++", its.index);
  }
  for (std::size_t i = 1; i < loops.size(); ++i) next += ") : 0";
  text.open =
      absl::StrCat("long ompc_rest = ompc_first; ", text.open,
                   "for (long ompc_left = ompc_last - ompc_first; ompc_left > 0; --ompc_left, ",
                   next, ") { ", values);
  text.close = " }";
  text.number = "ompc_last - ompc_left";
  return text;
}

NestText OfOther(std::span<const Named> loops) {
  NestText text;
  const Named& inner = loops.back();
  // The loops around the innermost one, as long as `condition` holds, and its bounds.
  std::string closed;
  const auto around = [&](const std::string& condition) {
    std::string outer;
    for (const Named& its : loops) {
      if (its.nested.loop.depends) absl::StrAppend(&outer, its.Bounds(), its.Counted());
      if (&its == &inner) break;
      absl::StrAppend(&outer, "for (long ", its.index, " = 0; ", its.index, " < ", its.count,
                      condition, "; ++", its.index, ") { ", its.Assigned(its.index));
    }
    return outer;
  };
  for (std::size_t i = 1; i < loops.size(); ++i) closed += " }";
  std::string variables;
  for (const Named& its : loops) {
    if (!its.nested.loop.depends) text.head += its.Bounds();
    text.head += its.Step();
    if (!its.nested.loop.depends) text.head += its.Counted();
    absl::StrAppend(&variables, its.nested.variable.Declare(its.name()), "; (void)", its.name(),
                    "; ");
    text.last += its.nested.loop.depends ? absl::StrCat(its.name(), " += ", its.step, "; ")
                                         : its.Assigned(its.count);
  }
  absl::StrAppend(&text.head, "long ompc_total = 0; { ", variables, around(""),
                  "ompc_total += ", inner.count, ";", closed, " } ");
  text.count = "ompc_total";
  text.open = absl::StrCat("long ompc_at = 0; ", around(" && ompc_at < ompc_last"), "for (long ",
                           inner.index, " = ompc_first > ompc_at ? ompc_first - ompc_at : 0; ",
                           inner.index, " < ", inner.count, " && ompc_at + ", inner.index,
                           " < ompc_last; ++", inner.index, ") { ", inner.Assigned(inner.index));
  text.close = absl::StrCat(" } ompc_at += ", inner.count, ";", closed);
  text.number = absl::StrCat("ompc_at + ", inner.index);
  return text;
}

}  // namespace

NestText NestTextOf(std::span<const SharedLoop> loops) {
  std::vector<Named> named;
  for (std::size_t i = 0; i < loops.size(); ++i) named.emplace_back(loops[i], i);
  if (named.size() == 1) return OfOne(named[0]);
  const bool is_rectangle = std::none_of(loops.begin(), loops.end(),
                                         [](const SharedLoop& each) { return each.loop.depends; });
  return is_rectangle ? OfRectangle(named) : OfOther(named);
}

}  // namespace taskrt
