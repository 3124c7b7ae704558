// What was asked of a device's queues, by tickets.
//
// Threads: any.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "lwt/event.h"
#include "taskrt/device.h"
#include "taskrt/opencl/library.h"

namespace taskrt::opencl {

// A resource: an event of OpenCL, and its end as lightweight threads wait for it.
class Operation {
 public:
  // Owns `event`.
  Operation(const Library& library, cl_event event) : library_(library), event_(event) {
    auto* const end = new std::shared_ptr<End>(end_);
    const cl_int watched = library_.SetEventCallback(event, CL_COMPLETE, HasEnded, end);
    if (watched != CL_SUCCESS) HasEnded(event, watched, end);
  }
  ~Operation() { library_.ReleaseEvent(event_); }
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  cl_event event() const { return event_; }
  bool has_ended() const { return end_->happened.IsSet(); }
  // CL_COMPLETE, or the error, less than zero.
  cl_int Wait() const {
    end_->happened.Wait("a device");
    return end_->status.load(std::memory_order_relaxed);
  }

 private:
  struct End {
    lwt::Event happened;
    std::atomic<cl_int> status{CL_COMPLETE};
  };
  // By the driver's thread, in which nothing of OpenCL is called.
  static void CL_CALLBACK HasEnded(cl_event, cl_int status, void* data) {
    const std::unique_ptr<std::shared_ptr<End>> end(static_cast<std::shared_ptr<End>*>(data));
    (*end)->status.store(status, std::memory_order_relaxed);
    (*end)->happened.Set();
  }

  const Library& library_;
  const cl_event event_;
  const std::shared_ptr<End> end_ = std::make_shared<End>();
};

// A resource. Forgets those that have ended well, a few whenever one comes.
class Operations {
 public:
  Ticket Add(const Library& library, cl_event event) {
    auto operation = std::make_shared<const Operation>(library, event);
    const std::lock_guard lock(mutex_);
    for (int i = 0; i < 4 && !oldest_.empty(); ++i) {
      const auto found = operations_.find(oldest_.front());
      if (!found->second->has_ended()) break;
      if (found->second->Wait() == CL_COMPLETE) operations_.erase(found);
      oldest_.pop_front();
    }
    operations_.emplace(++last_, std::move(operation));
    oldest_.push_back(last_);
    return last_;
  }
  // Null: it has ended well, or is kDone.
  std::shared_ptr<const Operation> Find(Ticket ticket) const {
    const std::lock_guard lock(mutex_);
    const auto found = operations_.find(ticket);
    return found == operations_.end() ? nullptr : found->second;
  }

 private:
  mutable std::mutex mutex_;
  std::map<Ticket, std::shared_ptr<const Operation>> operations_;  // under mutex_, as what follows
  std::deque<Ticket> oldest_;
  Ticket last_ = kDone;
};

}  // namespace taskrt::opencl
