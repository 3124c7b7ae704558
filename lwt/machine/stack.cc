#include "lwt/machine/stack.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <new>
#include <utility>

namespace lwt {
namespace {

// Not in the headers of systems older than their kernel.
constexpr int kMadviseGuardInstall = 102;

// Slabs grow with what is in use: from some stacks to a gibibyte of address space.
constexpr std::size_t kFirstSlabStacks = 16, kMostFirstSlabStacks = 256;
constexpr std::size_t kMostSlabBytes = std::size_t{1} << 30;

std::size_t PageBytes() {
  static const std::size_t bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

// How many mappings the kernel gives a process.
std::int64_t MostMappings() {
  std::int64_t most = 65530;  // the kernel's default
  std::ifstream("/proc/sys/vm/max_map_count") >> most;
  return most;
}

}  // namespace

StackSlabs::StackSlabs(std::size_t stack_bytes)
    : stride_bytes_(kGuardBytes +
                    std::max((stack_bytes + PageBytes() - 1) / PageBytes(), std::size_t{4}) *
                        PageBytes()),
      mappings_left_(MostMappings() / 2) {
  slabs_.reserve(kMostSlabs);
}

StackSlabs::~StackSlabs() {
  // All stacks have been given back: those in the lists are all that were made.
  for (Stack* const list : {free_, free_own_}) {
    for (Stack* stack = list; stack != nullptr; stack = stack->next_free) stack->flow.Destroy();
  }
  for (const Slab& slab : slabs_) munmap(slab.base, slab.bytes);
}

bool StackSlabs::Map(std::size_t bytes, std::size_t stride_bytes) {
  void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (base == MAP_FAILED) return false;
  // One page of a stack in use must not become two megabytes.
  madvise(base, bytes, MADV_NOHUGEPAGE);
  slabs_.push_back({static_cast<std::byte*>(base), bytes, stride_bytes});
  slab_count_.store(slabs_.size(), std::memory_order_release);
  return true;
}

// glibc's allocator takes 64 MiB of addresses for each of the first threads that ask for memory:
// the first slab is there before, and has what a program needs that makes no more threads than
// most.
std::size_t StackSlabs::FirstSlabBytes() const {
  rlimit limit = {};
  const bool is_scarce = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  const std::size_t most = is_scarce ? limit.rlim_cur / 16 / stride_bytes_ : 0;
  return std::clamp(most, kFirstSlabStacks, kMostFirstSlabStacks) * stride_bytes_;
}

bool StackSlabs::AddSlab() {
  if (slabs_.size() == kMostSlabs) return false;
  std::size_t bytes =
      carved_ == nullptr
          ? FirstSlabBytes()
          : std::min(carved_->bytes * 2,
                     std::max(kMostSlabBytes / stride_bytes_, std::size_t{1}) * stride_bytes_);
  while (!Map(bytes, stride_bytes_)) {
    if (bytes == stride_bytes_) return false;
    bytes = std::max(bytes / 2 / stride_bytes_, std::size_t{1}) * stride_bytes_;
  }
  carved_ = &slabs_.back();
  carved_bytes_ = 0;
  return true;
}

bool StackSlabs::Guard(std::byte* bottom) {
  if (madvise(bottom, kGuardBytes, kMadviseGuardInstall) == 0) return true;
  if (mappings_left_ < 2 || mprotect(bottom, kGuardBytes, PROT_NONE) != 0) return false;
  mappings_left_ -= 2;
  return true;
}

Stack* StackSlabs::MakeStack(Place place) {
  ++counts_.made;
  counts_.unguarded += !Guard(place.bottom);
  std::byte* const lowest = place.bottom + kGuardBytes;
  Stack* const stack = new (StackAt(place)) Stack;
  const auto bytes = static_cast<std::byte*>(stack->top()) - lowest;
  stack->flow.Create(lowest, static_cast<std::size_t>(bytes));
  return stack;
}

std::size_t StackSlabs::Take(std::span<Stack*> stacks) {
  const topo::Lock lock(mutex_);
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    if (free_ != nullptr) {
      stacks[i] = free_;
      free_ = free_->next_free;
      continue;
    }
    if (carved_ == nullptr || carved_bytes_ == carved_->bytes) {
      if (!AddSlab()) return i;
    }
    stacks[i] = MakeStack({carved_->base + carved_bytes_, stride_bytes_});
    carved_bytes_ += stride_bytes_;
  }
  return stacks.size();
}

Stack* StackSlabs::TakeOwn(std::size_t bytes) {
  // Powers of two, so that the next thread that asks for about as much finds one that was used.
  const std::size_t own_bytes =
      std::bit_ceil(bytes + kStackColors * kStackColorBytes + sizeof(Stack) + PageBytes());
  const topo::Lock lock(mutex_);
  for (Stack** link = &free_own_; *link != nullptr; link = &(*link)->next_free) {
    if ((*link)->own_bytes != own_bytes) continue;
    return std::exchange(*link, (*link)->next_free);
  }
  const std::size_t stride_bytes = kGuardBytes + own_bytes;
  if (slabs_.size() == kMostSlabs || !Map(stride_bytes, stride_bytes)) return nullptr;
  Stack* const stack = MakeStack({slabs_.back().base, stride_bytes});
  stack->own_bytes = own_bytes;
  return stack;
}

void StackSlabs::GiveBack(std::span<Stack* const> stacks) {
  const topo::Lock lock(mutex_);
  for (Stack* stack : stacks) {
    Stack*& list = stack->own_bytes == 0 ? free_ : free_own_;
    if (stack->own_bytes != 0) {
      // All but the pages in which the Stack itself lies: its list goes through it.
      std::byte* const bottom = PlaceOf(stack).bottom + kGuardBytes;
      const auto unused = static_cast<std::size_t>(reinterpret_cast<std::byte*>(stack) - bottom);
      madvise(bottom, unused / PageBytes() * PageBytes(), MADV_DONTNEED);
    }
    stack->next_free = list;
    list = stack;
  }
}

StackSlabs::Place StackSlabs::PlaceOf(const void* address) const {
  const auto* const at = static_cast<const std::byte*>(address);
  const std::size_t slabs = slab_count_.load(std::memory_order_acquire);
  for (const Slab& slab : std::span(slabs_.data(), slabs)) {
    if (at < slab.base || at >= slab.base + slab.bytes) continue;
    const std::size_t stack = static_cast<std::size_t>(at - slab.base) / slab.stride_bytes;
    return {slab.base + stack * slab.stride_bytes, slab.stride_bytes};
  }
  return {};
}

Stack* StackSlabs::OverflownStack(const void* address) const {
  const Place place = PlaceOf(address);
  return place.bottom != nullptr && address < place.bottom + kGuardBytes ? StackAt(place) : nullptr;
}

Stack* StackSlabs::StackOf(const void* address) const {
  const Place place = PlaceOf(address);
  return place.bottom == nullptr ? nullptr : StackAt(place);
}

StackSlabs::Counts StackSlabs::counts() const {
  const topo::Lock lock(mutex_);
  return counts_;
}

}  // namespace lwt
