#include "llcl/conduit/executors.h"

#include <system_error>
#include <utility>

namespace llcl {
namespace {

// Transfers from so many bytes on take the devices by turns: one thread may so have the
// bandwidth of all. Shorter ones keep to the thread's own device.
constexpr std::uint64_t kLongTransfer = 64 * 1024;

}  // namespace

Executors::Executors(const Conduit& conduit, const ExecutorOptions& options,
                     std::unique_ptr<PackingDevice> packing)
    : options_(options),
      devices_(conduit.devices().begin(), conduit.devices().end()),
      packing_(std::move(packing)) {}

void Executors::Start(Host& host) {
  std::vector<Device*> devices = devices_;
  if (packing_) devices = {packing_.get()};
  for (Device* const device : devices) {
    executors_.push_back(std::make_unique<Executor>(*device, options_, &host));
  }
  try {
    for (const auto& executor : executors_) executor->Start();
  } catch (const std::system_error&) {
    Close();  // Those that have started call `host`.
    throw;
  }
}

void Executors::Close() {
  for (const auto& executor : executors_) executor->Close();
}

void Executors::Abort() {
  for (const auto& executor : executors_) executor->Abort();
}

int Executors::losses() const {
  int all = 0;
  for (const Device* const device : devices_) all += device->losses();
  return all;
}

std::size_t Executors::OneOfDevices(const Command& command) {
  const bool is_transfer =
      command.kind == CommandKind::kRead || command.kind == CommandKind::kWrite;
  if (!is_transfer) return 0;
  if (command.bytes >= kLongTransfer) {
    return turn_.fetch_add(1, std::memory_order_relaxed) % executors_.size();
  }
  return ThreadNumber() % executors_.size();
}

bool Executors::TryAdvance() {
  bool did = false;
  for (const auto& executor : executors_) did = executor->TryAdvance() || did;
  return did;
}

void Executors::StartWaiting() {
  for (const auto& executor : executors_) executor->StartWaiting();
}

void Executors::EndWaiting(Wait wait) {
  for (const auto& executor : executors_) executor->EndWaiting(wait);
}

std::uint64_t Executors::in_flight() const {
  std::uint64_t all = 0;
  for (const auto& executor : executors_) all += executor->in_flight();
  return all;
}

std::uint64_t Executors::overdue() const {
  std::uint64_t all = 0;
  for (const auto& executor : executors_) all += executor->overdue();
  return all;
}

ExecutorCounts Executors::counts() const {
  ExecutorCounts all;
  for (const auto& executor : executors_) {
    const ExecutorCounts one = executor->counts();
    all.posted_by_callers += one.posted_by_callers;
    all.posted_from_ring += one.posted_from_ring;
    all.batches += one.batches;
    all.sleeps += one.sleeps;
    all.wakings += one.wakings;
    all.rounds += one.rounds;
  }
  return all;
}

}  // namespace llcl
