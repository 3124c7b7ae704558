#include "apps/rma/ranks/ranks.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <utility>

#include "apps/rma/ranks/measure.h"
#include "apps/rma/ranks/path.h"
#include "llcl/start/guard.h"
#include "llcl/start/processes.h"

namespace rma {

int StartRanks(int argc, const char* const* argv) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  llcl::JobOptions options{.ranks = 2, .command = {error ? argv[0] : self.string()}};
  options.command.insert(options.command.end(), argv + 1, argv + argc);
  return llcl::RunGuarded([&](const sigset_t& before) {
    options.signals = before;
    const auto code = llcl::RunJob(options);
    if (code.ok()) return *code;
    std::fprintf(stderr, "rma: %s\n", std::string(code.status().message()).c_str());
    return 2;
  });
}

absl::StatusOr<std::vector<Row>> MeasureOn(llcl::Launch& launch, const Reads& reads,
                                           const std::function<void(const std::string&)>& show) {
  std::vector<std::unique_ptr<Path>> paths;
  Path::Options most = {.provider = reads.provider};
  for (const Point& point : reads.points) {
    most.threads = std::max(most.threads, point.threads);
    most.bytes = std::max(most.bytes, point.bytes);
  }
  for (const Point& point : reads.points) {
    if (!paths.empty() && paths.back()->network() == point.network &&
        paths.back()->offload() == point.offload) {
      continue;
    }
    most.network = point.network;
    most.offload = point.offload;
    auto path = Path::Open(launch, most);
    if (!path.ok()) return path.status();
    paths.push_back(*std::move(path));
  }
  std::vector<Row> rows;
  if (ToInt(launch.rank()) == 0) {
    auto measured = Sweep(paths, reads.points, reads.repetitions, reads.each, show);
    if (!measured.ok()) return measured.status();
    rows = *std::move(measured);
  }
  // Here the other rank waits until all is measured; and no path goes before both are done.
  if (const auto met = launch.Allgather(""); !met.ok()) return met.status();
  paths.clear();
  if (const auto met = launch.Allgather(""); !met.ok()) return met.status();
  return rows;
}

}  // namespace rma
