#include "apps/cholesky/run/flags.h"

#include <CLI/CLI.hpp>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "apps/program/flags.h"
#include "apps/program/words.h"

namespace cholesky {
namespace {

constexpr program::Words<Precision> kPrecisions = {{Precision::kF32, "f32"},
                                                   {Precision::kF64, "f64"}};
constexpr program::Words<Scheduling> kSchedulings = {{Scheduling::kRoundRobin, "round-robin"},
                                                     {Scheduling::kOwner, "owner"},
                                                     {Scheduling::kLocality, "locality"},
                                                     {Scheduling::kHeft, "heft"},
                                                     {Scheduling::kSteal, "steal"},
                                                     {Scheduling::kReplay, "replay"}};
constexpr program::Words<taskrt::SourceRule> kSources = {
    {taskrt::SourceRule::kHostFirst, "host-first"}, {taskrt::SourceRule::kNearest, "nearest"}};
constexpr program::Words<taskrt::Across> kAcross = {{taskrt::Across::kAccess, "access"},
                                                    {taskrt::Across::kCopy, "copy"},
                                                    {taskrt::Across::kStaged, "staged"}};
constexpr program::Words<taskrt::SimulatedCopies> kCopies = {
    {taskrt::SimulatedCopies::kAsynchronous, "asynchronous"},
    {taskrt::SimulatedCopies::kBlocking, "blocking"}};
constexpr program::Words<taskrt::SimulatedQueues> kQueues = {
    {taskrt::SimulatedQueues::kThree, "three"}, {taskrt::SimulatedQueues::kOne, "one"}};

}  // namespace

void AddFlags(CLI::App& app, Flags& flags) {
  app.add_option("--n", flags.n, "rows of the matrix (default 4096)")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--block", flags.block, "rows of a block, of which n is a multiple (default 256)")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--precision", flags.precision, "f32 or f64 (default f32)")
      ->check(CLI::IsMember(kPrecisions.Texts()));
  app.add_option("--threads", flags.threads,
                 "of the host, a count (default: what this machine does at once; beside simulated "
                 "devices 12, virtual ones)");
  app.add_option(
      "--devices", flags.devices,
      "a list of host, opencl:COUNT, cuda:COUNT, and sim:COUNT, simulated ones, in virtual time if "
      "they are alone; with host its cores run what devices do, too (default host)");
  app.add_flag("--allow-missing-devices", flags.allow_missing_devices,
               "go on without devices that are not there, and say so; else that is an error");
  app.add_option("--offload", flags.offload,
                 "what devices compute: gemm, as the paper, or all (default gemm)")
      ->check(CLI::IsMember({"gemm", "all"}));
  app.add_option("--scheduler", flags.scheduler,
                 "which device: round-robin, as the paper; owner of the block that is changed; "
                 "locality: who lacks the least; when a task is ready heft, who will have ended it "
                 "first, or steal, who has nothing to do; replay of --schedule (default "
                 "round-robin)")
      ->check(CLI::IsMember(kSchedulings.Texts()));
  app.add_option("--schedule", flags.schedule,
                 "where the tasks run: a file that replay reads, and other schedulers write");
  app.add_option("--source", flags.source,
                 "from where a device takes a block: host-first, as the paper, or nearest "
                 "(default host-first)")
      ->check(CLI::IsMember(kSources.Texts()));
  app.add_option("--d2d", flags.d2d,
                 "what a device does with a block that only another one has: copy it, copy it by "
                 "way of the host (staged), or use it there (access; simulated devices) "
                 "(default copy)")
      ->check(CLI::IsMember(kAcross.Texts()));
  app.add_flag("--no-optimize", flags.no_optimize,
               "each task of a device brings what it reads and returns what it writes");
  app.add_flag("--plan", flags.plan,
               "tell what will be copied before the run, and hold the run to it");
  app.add_flag("--dry", flags.dry, "no numbers: only order, copies and virtual time");
  app.add_option("--seed", flags.seed, "of the matrix and of the virtual workers (default 1)");
  app.add_option("--repetitions", flags.repetitions,
                 "the figure is of the one in the middle, beside its quartiles (default 1)")
      ->check(CLI::Range(1, 1000));
  app.add_option("--spoil", flags.spoil,
                 "a column in which the matrix is made not positive definite, to see it told")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--device-gflop-per-s", flags.device_gflop_per_s,
                 "assumed of a simulated device (default 14000)")
      ->check(CLI::PositiveNumber);
  app.add_option("--host-gflop-per-s", flags.host_gflop_per_s,
                 "assumed of a virtual thread (default 80)")
      ->check(CLI::PositiveNumber);
  app.add_option("--link-gb-per-s", flags.link_gb_per_s,
                 "assumed of a simulated device's link, each way (default 12)")
      ->check(CLI::PositiveNumber);
  app.add_option("--alloc-us", flags.alloc_us,
                 "assumed of an allocation of a simulated device's memory (default 200)")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--call-us", flags.call_us,
                 "assumed of each call for memory, a copy or a kernel of a simulated device, in a "
                 "lock that they have in common (default 0)")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--sim-copies", flags.sim_copies,
                 "copies of simulated devices are asynchronous, or blocking: a virtual thread that "
                 "asks for one waits, as where memory is not page-locked (default asynchronous)")
      ->check(CLI::IsMember(kCopies.Texts()));
  app.add_option("--sim-queues", flags.sim_queues,
                 "a simulated device copies in, copies out and computes in three queues, or in one "
                 "(default three)")
      ->check(CLI::IsMember(kQueues.Texts()));
  app.add_option("--far-passes", flags.far_passes,
                 "assumed of a simulated device's kernel: so often it reads what lies in another's "
                 "memory (default 8)")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--far-path", flags.far_path,
                 "by which kernels of simulated devices use memory of each other, with "
                 "--d2d=access: links of their own, or one that is shared (default own)")
      ->check(CLI::IsMember({"own", "shared"}));
  app.add_option("--sim-free", flags.sim_free,
                 "what takes no time on simulated devices: none, copies, alloc or both "
                 "(default none)")
      ->check(CLI::IsMember({"none", "copies", "alloc", "both"}));
  app.add_option(
      "--trace", flags.trace,
      "write what was done when to this file, for ui.perfetto.dev; - for standard output");
  program::AddOutputFlags(app, flags.json, flags.svg,
                          "write a picture of it to this file, - for standard output");
}

