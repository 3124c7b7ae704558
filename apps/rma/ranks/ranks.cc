#include "apps/rma/ranks/ranks.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "apps/rma/problem/pairs.h"
#include "apps/rma/ranks/conduits.h"
#include "apps/rma/ranks/ensemble.h"
#include "apps/rma/ranks/measure.h"
#include "apps/rma/ranks/path.h"
#include "llcl/start/guard.h"
#include "llcl/start/processes.h"

namespace rma {

int StartRanks(int ranks, int argc, const char* const* argv) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  llcl::JobOptions options{.ranks = ranks, .command = {error ? argv[0] : self.string()}};
  options.command.insert(options.command.end(), argv + 1, argv + argc);
  return llcl::RunGuarded([&](const sigset_t& before) {
    options.signals = before;
    const auto code = llcl::RunJob(options);
    if (code.ok()) return *code;
    std::fprintf(stderr, "rma: %s\n", std::string(code.status().message()).c_str());
    return 2;
  });
}

namespace {

using Show = std::function<void(const std::string&)>;

absl::StatusOr<std::vector<Row>> MeasureReads(llcl::Launch& launch, const std::vector<int>& hosts,
                                              const Work& work, const Show& show) {
  std::vector<std::unique_ptr<Path>> paths;
  Path::Options most = {.provider = work.provider};
  for (const Point& point : work.points) {
    most.threads = std::max(most.threads, point.threads);
    most.bytes = std::max(most.bytes, point.bytes);
  }
  for (const Point& point : work.points) {
    if (!paths.empty() && paths.back()->network() == point.network &&
        paths.back()->offload() == point.offload && paths.back()->way() == point.way) {
      continue;
    }
    most.network = point.network;
    most.offload = point.offload;
    most.way = point.way;
    most.partner = *PartnerOf(hosts, point.way);
    auto path = Path::Open(launch, most);
    if (!path.ok()) return path.status();
    paths.push_back(*std::move(path));
  }
  std::vector<Row> rows;
  if (ToInt(launch.rank()) == 0) {
    auto measured = Sweep(paths, work.points, work.repetitions, work.each, show);
    if (!measured.ok()) return measured.status();
    rows = *std::move(measured);
  }
  // Here the other ranks wait until all is measured; and no path goes before all are done.
  if (const auto met = launch.Allgather(""); !met.ok()) return met.status();
  paths.clear();
  if (const auto met = launch.Allgather(""); !met.ok()) return met.status();
  return rows;
}

absl::StatusOr<std::vector<CollectiveRow>> MeasureCollectives(llcl::Launch& launch,
                                                              const Work& work, const Show& show) {
  std::vector<std::unique_ptr<Ensemble>> ensembles;
  Ensemble::Options most = {.provider = work.provider};
  for (const CollectivePoint& point : work.collectives)
    most.bytes = std::max(most.bytes, point.bytes);
  std::vector<CollectiveRow> rows;
  for (const CollectivePoint& point : work.collectives) {
    rows.push_back({point, launch.size(), {}});
    if (!ensembles.empty() && ensembles.back()->network() == point.network) continue;
    most.network = point.network;
    auto ensemble = Ensemble::Open(launch, most);
    if (!ensemble.ok()) return ensemble.status();
    ensembles.push_back(*std::move(ensemble));
  }
  // As Sweep.
  constexpr Duration kWarmUp = std::chrono::milliseconds(1);
  for (int repetition = 0; repetition <= work.repetitions; ++repetition) {
    for (CollectiveRow& row : rows) {
      const auto ensemble = std::find_if(ensembles.begin(), ensembles.end(), [&](const auto& one) {
        return one->network() == row.point.network;
      });
      if (repetition > 0) {
        show(absl::StrCat(repetition, " of ", work.repetitions, ": ", SeriesOf(row.point), ", ",
                          row.point.bytes, " B"));
      }
      const auto ns = (*ensemble)->MeasureNs(row.point, repetition == 0 ? kWarmUp : work.each);
      if (!ns.ok()) return ns.status();
      if (repetition > 0) row.latencies_ns.push_back(*ns);
    }
  }
  if (const auto met = launch.Allgather(""); !met.ok()) return met.status();
  return rows;
}

}  // namespace

absl::StatusOr<Measured> MeasureOn(llcl::Launch& launch, const Work& work, const Show& show) {
  std::vector<int> hosts(static_cast<std::size_t>(launch.size()), 0);
  const auto is_mixed = [](const auto& point) { return point.network == Network::kMixed; };
  if (std::any_of(work.points.begin(), work.points.end(), is_mixed)) {
    auto made = MakeHosts(launch);
    if (!made.ok()) return made.status();
    hosts = *std::move(made);
    if (!PartnerOf(hosts, Way::kInside) || !PartnerOf(hosts, Way::kBeyond)) {
      return absl::InvalidArgumentError(
          "--conduit=mixed: the first rank has a rank on its host, and a rank on another host; "
          "LLCL_RANKS_PER_HOST=N makes several hosts of one");
    }
  }
  auto reads = MeasureReads(launch, hosts, work, show);
  if (!reads.ok()) return reads.status();
  auto collectives = MeasureCollectives(launch, work, show);
  if (!collectives.ok()) return collectives.status();
  return Measured{.reads = *std::move(reads), .collectives = *std::move(collectives)};
}

}  // namespace rma
