#include "apps/stream/measure/measure.h"

#include <algorithm>
#include <array>
#include <utility>

#include "apps/stream/kernels/limit.h"
#include "apps/stream/kernels/nontemporal.h"
#include "apps/stream/kernels/plain.h"
#include "apps/stream/kernels/validate.h"
#include "apps/stream/measure/tune.h"

namespace stream {
namespace {

absl::StatusOr<std::vector<Code>> CodesFor(Choice choice) {
  std::vector<Code> codes;
  if (choice != Choice::kPlain) codes = NonTemporalCodes();
  if (choice == Choice::kStream && codes.empty()) {
    return absl::InvalidArgumentError(
        "--kernel=stream: this processor has no non-temporal stores that this program knows "
        "(AVX2, AVX-512)");
  }
  if (choice != Choice::kStream) codes.push_back(PlainCode());
  return codes;
}

// All elements of one array, over all parts, by the threads that own them.
absl::Status ValidateOne(Team& team, const std::vector<Part>& parts, std::string_view name,
                         double* Part::*array, double expected) {
  std::vector<Errors> errors(parts.size());
  team.Run([&](const topo::Slot& slot) {
    const Part& part = parts[slot.thread];
    errors[slot.thread] = Compare(part.*array, part.size, expected);
  });
  Errors all;
  for (const Errors& some : errors) all += some;
  return Judge(name, expected, all);
}

absl::Status Validate(Team& team, const std::vector<Part>& parts, const std::string& variant,
                      const Expected& expected) {
  absl::Status status = ValidateOne(team, parts, "a of " + variant, &Part::a, expected.a);
  status.Update(ValidateOne(team, parts, "b of " + variant, &Part::b, expected.b));
  status.Update(ValidateOne(team, parts, "c of " + variant, &Part::c, expected.c));
  if (parts[0].sink != nullptr) {
    status.Update(ValidateOne(team, parts, "of the limit", &Part::sink, expected.sink));
  }
  return status;
}

std::vector<std::string> VerifyPlacement(const topo::Topology& topology,
                                         const topo::Mapping& mapping, Team& team,
                                         const Arrays& tuned, const Arrays& plain) {
  topo::Verifier verifier(topology, mapping);
  team.Run([&](const topo::Slot& slot) { verifier.ObserveThisThread(slot); });
  tuned.AddTo(verifier, "tuned ");
  plain.AddTo(verifier, "plain ");
  std::vector<std::string> notes;
  std::string text = verifier.Finish().ToString();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (end > at) notes.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return notes;
}

// All rows, without times yet.
struct Rows {
  std::array<Row, kKernels.size()> tuned;
  std::array<Row, kKernels.size()> plain;
  Row limit;
};

Rows MakeRows(const topo::Mapping& mapping, const Options& options,
              const std::array<const Code*, kKernels.size()>& codes, const Limit& limit) {
  Rows rows;
  Row row;
  row.policy = mapping.policy();
  row.threads = mapping.size();
  row.runtime = options.runtime;
  row.elements = options.elements;
  row.where = options.where;
  row.pages = options.pages;
  for (std::size_t i = 0; i < kKernels.size(); ++i) {
    row.kernel = kKernels[i];
    row.store = codes[i]->store;
    row.code = codes[i]->name;
    rows.tuned[i] = row;
  }
  row.variant = Variant::kLimit;
  row.store = limit.store;
  row.code = limit.name;
  rows.limit = row;  // Triad's bytes

  row.variant = Variant::kPlain;
  row.where = Where::kFirstTouch;
  row.pages = Pages::kSmall;
  row.store = PlainCode().store;
  row.code = PlainCode().name;
  for (std::size_t i = 0; i < kKernels.size(); ++i) {
    row.kernel = kKernels[i];
    rows.plain[i] = row;
  }
  return rows;
}

void RunRepetition(Team& team, const Arrays& tuned, const Arrays& plain,
                   const std::array<const Code*, kKernels.size()>& codes, const Limit& limit,
                   Rows& rows) {
  for (std::size_t i = 0; i < kKernels.size(); ++i) {
    rows.plain[i].seconds.push_back(TimeOf(team, PlainCode()[kKernels[i]], plain.parts()));
    rows.tuned[i].seconds.push_back(TimeOf(team, (*codes[i])[kKernels[i]], tuned.parts()));
  }
  rows.limit.seconds.push_back(TimeOf(team, limit.sweep, tuned.parts()));
}

// Drops the warm-up, takes the ratios, and lines the rows up.
std::vector<Row> Finish(Rows rows) {
  const auto drop_first = [](Row& row) { row.seconds.erase(row.seconds.begin()); };
  std::for_each(rows.tuned.begin(), rows.tuned.end(), drop_first);
  std::for_each(rows.plain.begin(), rows.plain.end(), drop_first);
  drop_first(rows.limit);
  const auto& limit = rows.limit.seconds;
  for (std::size_t i = 0; i < kKernels.size(); ++i) {
    Row& tuned = rows.tuned[i];
    Row& plain = rows.plain[i];
    tuned.ratio_to_plain = program::RatiosOf(plain.seconds, tuned.seconds);
    if (CountedBytes(kKernels[i]) == CountedBytes(rows.limit.kernel)) {
      tuned.ratio_to_limit = program::RatiosOf(limit, tuned.seconds);
      plain.ratio_to_limit = program::RatiosOf(limit, plain.seconds);
    }
  }
  rows.limit.ratio_to_plain =
      program::RatiosOf(rows.plain[static_cast<std::size_t>(Kernel::kTriad)].seconds, limit);
  std::vector<Row> all(rows.tuned.begin(), rows.tuned.end());
  all.insert(all.end(), rows.plain.begin(), rows.plain.end());
  all.push_back(std::move(rows.limit));
  MarkDisturbed(all);
  return all;
}

}  // namespace

double Row::seconds_min() const { return *std::min_element(seconds.begin(), seconds.end()); }

double Row::seconds_median() const { return program::Median(seconds); }

double Row::gb_per_s() const {
  return CountedBytes(kernel) * static_cast<double>(elements) / seconds_min() / 1e9;
}

program::Spread Row::gb_per_s_spread() const {
  return program::SpeedsOf(CountedBytes(kernel) * static_cast<double>(elements) / 1e9, seconds);
}

double Row::gb_per_s_moved() const {
  return MovedBytes(kernel, store) * static_cast<double>(elements) / seconds_min() / 1e9;
}

void MarkDisturbed(std::vector<Row>& rows) {
  const auto differs = [&](const Row& row, const program::Spread& ratio, const Row& other) {
    return ratio.median > 0 && program::Disagree(ratio.median, row.gb_per_s() / other.gb_per_s());
  };
  for (Row& row : rows) {
    row.is_disturbed = program::IsDisturbed(row.gb_per_s_spread(), row.gb_per_s());
    for (const Row& other : rows) {
      const bool is_same = other.kernel == row.kernel;
      if ((other.variant == Variant::kPlain && is_same &&
           differs(row, row.ratio_to_plain, other)) ||
          (other.variant == Variant::kLimit && differs(row, row.ratio_to_limit, other))) {
        row.is_disturbed = true;
      }
    }
  }
}

absl::StatusOr<Measurement> Measure(const topo::Topology& topology, const topo::Mapping& mapping,
                                    const Options& options,
                                    const std::function<void(const std::string&)>& progress) {
  const std::string what = std::string(topo::ToString(mapping.policy())) + ", " +
                           std::to_string(mapping.size()) +
                           (mapping.size() == 1 ? " thread: " : " threads: ");
  const absl::StatusOr<std::vector<Code>> codes = CodesFor(options.choice);
  if (!codes.ok()) return codes.status();

  const ArraysOptions tuned_options = {
      .where = options.where, .pages = options.pages, .sink = ArraysOptions::Sink::kAlso};
  const ArraysOptions plain_options = {.where = Where::kFirstTouch, .pages = Pages::kSmall};
  auto tuned = Arrays::Allocate(topology, mapping, options.elements, tuned_options);
  if (!tuned.ok()) return tuned.status();
  auto plain = Arrays::Allocate(topology, mapping, options.elements, plain_options);
  if (!plain.ok()) return plain.status();
  auto team = StartTeam(options.runtime, topology, mapping);
  if (!team.ok()) return team.status();

  progress(what + "first touch");
  plain->Fill(**team);
  tuned->Fill(**team);
  progress(what + "choosing kernels");
  const auto chosen = Tune(**team, tuned->parts(), *codes);
  const std::vector<Limit> limits = Limits();
  const Limit& limit = Tune(**team, tuned->parts(), limits);
  tuned->Fill(**team);

  Rows rows = MakeRows(mapping, options, chosen, limit);
  for (int i = 0; i < options.repetitions; ++i) {
    progress(what + "repetition " + std::to_string(i + 1) + " of " +
             std::to_string(options.repetitions));
    RunRepetition(**team, *tuned, *plain, chosen, limit, rows);
  }

  progress(what + "validating");
  const Expected expected = ExpectedAfter(options.repetitions);
  if (absl::Status status = Validate(**team, tuned->parts(), "tuned", expected); !status.ok()) {
    return status;
  }
  if (absl::Status status = Validate(**team, plain->parts(), "plain", expected); !status.ok()) {
    return status;
  }
  Measurement measurement;
  measurement.rows = Finish(std::move(rows));
  if (options.verify_placement == Options::VerifyPlacement::kYes) {
    for (const std::string& line : VerifyPlacement(topology, mapping, **team, *tuned, *plain)) {
      measurement.notes.push_back(what + line);
    }
  }
  return measurement;
}

}  // namespace stream