namespace {

absl::StatusOr<Problem> ProblemOf(const Flags& flags) {
  if (flags.n % flags.block != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--n: ", flags.n, " is not a multiple of --block, ", flags.block));
  }
  if (flags.spoil >= flags.n) {
    return absl::InvalidArgumentError(
        absl::StrCat("--spoil: there is no column ", flags.spoil, " of ", flags.n));
  }
  const auto precision = kPrecisions.Parse("--precision", flags.precision);
  if (!precision.ok()) return precision.status();
  Problem problem = {.n = flags.n,
                     .block = flags.block,
                     .precision = *precision,
                     .seed = flags.seed,
                     .is_dry = flags.dry};
  if (flags.spoil >= 0) problem.spoiled = flags.spoil;
  return problem;
}

absl::Status CheckScheduler(const Flags& flags) {
  if (flags.scheduler == "replay" && flags.schedule.empty()) {
    return absl::InvalidArgumentError("--scheduler=replay needs a --schedule to read");
  }
  const bool has_plan = flags.scheduler != "heft" && flags.scheduler != "steal";
  if (!has_plan && (flags.plan || (flags.dry && flags.d2d != "copy"))) {
    return absl::InvalidArgumentError(absl::StrCat(
        flags.plan ? "--plan: " : "--dry with --d2d is held to a plan: ", flags.scheduler,
        " chooses places when tasks can begin, so that there is none"));
  }
  return absl::OkStatus();
}

// Flags of simulated devices where there are none.
absl::Status CheckSimulated(const Flags& flags, const taskrt::DeviceCounts& devices) {
  const bool has_none = devices.simulated == 0;
  const auto refuse = [](const char* flag) {
    return absl::InvalidArgumentError(
        absl::StrCat(flag, " is of simulated devices: --devices=sim:COUNT"));
  };
  if (has_none && flags.sim_copies != "asynchronous") return refuse("--sim-copies");
  if (has_none && flags.sim_queues != "three") return refuse("--sim-queues");
  if (has_none && flags.call_us > 0) return refuse("--call-us");
  if (flags.far_path != "own" && (has_none || flags.d2d != "access")) {
    return absl::InvalidArgumentError(
        "--far-path is of simulated devices that use memory of each other: --devices=sim:COUNT "
        "--d2d=access");
  }
  if (has_none && flags.sim_free != "none") return refuse("--sim-free");
  return absl::OkStatus();
}

absl::StatusOr<int> ThreadsOf(const Flags& flags, const taskrt::DeviceCounts& devices,
                              const topo::Topology& topology) {
  constexpr int kVirtualThreads = 12;
  if (devices.is_virtual() && flags.threads.empty()) return kVirtualThreads;
  const auto threads =
      program::ParseThreads(flags.threads, topology, program::Oversubscribe::kAllow);
  if (!threads.ok()) return threads.status();
  if (threads->size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("--threads: \"", flags.threads, "\" is not one number"));
  }
  return threads->front();
}

