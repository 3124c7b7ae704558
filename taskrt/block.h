// A block that ends with its scope.
//
//   std::vector<double> values(1000);
//   taskrt::Block<double> block(*runtime, "values", values);
//   Submit(*runtime, scale, inout(block), 2.0);
//   if (auto all = block.Read(); all.ok()) std::printf("%f\n", (*all)[0]);
//
// Declared after the runtime and after its memory, it is safe wherever an exception is thrown: its
// end waits for its tasks.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "lwt/contract.h"
#include "taskrt/access.h"
#include "taskrt/kept.h"
#include "taskrt/matrix.h"
#include "taskrt/runtime.h"
#include "taskrt/tile.h"
#include "taskrt/view.h"

namespace taskrt {

// A resource: a registered block, over the user's memory or its own. Moved from, it is of no block.
// Threads: one at a time; tasks use its handle in any. Errors: those of Runtime::WaitOn.
template <typename T>
class Block : public Matrix<T> {
 public:
  Block() = default;
  // Over the user's memory, which outlives it.
  Block(Runtime& runtime, std::string name, T* data, std::size_t rows, std::size_t columns,
        std::size_t stride, int owner = 0)
      : Block(runtime, std::move(name), Source{TileOf(data, rows, columns, stride), nullptr},
              owner) {}
  // One row.
  Block(Runtime& runtime, std::string name, std::vector<T>& values, int owner = 0)
      : Block(runtime, std::move(name), values.data(), 1, values.size(), values.size(), owner) {}
  // Of memory of its own, aligned for caches and devices, all bytes 0 at first; large blocks are
  // pinned where there are devices of CUDA, whose copies then take no detour. Throws
  // std::bad_alloc.
  Block(Runtime& runtime, std::string name, std::size_t rows, std::size_t columns, int owner = 0)
      : Block(runtime, std::move(name), Allocate(rows, columns), owner) {}

  Block(Block&& other) noexcept
      : Matrix<T>{std::exchange(other.handle, {})},
        memory_(std::move(other.memory_)),
        own_(other.own_),
        runtime_(std::exchange(other.runtime_, nullptr)),
        alive_(std::move(other.alive_)) {}
  Block& operator=(Block&& other) noexcept {
    Block taken(std::move(other));
    std::swap(this->handle, taken.handle);
    std::swap(memory_, taken.memory_);
    std::swap(own_, taken.own_);
    std::swap(runtime_, taken.runtime_);
    std::swap(alive_, taken.alive_);
    return *this;
  }
  // Waits for the block's tasks; its newest value is in its memory then. A broken contract: a task
  // that uses the block ends it. After the runtime's end it waits for nothing.
  ~Block() {
    if (runtime_ == nullptr || alive_.expired()) return;
    (void)runtime_->End(this->handle);
    if (runtime_->IsLeft()) {
      (void)memory_.release();
    } else if (memory_ != nullptr) {
      runtime_->Unpin(own_);
    }
  }

  // Waits for the tasks that change the block. Its newest value may be read until the next task is
  // submitted that changes it.
  absl::StatusOr<View<const T>> Read() const {
    if (absl::Status status = Waited(Mode::kIn); !status.ok()) return status;
    return View<const T>(runtime_->TileOf(this->handle));
  }
  // Waits for all tasks of the block. Its value may be changed until the next task of it is
  // submitted.
  absl::StatusOr<View<T>> Write() {
    if (absl::Status status = Waited(Mode::kInOut); !status.ok()) return status;
    return View<T>(runtime_->TileOf(this->handle));
  }

 private:
  absl::Status Waited(Mode mode) const {
    lwt::CheckContract(runtime_ != nullptr, "a Block that was moved from is of no block");
    return runtime_->WaitOn(this->handle, mode);
  }

  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  using Memory = std::unique_ptr<void, Free>;
  // Of a page: copies of drivers are fastest from there, and calloc's large memory is touched first
  // by the task that fills it.
  static constexpr std::size_t kAlignment = 4096, kLine = 64;

  // A value: a tile and its memory, if that is the block's own.
  struct Source {
    Tile tile;
    Memory memory;
  };
  static Source Allocate(std::size_t rows, std::size_t columns) {
    std::size_t bytes = 0, space = 0;
    const bool is_too_large = __builtin_mul_overflow(rows, columns, &bytes) ||
                              __builtin_mul_overflow(bytes, sizeof(T), &bytes) ||
                              __builtin_add_overflow(bytes, kAlignment, &space);
    Memory memory(is_too_large ? nullptr : std::calloc(space, 1));
    if (memory == nullptr) throw std::bad_alloc();
    void* at = memory.get();
    std::align(bytes < kAlignment ? kLine : kAlignment, bytes, at, space);
    return {TileOf(static_cast<T*>(at), rows, columns, columns), std::move(memory)};
  }
  Block(Runtime& runtime, std::string name, Source source, int owner)
      : Matrix<T>{runtime.Register(std::move(name), source.tile, owner)},
        memory_(std::move(source.memory)),
        runtime_(&runtime),
        alive_(runtime.kept()) {
    if (memory_ != nullptr) {
      own_ = {source.tile.data, source.tile.bytes()};
      runtime.Pin(own_);
    }
  }

  Memory memory_;
  // The part of it that is pinned, whatever Runtime::Resize has made of the block.
  std::span<std::byte> own_;
  Runtime* runtime_ = nullptr;
  std::weak_ptr<Kept> alive_;  // while the runtime is there
};

}  // namespace taskrt
