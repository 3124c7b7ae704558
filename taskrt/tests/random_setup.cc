#include "taskrt/tests/random_setup.h"

#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lwt/simulation.h"
#include "taskrt/schedulers/ready_schedulers.h"
#include "taskrt/schedulers/scheduler.h"
#include "taskrt/sim/device.h"

namespace taskrt {
namespace {

struct NamedScheduler {
  const char* name;
  std::unique_ptr<Scheduler> scheduler;
};

NamedScheduler DrawScheduler(Random& random, int devices) {
  switch (Draw(random, 6)) {
    case 0:
      return {"round-robin", std::make_unique<RoundRobin>()};
    case 1:
      return {"owner", std::make_unique<OwnerComputes>()};
    case 2:
      return {"locality", std::make_unique<Locality>(1 + Draw(random, 50))};
    case 3:
      return {"earliest finish", std::make_unique<EarliestFinish>()};
    case 4:
      return {"stealing", std::make_unique<Stealing>()};
    default: {
      std::vector<Place> places(300);
      for (Place& place : places) {
        place = static_cast<Place>(Draw(random, static_cast<std::uint64_t>(devices) + 1));
      }
      return {"replay", std::make_unique<Replay>(std::move(places))};
    }
  }
}

}  // namespace

RandomSetup DrawSetup(Random& random) {
  RandomSetup setup;
  RuntimeOptions& options = setup.options;
  std::string& words = setup.description;
  options.pool.workers = 1 + static_cast<int>(Draw(random, 4));
  options.pool.seed = random();
  options.pool.stall_report_after = {};
  setup.is_virtual = OneIn(random, 2);
  if (setup.is_virtual) options.pool.simulation = lwt::SimulationOptions{};
  absl::StrAppend(&words, options.pool.workers, setup.is_virtual ? " virtual" : " real",
                  " workers, ");

  const int devices = static_cast<int>(Draw(random, 5));
  auto [name, scheduler] = DrawScheduler(random, devices);
  options.scheduler = std::move(scheduler);
  absl::StrAppend(&words, name);
  const int lost = devices > 0 && OneIn(random, 4)
                       ? static_cast<int>(Draw(random, static_cast<std::uint64_t>(devices)))
                       : -1;
  setup.may_lose_a_device = lost >= 0;
  setup.has_bounded_memory = devices > 0 && !OneIn(random, 4);
  const auto far_path = OneIn(random, 2) ? std::make_shared<SimulatedServer>() : nullptr;
  const auto driver = OneIn(random, 2) ? std::make_shared<SimulatedServer>() : nullptr;
  for (int i = 0; i < devices; ++i) {
    SimulatedDeviceOptions device{.name = absl::StrCat("sim:", i)};
    if (setup.has_bounded_memory) {
      device.memory_bytes = (4 + Draw(random, 3)) * RandomBlock::kMostBytes;
      // Less than it says, but enough for each task.
      if (OneIn(random, 4)) {
        device.taken_bytes = device.memory_bytes - 4 * RandomBlock::kMostBytes;
      }
    }
    if (i == lost) device.kernels_until_lost = static_cast<int>(Draw(random, 60));
    if (OneIn(random, 2)) device.link_bytes_per_s = std::numeric_limits<double>::infinity();
    device.latency_s = 1e-6;
    // Which change when things are done and whose worker waits, and no result.
    if (OneIn(random, 4)) device.copies = SimulatedCopies::kBlocking;
    if (OneIn(random, 4)) device.queues = SimulatedQueues::kOne;
    device.far_path = far_path;
    if (OneIn(random, 4)) device.call_s = 1e-6;
    device.driver = driver;
    absl::StrAppend(&words, "; ", device.name, " of ", device.memory_bytes, " bytes, ",
                    device.taken_bytes, " taken");
    if (i == lost) absl::StrAppend(&words, ", lost after ", device.kernels_until_lost);
    options.devices.push_back(std::make_unique<SimulatedDevice>(device));
  }

  MoverOptions& mover = options.mover;
  mover.source = OneIn(random, 2) ? SourceRule::kHostFirst : SourceRule::kNearest;
  constexpr Across kAcross[] = {Across::kCopy, Across::kStaged, Across::kAccess};
  const std::size_t across = Draw(random, std::size(kAcross));
  mover.across = kAcross[across];
  mover.optimizes = !OneIn(random, 8);
  mover.eviction = OneIn(random, 2) ? Eviction::kFarthestUse : Eviction::kLeastRecently;
  options.tasks_in_flight = 1 + static_cast<int>(Draw(random, 6));
  options.traces = OneIn(random, 4);
  options.checks_accesses = OneIn(random, 4);
  options.stops_at_errors = setup.stops_at_errors = OneIn(random, 2);
  constexpr const char* kAcrossWords[] = {"copy", "staged", "access"};
  absl::StrAppend(&words, "; ", kAcrossWords[across], mover.optimizes ? "" : ", not optimized",
                  mover.source == SourceRule::kNearest ? ", nearest" : ", host first",
                  mover.eviction == Eviction::kFarthestUse ? "" : ", least recently used", ", ",
                  options.tasks_in_flight, " in flight", options.traces ? ", traces" : "",
                  options.checks_accesses ? ", checks" : "",
                  options.stops_at_errors ? "" : ", goes on after errors");
  return setup;
}

}  // namespace taskrt