absl::StatusOr<taskrt::SimulatedDeviceOptions> SimulatedBy(const Flags& flags) {
  const auto queues = kQueues.Parse("--sim-queues", flags.sim_queues);
  if (!queues.ok()) return queues.status();
  const auto copies = kCopies.Parse("--sim-copies", flags.sim_copies);
  if (!copies.ok()) return copies.status();
  const bool copies_are_free = flags.sim_free == "copies" || flags.sim_free == "both";
  const bool allocations_are_free = flags.sim_free == "alloc" || flags.sim_free == "both";
  return taskrt::SimulatedDeviceOptions{
      .flops_per_s = flags.device_gflop_per_s * 1e9,
      .link_bytes_per_s =
          copies_are_free ? std::numeric_limits<double>::infinity() : flags.link_gb_per_s * 1e9,
      .far_passes = flags.far_passes,
      .allocation_s = allocations_are_free ? 0 : flags.alloc_us * 1e-6,
      .call_s = flags.call_us * 1e-6,
      .queues = *queues,
      .copies = *copies,
      .is_dry = flags.dry};
}

absl::StatusOr<SetupOptions> SetupOf(const Flags& flags, const taskrt::DeviceCounts& devices) {
  const auto scheduling = kSchedulings.Parse("--scheduler", flags.scheduler);
  if (!scheduling.ok()) return scheduling.status();
  const auto source = kSources.Parse("--source", flags.source);
  if (!source.ok()) return source.status();
  const auto across = kAcross.Parse("--d2d", flags.d2d);
  if (!across.ok()) return across.status();
  auto simulated = SimulatedBy(flags);
  if (!simulated.ok()) return simulated.status();
  return SetupOptions{
      .seed = flags.seed,
      .host_flops_per_s = flags.host_gflop_per_s * 1e9,
      .devices = devices,
      .simulated = *std::move(simulated),
      .shares_far_path = flags.far_path == "shared",
      .only_gemm = flags.offload == "gemm",
      .scheduling = *scheduling,
      .schedule = {},
      .mover = {.source = *source, .across = *across, .optimizes = !flags.no_optimize},
      .traces = !flags.trace.empty() || !flags.svg.empty()};
}

}  // namespace

absl::StatusOr<Resolved> Resolve(const Flags& flags, const topo::Topology& topology) {
  Resolved resolved = {.flags = flags, .problem = {}, .setup = {}};
  auto problem = ProblemOf(flags);
  if (!problem.ok()) return problem.status();
  resolved.problem = *problem;
  if ((flags.json == "-") + (flags.trace == "-") + (flags.svg == "-") > 1) {
    return absl::InvalidArgumentError("of --json, --trace and --svg one can be -, standard output");
  }
  const absl::StatusOr<taskrt::DeviceCounts> devices = taskrt::ParseDevices(flags.devices);
  if (!devices.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--", devices.status().message()));
  }
  if (flags.dry && !devices->is_virtual()) {
    return absl::InvalidArgumentError("--dry is of simulated devices: --devices=sim:COUNT");
  }
  if (absl::Status status = CheckScheduler(flags); !status.ok()) return status;
  if (absl::Status status = CheckSimulated(flags, *devices); !status.ok()) return status;
  if (devices->is_virtual() && flags.repetitions > 1) {
    return absl::InvalidArgumentError("--repetitions: virtual time is the same each time");
  }
  auto setup = SetupOf(flags, *devices);
  if (!setup.ok()) return setup.status();
  resolved.setup = *std::move(setup);
  const auto threads = ThreadsOf(flags, *devices, topology);
  if (!threads.ok()) return threads.status();
  resolved.setup.threads = *threads;
  return resolved;
}

absl::StatusOr<std::string> FindMissing(const Resolved& resolved) {
  const absl::Status there = AreAllThere(resolved.setup);
  if (there.ok() || resolved.flags.allow_missing_devices) return std::string(there.message());
  return absl::NotFoundError(absl::StrCat("--devices=", resolved.flags.devices, ": ",
                                          std::string(there.message()),
                                          " (--allow-missing-devices goes on without)"));
}

}  // namespace cholesky
