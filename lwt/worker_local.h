// A value a worker, for what threads gather without a lock and is put together later.
//
//   lwt::WorkerLocal<std::int64_t> edges(*pool);
//   pool->Run([&] {
//     lwt::ParallelFor(0, n, 1024, [&](std::int64_t begin, std::int64_t end) {
//       std::int64_t found = Count(begin, end);
//       edges.Here() += found;
//     });
//   });
//   for (const std::int64_t part : edges) total += part;
//
// Which worker gathers what is left to the scheduler, so what is put together
// must not depend on it.
//
// Threads: Here from lightweight threads of that pool; the reference is the calling
// thread's until it next suspends, after which it may run on another worker while
// another thread has that value. Iterate when no thread calls Here.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "lwt/contract.h"
#include "lwt/pool.h"
#include "lwt/worker.h"

namespace lwt {

// A resource.
template <typename T>
class WorkerLocal {
  // Of its own cache lines (two, as processors fetch pairs), so that no worker's writes slow
  // another.
  struct alignas(128) Cell {
    T value;
  };

 public:
  // Each worker's value is T(arguments...).
  template <typename... Arguments>
  explicit WorkerLocal(const Pool& pool, const Arguments&... arguments) : pool_(&pool) {
    cells_.reserve(static_cast<std::size_t>(pool.workers()));
    for (int i = 0; i < pool.workers(); ++i) {
      cells_.push_back(std::unique_ptr<Cell>(new Cell{T(arguments...)}));
    }
  }

  // The value of the worker that the calling thread runs on.
  T& Here() {
    const Worker& worker = Worker::Here("WorkerLocal::Here");
    CheckContract(&worker.pool() == pool_, "a WorkerLocal is used by threads of its own pool");
    return (*this)[worker.index()];
  }

  int size() const { return static_cast<int>(cells_.size()); }
  // Precondition: 0 <= worker < size().
  T& operator[](int worker) { return cells_[static_cast<std::size_t>(worker)]->value; }

  // Forward, over the values by worker.
  class Iterator {
   public:
    T& operator*() const { return (*at_)->value; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    friend class WorkerLocal;
    explicit Iterator(const std::unique_ptr<Cell>* at) : at_(at) {}
    const std::unique_ptr<Cell>* at_;
  };
  Iterator begin() { return Iterator(cells_.data()); }
  Iterator end() { return Iterator(cells_.data() + cells_.size()); }

 private:
  const Pool* pool_;
  std::vector<std::unique_ptr<Cell>> cells_;  // by worker
};

}  // namespace lwt
