#include "apps/cholesky/flags.h"

#include <CLI/CLI.hpp>

#include "absl/strings/str_cat.h"
#include "apps/program/flags.h"

namespace cholesky {

void AddFlags(CLI::App& app, Flags& flags) {
  app.add_option("--n", flags.n, "rows of the matrix (default 4096)")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--block", flags.block, "rows of a block, of which n is a multiple (default 256)")
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--precision", flags.precision, "f32 or f64 (default f32)")
      ->check(CLI::IsMember({"f32", "f64"}));
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
      ->check(CLI::IsMember({"round-robin", "owner", "locality", "heft", "steal", "replay"}));
  app.add_option("--schedule", flags.schedule,
                 "where the tasks run: a file that replay reads, and other schedulers write");
  app.add_option("--source", flags.source,
                 "from where a device takes a block: host-first, as the paper, or nearest "
                 "(default host-first)")
      ->check(CLI::IsMember({"host-first", "nearest"}));
  app.add_option("--d2d", flags.d2d,
                 "what a device does with a block that only another one has: copy it, copy it by "
                 "way of the host (staged), or use it there (access; simulated devices) "
                 "(default copy)")
      ->check(CLI::IsMember({"access", "copy", "staged"}));
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
      ->check(CLI::IsMember({"asynchronous", "blocking"}));
  app.add_option("--sim-queues", flags.sim_queues,
                 "a simulated device copies in, copies out and computes in three queues, or in one "
                 "(default three)")
      ->check(CLI::IsMember({"three", "one"}));
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
  app.add_option("--svg", flags.svg, "write a picture of it to this file, - for standard output");
  app.add_option("--json", flags.json, "write the results to this file, - for standard output");
}

absl::StatusOr<Resolved> Resolve(const Flags& flags, const topo::Topology& topology) {
  Resolved resolved = {.flags = flags};
  if (flags.n % flags.block != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("--n: ", flags.n, " is not a multiple of --block, ", flags.block));
  }
  if (flags.spoil >= flags.n) {
    return absl::InvalidArgumentError(
        absl::StrCat("--spoil: there is no column ", flags.spoil, " of ", flags.n));
  }
  resolved.blocks = flags.n / flags.block;
  resolved.precision = flags.precision == "f32" ? Precision::kF32 : Precision::kF64;
  resolved.only_gemm = flags.offload == "gemm";
  resolved.copies_are_free = flags.sim_free == "copies" || flags.sim_free == "both";
  resolved.allocations_are_free = flags.sim_free == "alloc" || flags.sim_free == "both";
  if ((flags.json == "-") + (flags.trace == "-") + (flags.svg == "-") > 1) {
    return absl::InvalidArgumentError("of --json, --trace and --svg one can be -, standard output");
  }
  const absl::StatusOr<taskrt::DeviceCounts> devices = taskrt::ParseDevices(flags.devices);
  if (!devices.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("--", devices.status().message()));
  }
  resolved.devices = *devices;
  if (flags.dry && !devices->is_virtual()) {
    return absl::InvalidArgumentError("--dry is of simulated devices: --devices=sim:COUNT");
  }
  if (flags.scheduler == "replay" && flags.schedule.empty()) {
    return absl::InvalidArgumentError("--scheduler=replay needs a --schedule to read");
  }
  const bool has_plan = flags.scheduler != "heft" && flags.scheduler != "steal";
  if (!has_plan && (flags.plan || (flags.dry && flags.d2d != "copy"))) {
    return absl::InvalidArgumentError(absl::StrCat(
        flags.plan ? "--plan: " : "--dry with --d2d is held to a plan: ", flags.scheduler,
        " chooses places when tasks can begin, so that there is none"));
  }
  if (flags.sim_copies != "asynchronous" && devices->simulated == 0) {
    return absl::InvalidArgumentError("--sim-copies is of simulated devices: --devices=sim:COUNT");
  }
  if (flags.sim_queues != "three" && devices->simulated == 0) {
    return absl::InvalidArgumentError("--sim-queues is of simulated devices: --devices=sim:COUNT");
  }
  if (flags.call_us > 0 && devices->simulated == 0) {
    return absl::InvalidArgumentError("--call-us is of simulated devices: --devices=sim:COUNT");
  }
  if (flags.far_path != "own" && (devices->simulated == 0 || flags.d2d != "access")) {
    return absl::InvalidArgumentError(
        "--far-path is of simulated devices that use memory of each other: --devices=sim:COUNT "
        "--d2d=access");
  }
  if (flags.sim_free != "none" && devices->simulated == 0) {
    return absl::InvalidArgumentError("--sim-free is of simulated devices: --devices=sim:COUNT");
  }
  if (devices->is_virtual() && flags.repetitions > 1) {
    return absl::InvalidArgumentError("--repetitions: virtual time is the same each time");
  }
  if (devices->is_virtual() && flags.threads.empty()) {
    resolved.threads = 12;
    return resolved;
  }
  const auto threads =
      program::ParseThreads(flags.threads, topology, program::Oversubscribe::kAllow);
  if (!threads.ok()) return threads.status();
  if (threads->size() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("--threads: \"", flags.threads, "\" is not one number"));
  }
  resolved.threads = threads->front();
  return resolved;
}

}  // namespace cholesky
