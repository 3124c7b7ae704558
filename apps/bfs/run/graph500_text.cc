#include "apps/bfs/run/graph500_text.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "apps/bfs/run/statistics.h"

namespace bfs {
namespace {

constexpr int kValues = 32;  // the column in which values begin

void AddWord(std::string& text, const std::string& key, const std::string& value) {
  absl::StrAppendFormat(&text, "%-*s%s\n", kValues, key + ":", value);
}

// Seven lines, "min_what" to "stddev_what".
template <typename Add>
void AddStatistics(const std::string& before, const std::string& what, const Statistics& statistics,
                   const Add& add) {
  const auto key = [&](const char* name) { return absl::StrCat(before, name, "_", what); };
  add(key("min"), statistics.min);
  add(key("firstquartile"), statistics.first_quartile);
  add(key("median"), statistics.median);
  add(key("thirdquartile"), statistics.third_quartile);
  add(key("max"), statistics.max);
  add(key("mean"), statistics.mean);
  add(key("stddev"), statistics.stddev);
}

}  // namespace

std::string ToGraph500Text(const Graph500Run& run) {
  std::string text;
  const auto add = [&](const std::string& key, double value) {
    AddWord(text, key, absl::StrFormat("%g", value));
  };
  if (run.scale) {
    AddWord(text, "SCALE", absl::StrCat(*run.scale));
    AddWord(text, "edgefactor", absl::StrCat(run.edge_factor));
  }
  AddWord(text, "NBFS", absl::StrCat(run.seconds.size()));
  add("graph_generation", run.generation_seconds);
  AddWord(text, "num_mpi_processes", "1");
  add("construction_time", run.construction_seconds);
  AddStatistics("bfs  ", "time", StatisticsOf(run.seconds), add);
  AddStatistics("", "nedge", StatisticsOf(run.tuples), [&](const std::string& key, double value) {
    AddWord(text, key, absl::StrFormat("%.11g", value));
  });
  const RateStatistics teps = TepsOf(run.tuples, run.seconds);
  add("bfs  min_TEPS", teps.min);
  add("bfs  firstquartile_TEPS", teps.first_quartile);
  add("bfs  median_TEPS", teps.median);
  add("bfs  thirdquartile_TEPS", teps.third_quartile);
  add("bfs  max_TEPS", teps.max);
  // The reference code marks the figure by which lists of machines are sorted.
  absl::StrAppendFormat(&text, "bfs  harmonic_mean_TEPS:     !  %g\n", teps.harmonic_mean);
  add("bfs  harmonic_stddev_TEPS", teps.harmonic_stddev);
  AddStatistics("bfs  ", "validate", StatisticsOf(run.validation_seconds), add);
  return text;
}

}  // namespace bfs
