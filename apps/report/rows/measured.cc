#include "apps/report/rows/measured.h"

#include <algorithm>

#include "apps/program/spread.h"
#include "apps/program/table.h"

namespace report {

bool IsDisturbed(const Json& row) { return row.contains("disturbed") && row["disturbed"] == true; }

program::Quality QualityOf(const Json& row) {
  return IsDisturbed(row) ? program::Quality::kDisturbed : program::Quality::kGood;
}

std::string FigureOf(const Json& row, const std::string& key, const Format& format) {
  if (!row.contains(key)) return "";
  return program::Fixed(NumberOf(row, key) * format.scale, format.digits) +
         (IsDisturbed(row) ? " " + std::string(program::kDagger) : "");
}

std::string QuartilesOf(const Json& row, const std::string& key, const Format& format) {
  if (!row.contains(key)) return "";
  if (NumberOf(row, "repetitions") == 1) return "once";
  if (!row.contains(key + "_q1") || !row.contains(key + "_q3")) return "";
  return program::ToText({.q1 = NumberOf(row, key + "_q1") * format.scale,
                          .q3 = NumberOf(row, key + "_q3") * format.scale},
                         format.digits);
}

std::string SpreadInWords(const Json& row, const std::string& key, const Format& format) {
  const std::string quartiles = QuartilesOf(row, key, format);
  std::string words = quartiles.empty()     ? ""
                      : quartiles == "once" ? "measured once"
                                            : "quartiles " + quartiles;
  if (IsDisturbed(row))
    words += std::string(words.empty() ? "" : "; ") + "† disturbed by other work";
  return words;
}

std::optional<program::Whisker> WhiskerOf(const Json& row, const std::string& key, double scale) {
  if (NumberOf(row, "repetitions") == 1 || !row.contains(key + "_q1")) return std::nullopt;
  const double high = std::max(NumberOf(row, key + "_q3"), NumberOf(row, key));
  return program::Whisker{NumberOf(row, key + "_q1") * scale, high * scale};
}

const Json* BestOf(const std::vector<Json>& rows, const std::string& key) {
  const Json* best = nullptr;
  for (const Json& row : rows) {
    const bool is_better =
        best == nullptr || (IsDisturbed(*best) && !IsDisturbed(row)) ||
        (IsDisturbed(*best) == IsDisturbed(row) && NumberOf(row, key) > NumberOf(*best, key));
    if (is_better) best = &row;
  }
  return best;
}

std::string FootnoteOf(const std::vector<Json>& rows) {
  const bool has_dagger = std::any_of(rows.begin(), rows.end(), IsDisturbed);
  return has_dagger ? std::string(program::kFootnote) : "";
}

}  // namespace report
