// Operations on memory of another rank's program, which is mapped only there: smp/device.h.
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "llcl/executor/in_place.h"
#include "llcl/smp/device.h"
#include "llcl/smp/memory_file.h"

namespace llcl {
namespace {

// At a time: the owner that gives up the region waits so long.
constexpr std::uint64_t kMostCopied = 1 << 20;
// Between looks at writes that are under way.
constexpr std::chrono::microseconds kPause{20};

// The address in the owner's process.
std::uint64_t PlaceOf(const Command& command) {
  return command.address - MappedRegions::kStartOfOwn;
}

// A word that others read and write whole.
bool IsWordThere(const Command& command) {
  const std::uint64_t bytes = command.bytes;
  return bytes <= sizeof(std::uint64_t) && (bytes & (bytes - 1)) == 0 && bytes != 0 &&
         PlaceOf(command) % bytes == 0;
}

}  // namespace

bool SmpDevice::IsForOwner(const Command& command) const {
  if (command.kind == CommandKind::kMessage || !MappedRegions::IsOwn(command.address)) return false;
  return command.kind == CommandKind::kAtomic || IsWordThere(command) ||
         Of(command.peer).memory_file.get() < 0;
}

bool SmpDevice::TryByFile(const Command& command, Outcome& outcome, Marks::Mark& mark) {
  if (IsForOwner(command)) return false;
  const SmpPeer& peer = Of(command.peer);
  RegionTable& table = peer.basics->regions;
  const bool writes = command.kind == CommandKind::kWrite;
  CopiedBy copied = CopiedBy::kDone;
  bool is_there = table.Exists(command.id);
  for (std::uint64_t done = 0; done < command.bytes && is_there && copied == CopiedBy::kDone;) {
    const std::uint64_t bytes = std::min(command.bytes - done, kMostCopied);
    if (writes) {
      table.NoteWrites(command.id.slot);
      if (!mark.TrySetWithBarrier(command.key)) return false;
      is_there = table.Exists(command.id);
    }
    if (is_there) {
      copied = CopyByFile(peer.memory_file.get(), command.kind, command.local + done,
                          PlaceOf(command) + done, bytes);
    }
    if (writes) mark.Clear();
    done += bytes;
  }
  if (copied == CopiedBy::kEnded) return false;
  is_there = is_there && MappedRegions::StillHas(table.entry(command.id.slot), command.id);
  outcome = is_there && copied == CopiedBy::kDone ? Outcome::kDone : Outcome::kRefused;
  return true;
}

bool SmpDevice::HasEnded(const SmpPeer& peer) const {
  pollfd end = {peer.end.get(), POLLIN, 0};
  return peer.mapped.is_closed() || (end.fd >= 0 && poll(&end, 1, 0) > 0);
}

void SmpDevice::AwaitWriters(std::uint64_t key) const {
  for (const auto& peer : peers_) {
    const auto has_writer = [&] {
      bool is_marked = false;
      peer->basics->marks.ForEach(
          [&](std::uint64_t marked) { is_marked = is_marked || marked == key; });
      return is_marked;
    };
    // This may be the thread that makes the progress: it looks for the end of the rank itself.
    while (has_writer() && !HasEnded(*peer)) std::this_thread::sleep_for(kPause);
  }
}

}  // namespace llcl
