// Any number of forked calls, joined together.
//
//   lwt::TaskGroup group;
//   for (Node* child : node->children) group.Run([=] { Visit(child); });
//   group.Wait();
//
// As ForkJoin (fork_join.h): each call is a record in the run queue that Wait
// runs itself unless it was taken before. A record and its function lie in one block
// of the heap; functions of up to 64 bytes use blocks that the group keeps.
//
// Threads: a group belongs to the lightweight thread that called Run first: only that
// thread calls Run and Wait; a function may use a group of its own. Errors: Wait throws
// what one of the functions threw, the first that it comes upon, after all have
// ended; Run throws std::bad_alloc and has not run the function then.
//
// Memory is bounded: where kMostUnjoined functions have not been waited for, Run waits for all of
// them first, as Wait does, and Wait throws what they threw. A function that waits for what its
// caller does after further calls of Run is run by a thread of its own (Spawn).
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "lwt/contract.h"
#include "lwt/fork_join.h"
#include "lwt/kernel/scheduler.h"

namespace lwt {

// A resource. Its destructor waits; what is thrown then is lost.
class TaskGroup {
 public:
  TaskGroup() = default;
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;
  ~TaskGroup() {
    WaitForAll();
    while (free_ != nullptr) delete std::exchange(free_, free_->next);
  }

  static constexpr int kMostUnjoined = 1 << 16;  // about 12 MB

  // `hint`: as ForkJoin's.
  template <typename F, Hint T = NoHint>
  requires std::invocable<std::decay_t<F>>
  void Run(F&& f, T hint = T()) {
    using Body = std::decay_t<F>;
    std::unique_ptr<Block> block(free_ != nullptr ? std::exchange(free_, free_->next) : new Block);
    if constexpr (kFits<Body>) {
      ::new (static_cast<void*>(block->space)) Body(std::forward<F>(f));
      block->run = [](Record& record) {
        RunBody(record, *std::launder(reinterpret_cast<Body*>(static_cast<Block&>(record).space)));
      };
      block->destroy = [](Block& done) {
        std::launder(reinterpret_cast<Body*>(done.space))->~Body();
      };
    } else {
      Body* const body = new Body(std::forward<F>(f));
      ::new (static_cast<void*>(block->space)) Body*(body);
      block->run = [](Record& record) {
        RunBody(record, **reinterpret_cast<Body**>(static_cast<Block&>(record).space));
      };
      block->destroy = [](Block& done) { delete *reinterpret_cast<Body**>(done.space); };
    }
    // Only now: a constructor may do anything, spawn and suspend too.
    Scheduler* scheduler = &Scheduler::OfThread("TaskGroup::Run");
    CheckOwner(*scheduler);
    owner_ = scheduler->current();
    if (!scheduler->ready().MakeRoom("TaskGroup::Run")) {
      block->destroy(*block);
      throw std::bad_alloc();
    }
    if (++unjoined_ > kMostUnjoined) [[unlikely]] {
      KeepError(WaitForAll());
      unjoined_ = 1;
      scheduler = &Scheduler::OfThread("TaskGroup::Run");
      if (!scheduler->ready().MakeRoom("TaskGroup::Run")) {
        block->destroy(*block);
        throw std::bad_alloc();
      }
    }
    block->SetForker(*owner_);
    block->completion.Reset();
    block->next = newest_;
    newest_ = block.release();
    const Entry entry = EntryOf(*newest_, hint);
    newest_->item = entry.item;
    scheduler->ready().queue().Push(entry);
    scheduler->ready().NotifyOfPush();
  }

  // Until all functions given to Run so far have ended.
  void Wait() {
    KeepError(WaitForAll());
    unjoined_ = 0;
    if (const std::exception_ptr error = std::exchange(error_, nullptr)) {
      std::rethrow_exception(error);
    }
  }

 private:
  struct Block : Record {
    void (*destroy)(Block&) = nullptr;
    Block* next = nullptr;
    std::uintptr_t item = 0;  // in the run queue
    alignas(16) std::byte space[64];
  };
  template <typename Body>
  static constexpr bool kFits = sizeof(Body) <= sizeof(Block::space) && alignof(Body) <= 16;

  template <typename Body>
  static void RunBody(Record& record, Body& body) {
    try {
      body();
    } catch (...) {
      record.error = std::current_exception();
    }
  }

  void CheckOwner(const Scheduler& scheduler) const {
    CheckContract(newest_ == nullptr || owner_ == scheduler.current(),
                  "a task group belongs to the thread that gave it its first function: another "
                  "thread makes its own group");
    CheckContract(!is_calling_,
                  "a function of a task group makes its own group for further functions");
  }

  void KeepError(std::exception_ptr error) {
    if (error_ == nullptr) error_ = std::move(error);
  }

  // A record that was not stolen is at the head of the run queue once all newer ones have
  // been popped.
  std::exception_ptr WaitForAll() {
    std::exception_ptr error;
    while (newest_ != nullptr) {
      Block& block = *newest_;
      Scheduler* const scheduler = &Scheduler::OfThread("TaskGroup::Wait");
      CheckOwner(*scheduler);
      if (scheduler->ready().queue().PopIf(block.item)) {
        is_calling_ = true;
        block.run(block);
        is_calling_ = false;
      } else {
        WaitFor(block);
      }
      newest_ = block.next;
      if (error == nullptr) error = block.error;
      block.error = nullptr;
      block.destroy(block);
      block.next = free_;
      free_ = &block;
    }
    return error;
  }

  Block* newest_ = nullptr;  // not waited for yet, the newest first
  Block* free_ = nullptr;
  Descriptor* owner_ = nullptr;  // the thread that made newest_
  bool is_calling_ = false;      // Wait is in one of the functions
  int unjoined_ = 0;             // at most so many records behind newest_
  std::exception_ptr error_;     // of functions that Run has waited for
};

}  // namespace lwt
