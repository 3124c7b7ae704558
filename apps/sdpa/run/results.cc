#include "apps/sdpa/run/results.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "apps/program/plot.h"
#include "apps/program/table.h"
#include "apps/sdpa/files/number_text.h"
#include "apps/sdpa/proof/certify.h"
#include "apps/sdpa/proof/infeasibility.h"
#include "apps/sdpa/proof/judge.h"
#include "apps/sdpa/schur/kind.h"

namespace sdpa {
namespace {

std::string Short(double value) { return absl::StrCat(absl::SixDigits(value)); }

// Null for what is not known, and for infinity, which JSON does not have.
program::Json OrNull(std::optional<double> value) {
  return value && std::isfinite(*value) ? program::Json(*value) : program::Json(nullptr);
}

std::string WordOfSchur(bool is_sparse) {
  return std::string(kSchurKinds.Print(is_sparse ? SchurKind::kSparse : SchurKind::kDense));
}

// "; elements 1.20 s and factorizations 0.31 s, summed over tasks".
std::string SplitOf(const Outcome& outcome) {
  std::string text;
  if (outcome.elements_seconds) {
    absl::StrAppend(&text, "; elements ", program::Fixed(*outcome.elements_seconds, 2), " s");
  }
  if (outcome.cholesky_seconds) {
    absl::StrAppend(&text, " and factorizations ", program::Fixed(*outcome.cholesky_seconds, 2),
                    " s");
  }
  return text.empty() ? text : text + ", summed over tasks";
}

// The errors of a proof, in the problem's own units (proof/certify.h).
std::string SentenceOf(const Outcome& outcome) {
  const bool is_primal = IsPrimalInfeasible(outcome.judgement.status);
  const double least = outcome.judgement.proof.least_size;
  if (std::isinf(least)) return absl::StrCat(is_primal ? "Y" : "x", " proves it\n");
  return is_primal ? absl::StrCat(
                         "by Y, in units of |F_0|/|F_i| and |F_0| no feasible x and X have "
                         "|x| + tr X below ",
                         Short(least), "\n")
                   : absl::StrCat(
                         "by x, in units of the largest |c_i|/|F_i| no feasible Y has a "
                         "trace below ",
                         Short(least), "\n");
}

std::string CopiesOf(const Resolved& resolved, const Outcome& outcome) {
  if (resolved.options.devices.all() == 0) return "";
  const taskrt::CopyCounts& copies = outcome.counts.copies;
  return absl::StrCat("copies           ", copies.h2d.copies, " to devices, ", copies.d2h.copies,
                      " back, ", copies.d2d.copies, " across\n");
}

}  // namespace

program::Json ToJson(const Resolved& resolved, const Flags& flags, const Outcome& outcome) {
  program::Json json = {
      {"mode", std::string(kModes.Print(Mode::kSolve))},
      {"instance", resolved.name},
      {"m", resolved.problem.constraints()},
      {"policy", std::string(topo::ToString(outcome.policy))},
      {"placement", std::string(kDataPlacements.Print(DataPlacement::kFirstTouch))},
      {"threads", outcome.threads},
      {"devices", flags.devices},
      {"precision", std::string(kPrecisions.Print(
                        outcome.is_double_double ? Precision::kDoubleDouble : Precision::kDouble))},
      {"schur", WordOfSchur(outcome.is_sparse)},
      {"phase", std::string(ToString(outcome.judgement.status))},
      {"iterations", outcome.iterations.size()},
      {"elements_seconds", OrNull(outcome.elements_seconds)},
      {"cholesky_seconds", OrNull(outcome.cholesky_seconds)},
      {"copies_h2d", outcome.counts.copies.h2d.copies},
      {"copies_d2h", outcome.counts.copies.d2h.copies},
      {"copies_d2d", outcome.counts.copies.d2d.copies}};
  if (resolved.options.devices.is_virtual()) {
    json["simulated"] = true;
    json["virtual_seconds"] = outcome.seconds;
  } else {
    json["seconds"] = outcome.seconds;
  }
  const Certificate& certificate = outcome.judgement.certificate;
  json["primal"] = OrNull(certificate.primal);
  json["dual"] = OrNull(certificate.dual);
  json["dimacs"] = program::Json::array();
  for (const double error : certificate.errors) json["dimacs"].push_back(OrNull(error));
  if (IsInfeasible(outcome.judgement.status)) {
    const InfeasibilityProof& proof = outcome.judgement.proof;
    json["proof_residual"] = proof.residual;
    json["proof_shift"] = proof.shift;
    json["least_size"] = OrNull(proof.least_size);
  }
  if (resolved.known) json["known"] = *resolved.known;
  return json;
}

program::Json ToJson(const Resolved& resolved, const ElementsTime& row) {
  return {{"mode", std::string(kModes.Print(Mode::kElements))},
          {"instance", resolved.name},
          {"m", resolved.problem.constraints()},
          {"method", std::string(kMethods.Print(row.method))},
          {"policy", std::string(topo::ToString(row.policy))},
          {"placement", std::string(kDataPlacements.Print(row.placement))},
          {"threads", row.threads},
          {"devices", "host"},
          {"precision", std::string(kPrecisions.Print(Precision::kDouble))},
          {"schur", WordOfSchur(row.is_sparse)},
          {"phase", nullptr},
          {"iterations", nullptr},
          {"primal", nullptr},
          {"dual", nullptr},
          {"seconds", row.seconds},
          {"elements_seconds", OrNull(row.elements_seconds)},
          {"cholesky_seconds", 0},
          {"copies_h2d", 0},
          {"copies_d2h", 0},
          {"copies_d2d", 0},
          {"dimacs", nullptr},
          {"largest_error", row.largest_error}};
}

std::string ToText(const Resolved& resolved, const Outcome& outcome) {
  const Judgement& judgement = outcome.judgement;
  const bool is_chosen =
      resolved.options.precision == Precision::kChosen && outcome.is_double_double;
  std::string text = absl::StrCat(
      "\n", resolved.name, ": ", std::string(ToString(judgement.status)), " after ",
      outcome.iterations.size(), " iterations", is_chosen ? ", the last in pairs of doubles," : "",
      " and ", program::Fixed(outcome.seconds, 2),
      resolved.options.devices.is_virtual() ? " virtual s" : " s", SplitOf(outcome), ", ",
      outcome.threads, outcome.threads == 1 ? " thread" : " threads",
      outcome.is_sparse ? ", sparse\n" : "\n");
  if (IsInfeasible(judgement.status)) {
    absl::StrAppend(&text, SentenceOf(outcome));
  }
  const Certificate& certificate = judgement.certificate;
  absl::StrAppend(&text, "primal objective ", Shortest(certificate.primal), "\ndual objective   ",
                  Shortest(certificate.dual), "\nDIMACS errors    ",
                  absl::StrJoin(certificate.errors, " "), "\n");
  if (resolved.has_integers) {
    text += "the file asks for integers, and this is the solution without that wish\n";
  }
  if (resolved.known) absl::StrAppend(&text, "known value      ", Shortest(*resolved.known), "\n");
  return text + CopiesOf(resolved, outcome);
}

std::string ToText(const Resolved& resolved, const std::vector<ElementsTime>& rows,
                   program::Color color) {
  using Align = program::Table::Align;
  program::Table table({{"method", Align::kLeft},
                        {"policy", Align::kLeft},
                        {"placement", Align::kLeft},
                        {"threads"},
                        {"seconds"},
                        {"thread seconds"},
                        {"largest error"}});
  for (const ElementsTime& row : rows) {
    table.AddRow({std::string(kMethods.Print(row.method)), std::string(topo::ToString(row.policy)),
                  std::string(kDataPlacements.Print(row.placement)), absl::StrCat(row.threads),
                  program::Fixed(row.seconds, 6),
                  row.elements_seconds ? program::Fixed(*row.elements_seconds, 6) : "",
                  Short(row.largest_error)});
  }
  return absl::StrCat(resolved.name, ": the elements of one iteration, ",
                      resolved.problem.constraints(), " constraints\n", table.Render(color));
}

std::string ToSvg(const Resolved& resolved, const std::vector<Outcome>& outcomes) {
  program::Bars elements = {.name = "elements", .values = {}};
  program::Bars cholesky = {.name = "factorization", .values = {}};
  program::Bars rest = {.name = "all else", .values = {}};
  program::BarPlot plot = {
      .title = resolved.name + ": what the time was spent on",
      .y_label = resolved.options.devices.is_virtual() ? "virtual seconds" : "seconds",
      .groups = {},
      .bars = {}};
  for (const Outcome& outcome : outcomes) {
    plot.groups.push_back(
        absl::StrCat(outcome.threads, outcome.threads == 1 ? " thread" : " threads",
                     resolved.mappings.front().policy() == resolved.mappings.back().policy()
                         ? ""
                         : absl::StrCat(", ", std::string(topo::ToString(outcome.policy)))));
    elements.values.push_back(outcome.elements_seconds.value_or(0) / outcome.threads);
    cholesky.values.push_back(outcome.cholesky_seconds.value_or(0) / outcome.threads);
    rest.values.push_back(
        std::max(0.0, outcome.seconds - elements.values.back() - cholesky.values.back()));
  }
  // Where devices factor, it is known how long the elements took; in virtual time nothing of it.
  if (!outcomes.front().cholesky_seconds) {
    plot.bars = {elements, rest};
    if (!outcomes.front().elements_seconds) plot.bars = {rest};
  } else {
    plot.bars = {elements, cholesky, rest};
  }
  return program::ToSvg(plot);
}

std::string ToSvg(const Resolved& resolved, const std::vector<ElementsTime>& rows) {
  program::LinePlot plot = {.title = resolved.name + ": the elements of one iteration",
                            .x_label = "threads",
                            .y_label = "milliseconds",
                            .x_scale = program::Scale::kLog2,
                            .lines = {}};
  for (const ElementsTime& row : rows) {
    const std::string name = absl::StrCat(std::string(kMethods.Print(row.method)), ", ",
                                          std::string(topo::ToString(row.policy)), ", ",
                                          std::string(kDataPlacements.Print(row.placement)));
    auto line = std::find_if(plot.lines.begin(), plot.lines.end(),
                             [&](const program::Line& each) { return each.name == name; });
    if (line == plot.lines.end()) line = plot.lines.insert(line, {.name = name, .points = {}});
    constexpr double kMilliseconds = 1e3;
    line->points.push_back(
        {.x = static_cast<double>(row.threads), .y = row.seconds * kMilliseconds});
  }
  return program::ToSvg(plot);
}

}  // namespace sdpa
