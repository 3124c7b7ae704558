#include "topo/memory.h"

#include <numaif.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "topo/node_mask.h"

namespace topo {
namespace {

// Addresses of user space on today's 64-bit machines.
constexpr std::size_t kAddressSpaceBytes = std::size_t{1} << 47;

absl::Status CheckSize(const Topology& topology, std::size_t bytes, const Placement& placement) {
  if (bytes == 0) return absl::InvalidArgumentError("cannot allocate 0 bytes");
  if (bytes > kAddressSpaceBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot allocate ", bytes, " bytes: more than an address space has"));
  }
  // Where a node fills up, no call fails but the kernel kills: refuse before.
  const auto check = [&](NodeId node, std::size_t wanted) {
    if (wanted <= topology[node].memory_bytes) return absl::OkStatus();
    return absl::ResourceExhaustedError(absl::StrCat("NUMA node ", ToInt(node), " has ",
                                                     topology[node].memory_bytes, " bytes, ",
                                                     wanted, " were asked for"));
  };
  if (placement.kind() == Placement::Kind::kNode) return check(placement.nodes()[0], bytes);
  if (placement.kind() == Placement::Kind::kInterleave) {
    std::uint64_t all = 0;
    for (NodeId node : placement.nodes()) all += topology[node].memory_bytes;
    if (bytes > all) {
      return absl::ResourceExhaustedError(absl::StrCat("the nodes to interleave over have ", all,
                                                       " bytes, ", bytes, " were asked for"));
    }
  }
  for (const Slice& slice : placement.slices()) {
    if (absl::Status status = check(slice.node, slice.end_bytes - slice.begin_bytes); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

// The system as a whole refuses to bind, as opposed to this request.
bool BindingIsForbidden(int error) { return error == EPERM || error == ENOSYS; }

// Binds [base, base + bytes) and reads back what the kernel made of it.
absl::Status Bind(const Topology& topology, std::byte* base, std::size_t bytes, int mode,
                  std::span<const NodeId> nodes, const Placement& placement) {
  const NodeMask wanted(topology, nodes);
  if (mbind(base, bytes, mode, wanted.words(), wanted.bits() + 1, 0) != 0) {
    if (BindingIsForbidden(errno)) {
      return absl::UnavailableError(
          absl::StrCat("this system forbids binding memory (mbind: ", std::strerror(errno),
                       "); pages go by first touch"));
    }
    return absl::InternalError(absl::StrCat("the kernel refuses to place memory on ",
                                            placement.ToString(),
                                            ": mbind: ", std::strerror(errno)));
  }
  NodeMask actual;
  int actual_mode = 0;
  if (get_mempolicy(&actual_mode, actual.words(), actual.bits(), base, MPOL_F_ADDR) != 0) {
    return absl::OkStatus();  // The kernel took the policy and will not report it.
  }
  if (actual_mode != mode || !(actual == wanted)) {
    return absl::InternalError(absl::StrCat("asked to place memory on ", placement.ToString(),
                                            ", the kernel allowed only OS nodes ",
                                            actual.ToString()));
  }
  return absl::OkStatus();
}

absl::Status BindAll(const Topology& topology, const Memory& memory, std::size_t mapped_bytes) {
  const Placement& placement = memory.placement();
  switch (placement.kind()) {
    case Placement::Kind::kFirstTouch:
      return absl::OkStatus();
    case Placement::Kind::kNode:
      return Bind(topology, memory.data(), mapped_bytes, MPOL_BIND, placement.nodes(), placement);
    case Placement::Kind::kInterleave:
      return Bind(topology, memory.data(), mapped_bytes, MPOL_INTERLEAVE, placement.nodes(),
                  placement);
    case Placement::Kind::kSlices:
      for (const Slice& slice : placement.slices()) {
        const std::size_t end = slice.end_bytes == memory.size() ? mapped_bytes : slice.end_bytes;
        if (end == slice.begin_bytes) continue;
        absl::Status status = Bind(topology, memory.data() + slice.begin_bytes,
                                   end - slice.begin_bytes, MPOL_BIND, {&slice.node, 1}, placement);
        if (!status.ok()) return status;
      }
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

std::size_t RoundUp(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

// Maps `bytes` (whole pages) aligned to `alignment`: takes more, returns the ends.
std::byte* MapAligned(std::size_t bytes, std::size_t alignment) {
  const std::size_t slack = alignment > BasePageBytes() ? alignment : 0;
  void* mapped =
      mmap(nullptr, bytes + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  std::byte* base = static_cast<std::byte*>(mapped);
  if (slack == 0) return base;
  const std::size_t before =
      (alignment - reinterpret_cast<std::uintptr_t>(base) % alignment) % alignment;
  if (before > 0) munmap(base, before);
  if (slack > before) munmap(base + before + bytes, slack - before);
  return base + before;
}

}  // namespace

std::size_t BasePageBytes() {
  static const std::size_t bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

absl::StatusOr<Memory> Memory::Allocate(const Topology& topology, std::size_t bytes,
                                        Placement placement, const MemoryOptions& options) {
  if (placement.kind() != Placement::Kind::kFirstTouch && !topology.this_machine()) {
    return absl::FailedPreconditionError(
        absl::StrCat("cannot place memory by a topology of another machine: ", topology.source()));
  }
  if (options.pages != MemoryOptions::Pages::kSystem &&
      options.pages != MemoryOptions::Pages::kSmall &&
      options.pages != MemoryOptions::Pages::kHuge) {
    return absl::InvalidArgumentError(absl::StrCat("pages is ", static_cast<int>(options.pages),
                                                   ": it is kSystem, kSmall or kHuge"));
  }
  if (absl::Status status = placement.CheckAgainst(topology, bytes); !status.ok()) return status;
  if (absl::Status status = CheckSize(topology, bytes, placement); !status.ok()) return status;

  const bool huge = options.pages == MemoryOptions::Pages::kHuge && bytes >= kHugePageBytes;
  Memory memory;
  const std::size_t mapped_bytes = RoundUp(bytes, BasePageBytes());
  memory.base_ = MapAligned(mapped_bytes, huge ? kHugePageBytes : BasePageBytes());
  if (memory.base_ == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("cannot allocate ", bytes, " bytes: ", std::strerror(errno)));
  }
  memory.bytes_ = bytes;
  memory.page_bytes_ = huge ? kHugePageBytes : BasePageBytes();
  memory.placement_ = std::move(placement);
  // Advice: a kernel without huge pages refuses it, and needs none.
  if (huge) madvise(memory.base_, mapped_bytes, MADV_HUGEPAGE);
  if (options.pages == MemoryOptions::Pages::kSmall) {
    madvise(memory.base_, mapped_bytes, MADV_NOHUGEPAGE);
  }
  memory.bound_ = BindAll(topology, memory, mapped_bytes);
  if (!memory.bound_.ok() && !absl::IsUnavailable(memory.bound_)) return memory.bound_;
  return memory;
}

void Memory::Free(std::byte* block, std::size_t bytes) {
  if (block != nullptr) munmap(block, RoundUp(bytes, BasePageBytes()));
}

absl::Status FirstTouch(const Topology& topology, const Mapping& mapping, const Memory& memory) {
  return RunThreads(topology, mapping, [&](const Slot& slot) {
    const Range share = ShareOf(static_cast<std::int64_t>(memory.size()), mapping, slot);
    const auto unit = static_cast<std::int64_t>(memory.page_bytes());
    const std::int64_t begin = (share.begin + unit - 1) / unit * unit;
    const std::int64_t end =
        std::min((share.end + unit - 1) / unit * unit, static_cast<std::int64_t>(memory.size()));
    for (std::int64_t at = begin; at < end; at += static_cast<std::int64_t>(BasePageBytes())) {
      // A write: a read would only map the page of zeros.
      reinterpret_cast<volatile std::byte*>(memory.data())[at] = std::byte{0};
    }
  });
}

}  // namespace topo
