// lwt/channel.h and cell.h under every interleaving of up to 4 preemptions (larger programs of
// fewer, down to 1).
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "lwt/cell.h"
#include "lwt/channel.h"
#include "lwt/tests/model_threads.h"

namespace lwt {
namespace {

template <template <typename> class AtomicT>
using Waiting = BasicWaiter<AtomicT, ModelThreads>;
template <template <typename> class AtomicT>
using ModelCondition = BasicConditionVariable<AtomicT, Waiting<AtomicT>>;

// In a run that has failed every step throws, and the destructor of a lock must not.
template <template <typename> class AtomicT>
struct ModelMutex : BasicMutex<AtomicT, Waiting<AtomicT>> {
  void Unlock() {
    try {
      BasicMutex<AtomicT, Waiting<AtomicT>>::Unlock();
    } catch (...) {
    }
  }
  void unlock() { Unlock(); }
};

template <typename T, template <typename> class AtomicT = model::Atomic>
using ModelChannel = BasicChannel<T, ModelMutex<AtomicT>, ModelCondition<AtomicT>>;
template <typename T, template <typename> class AtomicT = model::Atomic>
using ModelCell = BasicFullEmptyCell<T, ModelMutex<AtomicT>, ModelCondition<AtomicT>>;

// `senders` threads send `items` each, one receives all.
template <template <typename> class AtomicT>
model::Program SendAndReceive(std::size_t capacity, int senders, int items) {
  auto channel = std::make_shared<ModelChannel<int, AtomicT>>(capacity);
  model::Program program;
  program.threads.push_back([=] {
    std::vector<int> next(senders, 0);
    for (int i = 0; i < senders * items; ++i) {
      const int item = channel->Receive().value();
      model::Require(item % items == next[item / items]++, "each sender's items come in order");
    }
    model::Require(!channel->TryReceive().has_value(), "none comes twice");
  });
  for (int sender = 0; sender < senders; ++sender) {
    program.threads.push_back([=] {
      for (int i = 0; i < items; ++i) {
        model::Require(channel->Send(sender * items + i) == Sent::kSent, "it is not closed");
      }
    });
  }
  return program;
}

TEST(ChannelModel, EveryItemArrivesOnceAndInOrder) {
  ExpectHolds([] { return SendAndReceive<model::Atomic>(1, 1, 2); }, {.preemptions = 3});
  ExpectHolds([] { return SendAndReceive<model::Atomic>(2, 1, 3); }, {.preemptions = 2});
  ExpectHolds([] { return SendAndReceive<model::Atomic>(1, 2, 2); }, {.preemptions = 1});
}

TEST(ChannelModel, AChannelOverTornAtomicsIsCaught) {
  ExpectCaught([] { return SendAndReceive<TornAtomic>(1, 1, 1); }, {.preemptions = 2});
}

// Two receive; one item is sent before the channel is closed.
TEST(ChannelModel, CloseWakesAllAndLeavesWhatWasSent) {
  ExpectHolds(
      [] {
        auto channel = std::make_shared<ModelChannel<int>>(1);
        auto received = std::make_shared<int>(0);
        const auto receive = [=] { *received += channel->Receive().value_or(0); };
        return model::Program{{receive, receive,
                               [=] {
                                 model::Require(channel->Send(1) == Sent::kSent, "open");
                                 channel->Close();
                               }},
                              [=] { model::Require(*received == 1, "one of them has it"); }};
      },
      {.preemptions = 2});
}

TEST(ChannelModel, CloseWakesWhoWaitsForRoom) {
  ExpectHolds(
      [] {
        auto channel = std::make_shared<ModelChannel<int>>(1);
        model::Require(channel->TrySend(1) == Sent::kSent, "there is room for one");
        return model::Program{
            {[=] { model::Require(channel->Send(2) == Sent::kClosed, "there never was room"); },
             [=] { channel->Close(); }}};
      },
      {.preemptions = 4});
}

// Throws when it is moved out of the channel for the first time.
struct Brittle {
  explicit Brittle(std::shared_ptr<bool> given) : throws(std::move(given)) {}
  Brittle(Brittle&& other) : throws(other.throws), in_channel(true) {
    if (other.in_channel && std::exchange(*throws, false)) throw std::runtime_error("moved");
  }
  std::shared_ptr<bool> throws;
  bool in_channel = false;
};

TEST(ChannelModel, AnItemThatOneCouldNotTakeIsTakenByTheOther) {
  ExpectHolds(
      [] {
        auto channel = std::make_shared<ModelChannel<Brittle>>(1);
        auto throws = std::make_shared<bool>(true);
        auto received = std::make_shared<int>(0), thrown = std::make_shared<int>(0);
        const auto receive = [=] {
          try {
            *received += channel->Receive().has_value();
          } catch (const std::runtime_error&) {
            ++*thrown;
          }
        };
        return model::Program{
            {receive, receive, [=] { (void)channel->Send(Brittle(throws)); }},
            [=] { model::Require(*received == 1 && *thrown == 1, "each came to it once"); }};
      },
      {.preemptions = 2});
}

// `writers` write `values` each, as many take as many.
template <template <typename> class AtomicT>
model::Program WriteAndTake(int writers, int values) {
  auto cell = std::make_shared<ModelCell<int, AtomicT>>();
  auto taken = std::make_shared<std::vector<int>>(writers * values, 0);
  model::Program program;
  for (int writer = 0; writer < writers; ++writer) {
    program.threads.push_back([=] {
      for (int i = 0; i < values; ++i) cell->WriteWhenEmpty(writer * values + i);
    });
    program.threads.push_back([=] {
      for (int i = 0; i < values; ++i) ++(*taken)[cell->ReadAndEmpty()];
    });
  }
  program.check = [=] {
    for (const int times : *taken) model::Require(times == 1, "every value is taken once");
    model::Require(!cell->IsFull(), "and the cell is empty");
  };
  return program;
}

TEST(CellModel, EveryValueIsTakenOnce) {
  ExpectHolds([] { return WriteAndTake<model::Atomic>(1, 2); }, {.preemptions = 3});
  ExpectHolds([] { return WriteAndTake<model::Atomic>(2, 1); }, {.preemptions = 1});
}

TEST(CellModel, ACellOverTornAtomicsIsCaught) {
  ExpectCaught([] { return WriteAndTake<TornAtomic>(1, 1); }, {.preemptions = 2});
}

// Of two values the first is taken, perhaps before the reader comes to it.
TEST(CellModel, AReaderOfFullIsWokenWhenAnotherTakesTheValue) {
  ExpectHolds(
      [] {
        auto cell = std::make_shared<ModelCell<int>>();
        return model::Program{{[=] {
                                 const int value = cell->ReadFull();
                                 model::Require(value == 1 || value == 2, "one that was written");
                               },
                               [=] { model::Require(cell->ReadAndEmpty() == 1, "the first"); },
                               [=] {
                                 cell->WriteWhenEmpty(1);
                                 cell->WriteWhenEmpty(2);
                               }},
                              [=] { model::Require(cell->TryReadFull() == 2, "it stays"); }};
      },
      {.preemptions = 2});
}

// The cell belongs to the thread that takes from it, and goes with it.
TEST(CellModel, TheTakerOfTheValueMayDestroyTheCellWhileTheWriterReturns) {
  ExpectHolds(
      [] {
        auto cell =
            std::make_shared<std::unique_ptr<ModelCell<int>>>(std::make_unique<ModelCell<int>>());
        ModelCell<int>* const known = cell->get();
        return model::Program{{[=] {
                                 model::Require(known->ReadAndEmpty() == 1, "what was written");
                                 cell->reset();  // What touches it now AddressSanitizer sees.
                               },
                               [=] { known->WriteWhenEmpty(1); }}};
      },
      {.preemptions = 3});
}

}  // namespace
}  // namespace lwt
