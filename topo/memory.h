// Memory that lies where it was asked to lie.
//
// `Memory` is a block of whole pages with a Placement; `Array<T>` is a typed
// view with an owner; `NodeArrays<T>` is the paper's figure 6, one array on
// each NUMA node in use. Pages are allocated when they are touched;
// `FirstTouch` touches them from the threads that will use them.
//
// The kernel reports some placements as done that it has not done (it shrinks
// node masks silently, and a refused mbind leaves a mapping that works
// elsewhere), so every binding is read back where the kernel reports it.
//
// Threads: a block may be used from any thread; making and destroying are
// independent of each other. Source: [ULIBC14] sections 2 and 3.2, lmalloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "topo/placement.h"
#include "topo/split.h"
#include "topo/threads.h"
#include "topo/topology.h"

namespace topo {

struct MemoryOptions {
  // kSystem: as /sys/kernel/mm/transparent_hugepage says. kSmall: base pages
  // only. kHuge: aligns to huge pages and asks for them; the kernel decides.
  // Interleaving and first touch work in units of the pages really used.
  enum class Pages { kSystem, kSmall, kHuge };
  Pages pages = Pages::kSystem;
};

// A resource. Zeroed memory from the kernel, unmapped when destroyed.
class Memory {
 public:
  // Errors: InvalidArgument for zero bytes, more than an address space, or a
  // placement that CheckAgainst refuses (PermissionDenied for a forbidden
  // node); FailedPrecondition for a topology of another machine (except first
  // touch, which needs none of its facts); ResourceExhausted with the size
  // where the nodes named, or the address space, have less; Internal where the
  // kernel did something else than asked, naming both.
  //
  // Where the system forbids binding altogether (containers without
  // CAP_SYS_NICE, kernels without NUMA) the memory is made all the same, by
  // first touch; bound() then returns why.
  static absl::StatusOr<Memory> Allocate(const Topology& topology, std::size_t bytes,
                                         Placement placement, const MemoryOptions& options = {});

  Memory() = default;  // empty
  Memory(Memory&& other) noexcept { *this = std::move(other); }
  Memory& operator=(Memory&& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(bytes_, other.bytes_);
    std::swap(page_bytes_, other.page_bytes_);
    std::swap(placement_, other.placement_);
    std::swap(bound_, other.bound_);
    return *this;
  }
  ~Memory() { Free(base_, bytes_); }

  std::byte* data() const { return base_; }
  std::size_t size() const { return bytes_; }

  // Gives the block away; the caller frees it by Free with the same size.
  std::byte* Release() { return std::exchange(base_, nullptr); }
  static void Free(std::byte* block, std::size_t bytes);

  std::span<std::byte> bytes() const { return {base_, bytes_}; }

  // What was asked for.
  const Placement& placement() const { return placement_; }
  // The unit of first touch: a huge page where those were asked for, else a
  // base page.
  std::size_t page_bytes() const { return page_bytes_; }

  // OK where the kernel took the placement (or none was needed); Unavailable
  // with the reason where the system forbids binding.
  const absl::Status& bound() const { return bound_; }

 private:
  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t page_bytes_ = 1;
  Placement placement_ = Placement::FirstTouch();
  absl::Status bound_;
};

// The system's base page, and the huge page that madvise() asks for.
std::size_t BasePageBytes();
inline constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;

// What PlanSlices should round to for these options.
inline std::size_t SlicePageBytes(const MemoryOptions& options) {
  return options.pages == MemoryOptions::Pages::kHuge ? kHugePageBytes : BasePageBytes();
}

// Touches every page of `memory`, from the threads of the mapping, each its own
// share (split.h), so that first touch puts pages where the same
// split will use them; a page belongs to the thread whose share has its first
// byte. Contents stay zero. Errors as RunThreads.
absl::Status FirstTouch(const Topology& topology, const Mapping& mapping, const Memory& memory);

// A resource. `size()` elements of a trivial type, zeroed.
template <typename T>
class Array {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>,
                "memory from the kernel holds values that need no construction");

 public:
  // Errors as Memory::Allocate; elements * sizeof(T) that overflows is refused.
  static absl::StatusOr<Array> Allocate(const Topology& topology, std::size_t elements,
                                        Placement placement, const MemoryOptions& options = {}) {
    if (elements > SIZE_MAX / sizeof(T)) {
      return absl::InvalidArgumentError("an array of that many elements has no address");
    }
    absl::StatusOr<Memory> memory =
        Memory::Allocate(topology, elements * sizeof(T), std::move(placement), options);
    if (!memory.ok()) return memory.status();
    Array array;
    array.memory_ = *std::move(memory);
    return array;
  }

