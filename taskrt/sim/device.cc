#include "taskrt/sim/device.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>

#include "absl/strings/str_cat.h"
#include "lwt/contract.h"
#include "lwt/simulation.h"
#include "lwt/timer.h"
#include "lwt/worker.h"
#include "taskrt/task/user_code.h"
#include "taskrt/trace/recorder.h"

namespace taskrt {
namespace {

// Eleven days: virtual clocks count nanoseconds exactly for nine times as long.
constexpr double kLongest = 1e6;

std::int64_t Later(std::int64_t begin, double seconds) {
  const double its = seconds < kLongest ? seconds : kLongest;  // Not a number takes the longest.
  return begin + static_cast<std::int64_t>(its * 1e9);
}

}  // namespace

absl::Status CheckOptions(const SimulatedDeviceOptions& options) {
  const auto wrong = [](const char* field, auto value, const char* may_be) {
    return absl::InvalidArgumentError(
        absl::StrCat("SimulatedDeviceOptions::", field, " is ", value, ", and is to be ", may_be));
  };
  if (options.memory_bytes > 0 && options.taken_bytes > options.memory_bytes) {
    return wrong("taken_bytes", options.taken_bytes, "at most memory_bytes");
  }
  if (options.kernels_until_lost < -1) {
    return wrong("kernels_until_lost", options.kernels_until_lost, "-1 or more");
  }
  // Written so that NaN is refused.
  if (!(options.flops_per_s > 0)) return wrong("flops_per_s", options.flops_per_s, "more than 0");
  if (!(options.link_bytes_per_s > 0)) {
    return wrong("link_bytes_per_s", options.link_bytes_per_s, "more than 0");
  }
  constexpr char kTime[] = "from 0 to 1e6";
  const auto is_time = [](double value) { return value >= 0 && value <= kLongest; };
  if (!is_time(options.far_passes)) return wrong("far_passes", options.far_passes, kTime);
  if (!is_time(options.latency_s)) return wrong("latency_s", options.latency_s, kTime);
  if (!is_time(options.allocation_s)) return wrong("allocation_s", options.allocation_s, kTime);
  if (!is_time(options.call_s)) return wrong("call_s", options.call_s, kTime);
  return absl::OkStatus();
}

SimulatedDevice::SimulatedDevice(const SimulatedDeviceOptions& options) : options_(options) {
  if (const absl::Status good = CheckOptions(options); !good.ok()) {
    lwt::DieOfBrokenContract(std::string(good.message()), __FILE__, __LINE__);
  }
}

void SimulatedDevice::Call() {
  // Its caller may be no worker, which has no virtual time.
  if (options_.call_s == 0 || lwt::Worker::Current() == nullptr) return;
  const std::int64_t now = Recorder::Now().ns;
  const std::int64_t end = options_.driver != nullptr ? options_.driver->Take(options_.call_s, now)
                                                      : Later(now, options_.call_s);
  lwt::Compute(static_cast<double>(end - now));
}

absl::StatusOr<DeviceMemory> SimulatedDevice::Allocate(std::uint64_t bytes) {
  Call();
  // Its caller may be no worker, which has no virtual time.
  if (lwt::Worker::Current() != nullptr) lwt::Compute(options_.allocation_s * 1e9);
  const topo::Lock lock(mutex_);
  const std::uint64_t there = options_.memory_bytes - options_.taken_bytes;
  if (options_.memory_bytes > 0 && (bytes > there || used_ > there - bytes)) {
    return absl::ResourceExhaustedError(absl::StrCat(options_.name, " has ", options_.memory_bytes,
                                                     " bytes, of which ", used_, " are used, not ",
                                                     bytes, " more"));
  }
  used_ += bytes;
  if (options_.is_dry) return DeviceMemory{nullptr, bytes};
  auto memory = std::make_unique<std::byte[]>(bytes);
  std::byte* const data = memory.get();
  allocated_.emplace(data, std::move(memory));
  return DeviceMemory{data, bytes};
}

void SimulatedDevice::Free(DeviceMemory memory) {
  const topo::Lock lock(mutex_);
  allocated_.erase(memory.data);
  used_ -= memory.bytes;
}

TimeSpan SimulatedDevice::Take(Queue queue, double seconds, std::int64_t after) {
  const std::int64_t now = Recorder::Now().ns;
  const topo::Lock lock(mutex_);
  std::int64_t& free_at = FreeAtOf(queue);
  const std::int64_t begin = std::max({now, free_at, after});
  free_at = Later(begin, seconds);
  return {begin, free_at};
}

std::int64_t SimulatedServer::Take(double seconds, std::int64_t after) {
  const topo::Lock lock(mutex_);
  free_at_ = Later(std::max(free_at_, after), seconds);
  return free_at_;
}

// The unit that is free first; in one queue with the copies there is one.
std::int64_t& SimulatedDevice::FreeAtOfUnit(int units) {
  if (options_.queues == SimulatedQueues::kOne) return free_at_[kIn];
  const auto count = static_cast<std::size_t>(units);
  if (units_free_at_.size() < count) units_free_at_.resize(count);
  return *std::min_element(units_free_at_.begin(), units_free_at_.begin() + units);
}

TimeSpan SimulatedDevice::TakeUnit(int units, double seconds, std::int64_t after) {
  const std::int64_t now = Recorder::Now().ns;
  const topo::Lock lock(mutex_);
  std::int64_t& free_at = FreeAtOfUnit(units);
  const std::int64_t begin = std::max({now, free_at, after});
  free_at = Later(begin, seconds);
  return {begin, free_at};
}

std::int64_t SimulatedDevice::BeginOfKernel(int units, std::int64_t after) {
  const std::int64_t now = Recorder::Now().ns;
  const topo::Lock lock(mutex_);
  return std::max({now, FreeAtOfUnit(units), after});
}

double SimulatedDevice::CopySeconds(std::uint64_t bytes) const {
  if (std::isinf(options_.link_bytes_per_s)) return 0;
  return static_cast<double>(bytes) / options_.link_bytes_per_s + options_.latency_s;
}

// When both links are free.
TimeSpan SimulatedDevice::TakeBoth(SimulatedDevice& source, std::uint64_t bytes) {
  const std::int64_t now = Recorder::Now().ns;
  const bool is_first = std::less<>()(this, &source);
  const topo::Lock lock(is_first ? mutex_ : source.mutex_);
  const topo::Lock other_lock(is_first ? source.mutex_ : mutex_);
  std::int64_t &in = FreeAtOf(kIn), &out = source.FreeAtOf(kOut);
  const std::int64_t begin = std::max({now, in, out});
  in = out = Later(begin, std::max(CopySeconds(bytes), source.CopySeconds(bytes)));
  return {begin, in};
}

Ticket SimulatedDevice::Promise(TimeSpan span) {
  const topo::Lock lock(mutex_);
  spans_.push_back(span);
  return spans_.size();
}

Ticket SimulatedDevice::Copied(TimeSpan span) {
  const Ticket ticket = Promise(span);
  const std::int64_t now = Recorder::Now().ns;
  const bool holds =
      options_.copies == SimulatedCopies::kBlocking && lwt::Worker::Current() != nullptr;
  if (holds && span.end_ns > now) lwt::Compute(static_cast<double>(span.end_ns - now));
  return ticket;
}

std::int64_t SimulatedDevice::EndOf(Ticket ticket) {
  const topo::Lock lock(mutex_);
  return ticket == kDone ? 0 : spans_[ticket - 1].end_ns;
}

std::optional<TimeSpan> SimulatedDevice::SpanOf(Ticket ticket) {
  const topo::Lock lock(mutex_);
  return spans_[ticket - 1];
}

// Unavailable: it was asked for more kernels than it runs.
absl::Status SimulatedDevice::Check() {
  if (options_.kernels_until_lost < 0 || kernels_.load() <= options_.kernels_until_lost) {
    return absl::OkStatus();
  }
  return absl::UnavailableError(absl::StrCat(options_.name, " is lost"));
}

absl::StatusOr<Ticket> SimulatedDevice::CopyIn(const Tile& from, DeviceMemory to, Ticket after) {
  Call();
  if (absl::Status there = Check(); !there.ok()) return there;
  if (!options_.is_dry) CopyRows(from, Packed(from, to.data));
  return Copied(Take(kIn, CopySeconds(from.bytes()), EndOf(after)));
}

absl::StatusOr<Ticket> SimulatedDevice::CopyOut(DeviceMemory from, const Tile& to, Ticket after) {
  Call();
  if (absl::Status there = Check(); !there.ok()) return there;
  if (!options_.is_dry) CopyRows(Packed(to, from.data), to);
  return Copied(Take(kOut, CopySeconds(to.bytes()), EndOf(after)));
}

absl::StatusOr<Ticket> SimulatedDevice::CopyAcross(Device& source, DeviceMemory from,
                                                   DeviceMemory to) {
  Call();
  auto* const other = dynamic_cast<SimulatedDevice*>(&source);
  if (other == nullptr) return absl::UnimplementedError("devices of other kinds");
  if (absl::Status here = Check(); !here.ok()) return here;
  if (absl::Status there = other->Check(); !there.ok()) return there;
  if (!options_.is_dry) std::memcpy(to.data, from.data, from.bytes);
  return Copied(TakeBoth(*other, from.bytes));
}

absl::StatusOr<Ticket> SimulatedDevice::Launch(const Kernel& kernel, std::span<const Tile> tiles,
                                               std::span<const std::byte> scalars,
                                               std::span<const Ticket> after,
                                               std::uint64_t far_bytes) {
  Call();
  kernels_.fetch_add(1);
  if (absl::Status there = Check(); !there.ok()) return there;
  if (!options_.is_dry) {
    const absl::Status done =
        OfBody(StatusOfCall([&] { return kernel.simulated()(tiles, scalars); }));
    if (!done.ok()) return done;
  }
  std::int64_t latest = 0;
  for (const Ticket ticket : after) latest = std::max(latest, EndOf(ticket));
  // It computes while it reads.
  const double computes = kernel.flops() / options_.flops_per_s;
  const double reads =
      options_.far_passes * static_cast<double>(far_bytes) / options_.link_bytes_per_s;
  const int units = kernel.units();
  double seconds = std::max(computes, reads);
  if (options_.far_path != nullptr && far_bytes > 0) {
    // The kernel ends when the last of what it reads has come.
    const std::int64_t begin = BeginOfKernel(units, latest);
    const std::int64_t read = options_.far_path->Take(reads, begin);
    seconds = std::max(computes, static_cast<double>(read - begin) * 1e-9);
  }
  return Promise(TakeUnit(units, seconds + options_.latency_s, latest));
}

absl::Status SimulatedDevice::Wait(Ticket ticket) {
  if (ticket != kDone) {
    lwt::SleepUntil(lwt::Deadline(std::chrono::nanoseconds(EndOf(ticket))));
  }
  return Check();
}

}  // namespace taskrt
