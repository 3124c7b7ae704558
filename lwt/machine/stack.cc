#include "lwt/machine/stack.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <new>

namespace lwt {
namespace {

// Not in the headers of systems older than their kernel.
constexpr int kMadviseGuardInstall = 102;

// Slabs grow with what is in use: from some stacks to a gibibyte of address space.
constexpr std::size_t kFirstSlabStacks = 16;
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
  // All stacks have been given back: those in the list are all that were made.
  for (Stack* stack = free_; stack != nullptr; stack = stack->next_free) stack->flow.Destroy();
  for (const Slab& slab : slabs_) munmap(slab.base, slab.bytes);
}

bool StackSlabs::AddSlab() {
  if (slabs_.size() == kMostSlabs) return false;
  std::size_t bytes =
      slabs_.empty()
          ? kFirstSlabStacks * stride_bytes_
          : std::min(slabs_.back().bytes * 2,
                     std::max(kMostSlabBytes / stride_bytes_, std::size_t{1}) * stride_bytes_);
  while (true) {
    void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (base != MAP_FAILED) {
      // One page of a stack in use must not become two megabytes.
      madvise(base, bytes, MADV_NOHUGEPAGE);
      slabs_.push_back({static_cast<std::byte*>(base), bytes});
      slab_count_.store(slabs_.size(), std::memory_order_release);
      carved_bytes_ = 0;
      return true;
    }
    if (bytes == stride_bytes_) return false;
    bytes = std::max(bytes / 2 / stride_bytes_, std::size_t{1}) * stride_bytes_;
  }
}

bool StackSlabs::Guard(std::byte* bottom) {
  if (madvise(bottom, kGuardBytes, kMadviseGuardInstall) == 0) return true;
  if (mappings_left_ < 2 || mprotect(bottom, kGuardBytes, PROT_NONE) != 0) return false;
  mappings_left_ -= 2;
  return true;
}

std::size_t StackSlabs::Take(std::span<Stack*> stacks) {
  const topo::Lock lock(mutex_);
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    if (free_ != nullptr) {
      stacks[i] = free_;
      free_ = free_->next_free;
      continue;
    }
    if (slabs_.empty() || carved_bytes_ == slabs_.back().bytes) {
      if (!AddSlab()) return i;
    }
    std::byte* const bottom = slabs_.back().base + carved_bytes_;
    carved_bytes_ += stride_bytes_;
    ++counts_.made;
    counts_.unguarded += !Guard(bottom);
    std::byte* const lowest = bottom + kGuardBytes;
    stacks[i] = new (StackAt(bottom)) Stack;
    const auto bytes = static_cast<std::byte*>(stacks[i]->top()) - lowest;
    stacks[i]->flow.Create(lowest, static_cast<std::size_t>(bytes));
  }
  return stacks.size();
}

void StackSlabs::GiveBack(std::span<Stack* const> stacks) {
  const topo::Lock lock(mutex_);
  for (Stack* stack : stacks) {
    stack->next_free = free_;
    free_ = stack;
  }
}

std::byte* StackSlabs::BottomOf(const void* address) const {
  const auto* const at = static_cast<const std::byte*>(address);
  const std::size_t slabs = slab_count_.load(std::memory_order_acquire);
  for (const Slab& slab : std::span(slabs_.data(), slabs)) {
    if (at < slab.base || at >= slab.base + slab.bytes) continue;
    return slab.base + static_cast<std::size_t>(at - slab.base) / stride_bytes_ * stride_bytes_;
  }
  return nullptr;
}

Stack* StackSlabs::OverflownStack(const void* address) const {
  std::byte* const bottom = BottomOf(address);
  return bottom != nullptr && address < bottom + kGuardBytes ? StackAt(bottom) : nullptr;
}

Stack* StackSlabs::StackOf(const void* address) const {
  std::byte* const bottom = BottomOf(address);
  return bottom == nullptr ? nullptr : StackAt(bottom);
}

StackSlabs::Counts StackSlabs::counts() const {
  const topo::Lock lock(mutex_);
  return counts_;
}

}  // namespace lwt
