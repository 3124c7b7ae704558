#include "lwt/machine/stack.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <fstream>
#include <new>
#include <utility>

#include "lwt/machine/valgrind.h"

namespace lwt {
namespace {

// Not in the headers of systems older than their kernel.
constexpr int kMadviseGuardInstall = 102;

// Slabs grow with what is in use: from some stacks to a gibibyte of address space.
constexpr std::size_t kFirstSlabStacks = 16, kMostFirstSlabStacks = 256;
constexpr std::size_t kMostSlabBytes = std::size_t{1} << 30;

constexpr std::size_t kLeastPageBytes = 4096;  // of the processors that Linux runs on
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

void CreateFlow(Stack& stack, const std::byte* lowest) {
  const auto bytes = static_cast<std::byte*>(stack.top()) - lowest;
  stack.flow.Create(lowest, static_cast<std::size_t>(bytes));
}

}  // namespace

StackSlabs::StackSlabs(std::size_t stack_bytes)
    : usable_bytes_(std::max(stack_bytes, std::size_t{16} << 10)),
      stride_bytes_(kGuardBytes + (usable_bytes_ + kStackOverheadBytes + PageBytes() - 1) /
                                      PageBytes() * PageBytes()),
      mappings_left_(MostMappings() / 2) {
  slabs_.reserve(kMostSlabs);
}

StackSlabs::~StackSlabs() {
  // All stacks have been given back: those in the lists, and those without pages, are all that
  // were made.
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
  Stack* const stack = new (StackAt(place)) Stack;
  CreateFlow(*stack, place.bottom + kGuardBytes);
  return stack;
}

// Where the place of one of the equal stacks begins: its end is the next page.
std::byte* StackSlabs::BottomOfEqual(const Stack& stack) const {
  static_assert((kStackColors - 1) * kStackColorBytes < kLeastPageBytes);
  const auto end = reinterpret_cast<std::uintptr_t>(&stack + 1);
  return reinterpret_cast<std::byte*>((end + PageBytes() - 1) / PageBytes() * PageBytes() -
                                      stride_bytes_);
}

// One more stack is about to be made; false: there is no memory to remember it by.
bool StackSlabs::MakeRoomForBare() {
  const auto needed = static_cast<std::size_t>(counts_.made) + 1;
  if (bare_.capacity() >= needed) return true;
  try {
    bare_.reserve(2 * needed);
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

void StackSlabs::AnnounceUnused(Stack& stack) const {
  lwt::AnnounceUnused(PlaceOf(&stack).bottom + kGuardBytes, stack.top());
}

std::size_t StackSlabs::Take(std::span<Stack*> stacks) {
  std::span<Stack*> bare;
  const std::size_t count = TakeFree(stacks, bare);
  // Without the lock: each is a page fault. A page of zeros is a Stack that nothing was done with
  // but for its flow.
  for (Stack* stack : bare) CreateFlow(*stack, BottomOfEqual(*stack) + kGuardBytes);
  if (RunsOnMemcheck()) {
    for (Stack* stack : stacks.first(count)) AnnounceUnused(*stack);
  }
  return count;
}

// `bare`: of those, the ones without pages.
std::size_t StackSlabs::TakeFree(std::span<Stack*> stacks, std::span<Stack*>& bare) {
  const topo::Lock lock(mutex_);
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    if (free_ != nullptr) {
      stacks[i] = free_;
      free_ = free_->next_free;
      --free_count_;
      continue;
    }
    if (!bare_.empty()) {
      stacks[i] = bare_.back();
      bare_.pop_back();
      bare = stacks.subspan(i - bare.size(), bare.size() + 1);
      continue;
    }
    if (!MakeRoomForBare()) return i;
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
    Stack* const stack = std::exchange(*link, (*link)->next_free);
    if (RunsOnMemcheck()) AnnounceUnused(*stack);
    return stack;
  }
  const std::size_t stride_bytes = kGuardBytes + own_bytes;
  if (slabs_.size() == kMostSlabs || !Map(stride_bytes, stride_bytes)) return nullptr;
  Stack* const stack = MakeStack({slabs_.back().base, stride_bytes});
  stack->own_bytes = own_bytes;
  return stack;
}

void StackSlabs::GiveBack(std::span<Stack* const> stacks) {
  Stack* beyond = nullptr;
  {
    const topo::Lock lock(mutex_);
    for (Stack* stack : stacks) {
      Stack*& list = stack->own_bytes == 0 ? free_ : free_own_;
      if (stack->own_bytes != 0) {
        // All but the pages in which the Stack itself lies: its list goes through it.
        std::byte* const bottom = PlaceOf(stack).bottom + kGuardBytes;
        const auto unused = static_cast<std::size_t>(reinterpret_cast<std::byte*>(stack) - bottom);
        madvise(bottom, unused / PageBytes() * PageBytes(), MADV_DONTNEED);
      } else {
        ++free_count_;
      }
      stack->next_free = list;
      list = stack;
    }
    if (free_count_ > kMostKept) beyond = CutOlderHalf();
  }
  if (beyond != nullptr) GiveBackPages(beyond);
}

// Of the free stacks, all but the newest kMostKept / 2. Half, so that the list is gone through once
// in so many stacks.
Stack* StackSlabs::CutOlderHalf() {
  Stack* last = free_;
  for (std::size_t i = 1; i < kMostKept / 2; ++i) last = last->next_free;
  free_count_ = kMostKept / 2;
  return std::exchange(last->next_free, nullptr);
}

// Without the lock: the kernel takes its time, and tells the processors of other workers. One call
// for stacks side by side, as threads that were made one after the other have them; the guards
// between them stay.
void StackSlabs::GiveBackPages(Stack* list) {
  std::array<Stack*, 64> batch;  // on the stack of a thread, which may be small
  while (list != nullptr) {
    std::size_t count = 0;
    for (; list != nullptr && count < batch.size(); ++count) {
      batch[count] = std::exchange(list, list->next_free);
      batch[count]->flow.Destroy();
    }
    const std::span<Stack*> stacks(batch.data(), count);
    std::sort(stacks.begin(), stacks.end());
    for (std::size_t i = 0; i < count;) {
      std::byte* end = BottomOfEqual(*stacks[i]);
      std::byte* const begin = end + kGuardBytes;
      for (; i < count && BottomOfEqual(*stacks[i]) == end; ++i) end += stride_bytes_;
      madvise(begin, static_cast<std::size_t>(end - begin), MADV_DONTNEED);
    }
    const topo::Lock lock(mutex_);
    bare_.insert(bare_.end(), stacks.begin(), stacks.end());
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