  // One contiguous array, cut so that each node's threads have their share
  // (ShareOf) on the node they allocate from, up to the page at each boundary.
  static absl::StatusOr<Array> AllocateSliced(const Topology& topology, const Mapping& mapping,
                                              std::size_t elements,
                                              const MemoryOptions& options = {}) {
    if (elements > SIZE_MAX / sizeof(T) / 2) {
      return absl::InvalidArgumentError("an array of that many elements has no address");
    }
    if (!mapping.binds()) {
      return Allocate(topology, elements, Placement::FirstTouch(), options);
    }
    return Allocate(
        topology, elements,
        Placement::Slices(PlanSlices(mapping, elements * sizeof(T), SlicePageBytes(options))),
        options);
  }

  T* data() const { return reinterpret_cast<T*>(memory_.data()); }
  std::size_t size() const { return memory_.size() / sizeof(T); }
  T& operator[](std::size_t i) const { return data()[i]; }
  std::span<T> span() const { return {data(), size()}; }
  T* begin() const { return data(); }
  T* end() const { return data() + size(); }
  const Memory& memory() const { return memory_; }

 private:
  Memory memory_;
};

// A resource. One array on the memory of each node that has threads: figure 6's A[k].
template <typename T>
class NodeArrays {
 public:
  // Sized by each node's share of `elements` (ShareOfNode). Errors as Array::Allocate, and
  // InvalidArgument for fewer elements than nodes.
  static absl::StatusOr<NodeArrays> Allocate(const Topology& topology, const Mapping& mapping,
                                             std::size_t elements,
                                             const MemoryOptions& options = {}) {
    std::vector<std::size_t> shares;
    for (int i = 0; i < static_cast<int>(mapping.nodes().size()); ++i) {
      shares.push_back(static_cast<std::size_t>(
          ShareOfNode(static_cast<std::int64_t>(elements), mapping, i).size()));
      if (shares.back() == 0) {
        return absl::InvalidArgumentError("fewer elements than NUMA nodes in use");
      }
    }
    return AllocateSized(topology, mapping, shares, options);
  }

  // elements[i] of them for mapping.nodes()[i]: where parts are not equal in number
  // (SplitByWeight). None is an empty array. Errors as Array::Allocate, and
  // InvalidArgument for another number of sizes than of nodes.
  static absl::StatusOr<NodeArrays> AllocateSized(const Topology& topology, const Mapping& mapping,
                                                  std::span<const std::size_t> elements,
                                                  const MemoryOptions& options = {}) {
    if (elements.size() != mapping.nodes().size()) {
      return absl::InvalidArgumentError("one size for each NUMA node in use is needed");
    }
    NodeArrays arrays;
    for (int i = 0; i < static_cast<int>(elements.size()); ++i) {
      arrays.arrays_.emplace_back();
      if (elements[static_cast<std::size_t>(i)] == 0) continue;
      absl::StatusOr<Array<T>> array = Array<T>::Allocate(
          topology, elements[static_cast<std::size_t>(i)], PlacementOn(mapping, i), options);
      if (!array.ok()) return array.status();
      arrays.arrays_.back() = *std::move(array);
    }
    return arrays;
  }

  // An array of all `elements` on each node, for what is written seldom and read by
  // all; the caller keeps them equal. Errors as Array::Allocate, also for no elements.
  static absl::StatusOr<NodeArrays> AllocateReplicas(const Topology& topology,
                                                     const Mapping& mapping, std::size_t elements,
                                                     const MemoryOptions& options = {}) {
    if (elements == 0) return absl::InvalidArgumentError("a replica has at least one element");
    return AllocateSized(topology, mapping,
                         std::vector<std::size_t>(mapping.nodes().size(), elements), options);
  }

  int nodes() const { return static_cast<int>(arrays_.size()); }
  // The array of mapping.nodes()[node_index].
  const Array<T>& operator[](int node_index) const { return arrays_[node_index]; }

 private:
  static Placement PlacementOn(const Mapping& mapping, int node_index) {
    for (const Slot& slot : mapping.slots()) {
      if (mapping.node_index(slot) == node_index && slot.memory != kAnyNode) {
        return Placement::OnNode(slot.memory);
      }
    }
    return Placement::FirstTouch();
  }

  std::vector<Array<T>> arrays_;
};

}  // namespace topo
