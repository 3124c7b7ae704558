// What several threads do together, for random programs: each of these starts its
// threads itself and ends once they have.
#include <fcntl.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "lwt/tests/run_random_program.h"

namespace lwt::random_program {
namespace {

// Waits for `channel` to be ready for `attempt` by asking again and again, for
// some time.
constexpr int kPatience = 10;

Sent SendSomehow(Random& random, Channel<int>& channel, int item) {
  if (random.OneIn(3)) {
    for (int i = 0; i < kPatience; ++i) {
      const Sent sent = channel.TrySend(item);
      if (sent != Sent::kFull) return sent;
      Yield();
    }
  }
  return channel.Send(item);
}

std::optional<int> ReceiveSomehow(Random& random, Channel<int>& channel) {
  if (random.OneIn(3)) {
    for (int i = 0; i < kPatience; ++i) {
      if (std::optional<int> item = channel.TryReceive()) return item;
      Yield();
    }
  }
  return channel.Receive();
}

void JoinAll(std::vector<Thread>& threads) {
  for (Thread& thread : threads) thread.Join();
}

}  // namespace

std::uint64_t Execution::Turns(const Op& op) {
  Mutex mutex;
  ConditionVariable changed;
  std::vector<ConditionVariable> mine(static_cast<std::size_t>(op.n));
  int turn = 0;  // under mutex
  Random random(op.seed);
  const bool by_one = random.OneIn(2);
  std::vector<Thread> threads;
  for (int i = 0; i < op.n; ++i) {
    const std::uint64_t seed = random.Next();
    threads.push_back(Spawn([&, i, seed] {
      Random own(seed);
      for (int round = 0; round < op.m; ++round) {
        std::unique_lock lock(mutex);
        ConditionVariable& awaited = by_one ? mine[static_cast<std::size_t>(i)] : changed;
        const auto is_mine = [&] { return turn % op.n == i; };
        if (own.OneIn(3)) {
          while (!awaited.WaitFor(lock, std::chrono::microseconds(own.Between(0, 50)), is_mine)) {
            Require(!is_mine(), "who has waited in vain was not to go on");
            lock.unlock();
            Compute(100);
            Yield();
            lock.lock();
          }
        } else {
          awaited.Wait(lock, is_mine);
        }
        Require(turn == round * op.n + i, "turns are taken one after the other");
        ++turn;
        if (by_one) {
          mine[static_cast<std::size_t>(turn % op.n)].NotifyOne();
        } else {
          changed.NotifyAll();
        }
      }
    }));
  }
  JoinAll(threads);
  return static_cast<std::uint64_t>(turn);
}

std::uint64_t Execution::Pipeline(const Op& op) {
  std::vector<std::unique_ptr<Channel<int>>> channels;
  for (int i = 0; i <= op.n; ++i) {
    channels.push_back(std::make_unique<Channel<int>>(static_cast<std::size_t>(op.k)));
  }
  Random random(op.seed);
  std::vector<Thread> stages;
  for (int i = 0; i < op.n; ++i) {
    const std::uint64_t seed = random.Next();
    stages.push_back(Spawn([&, i, seed] {
      Random own(seed);
      Channel<int>& from = *channels[static_cast<std::size_t>(i)];
      Channel<int>& to = *channels[static_cast<std::size_t>(i) + 1];
      while (const std::optional<int> item = ReceiveSomehow(own, from)) {
        Compute(own.Between(0, 500));
        Require(SendSomehow(own, to, *item + i + 1) == Sent::kSent, "an open channel takes items");
      }
      to.Close();
    }));
  }
  stages.push_back(Spawn([&, seed = random.Next()] {
    Random own(seed);
    for (int item = 1; item <= op.m; ++item) {
      Require(SendSomehow(own, *channels[0], item) == Sent::kSent, "an open channel takes items");
    }
    channels[0]->Close();
    Require(channels[0]->Send(0) == Sent::kClosed, "a closed channel takes none");
  }));
  std::uint64_t sum = 0;
  int before = 0;
  while (const std::optional<int> item = ReceiveSomehow(random, *channels.back())) {
    Require(*item > before, "items leave in the order in which they came");
    before = *item;
    sum += static_cast<std::uint64_t>(*item);
  }
  JoinAll(stages);
  return sum;
}

std::uint64_t Execution::Market(const Op& op) {
  constexpr int kFactor = 1000;
  Channel<int> channel(static_cast<std::size_t>(op.k));
  std::atomic<std::uint64_t> sum{0};
  Random random(op.seed);
  std::vector<Thread> senders, receivers;
  for (int i = 0; i < op.n; ++i) {
    receivers.push_back(Start(random, [&, seed = random.Next()] {
      Random own(seed);
      std::vector<int> before(static_cast<std::size_t>(op.n));
      while (const std::optional<int> item = ReceiveSomehow(own, channel)) {
        int& last = before[static_cast<std::size_t>(*item / kFactor)];
        Require(*item % kFactor > last, "a sender's items leave in the order in which they came");
        last = *item % kFactor;
        sum += static_cast<std::uint64_t>(last);
      }
    }));
    senders.push_back(Start(random, [&, i, seed = random.Next()] {
      Random own(seed);
      for (int item = 1; item <= op.m; ++item) {
        Require(SendSomehow(own, channel, i * kFactor + item) == Sent::kSent,
                "an open channel takes items");
      }
    }));
  }
  JoinAll(senders);
  channel.Close();
  JoinAll(receivers);
  return sum;
}

std::uint64_t Execution::Cells(const Op& op) {
  FullEmptyCell<int> cell;
  std::atomic<std::uint64_t> sum{0};
  Random random(op.seed);
  std::vector<Thread> threads;
  for (int i = 0; i < op.n; ++i) {
    threads.push_back(Start(random, [&, seed = random.Next()] {
      Random own(seed);
      for (int value = 1; value <= op.m; ++value) {
        int tries = own.OneIn(3) ? kPatience : 0;
        for (; tries > 0 && !cell.TryWriteWhenEmpty(int{value}); --tries) Yield();
        if (tries == 0) cell.WriteWhenEmpty(value);
      }
    }));
    threads.push_back(Start(random, [&, seed = random.Next()] {
      Random own(seed);
      for (int taken = 0; taken < op.m; ++taken) {
        std::optional<int> value;
        for (int tries = own.OneIn(3) ? kPatience : 0; tries > 0 && !value; --tries) {
          value = cell.TryReadAndEmpty();
          if (!value) Yield();
        }
        sum += static_cast<std::uint64_t>(value ? *value : cell.ReadAndEmpty());
      }
    }));
  }
  JoinAll(threads);
  Require(!cell.IsFull(), "what was written was taken");
  return sum;
}

std::uint64_t Execution::Rounds(const Op& op) {
  Barrier barrier(op.n);
  std::atomic<int> arrived{0};
  int rounds = 0;  // by the last
  Random random(op.seed);
  std::vector<Thread> threads;
  for (int i = 0; i < op.n; ++i) {
    threads.push_back(Start(random, [&, seed = random.Next()] {
      Random own(seed);
      for (int round = 1; round <= op.m; ++round) {
        Compute(own.Between(0, 1000));
        ++arrived;
        barrier.ArriveAndWait([&] {
          Require(arrived == round * op.n, "the last comes when all others are there");
          ++rounds;
        });
        Require(arrived >= round * op.n, "nobody leaves a barrier before all are there");
      }
    }));
  }
  JoinAll(threads);
  return static_cast<std::uint64_t>(rounds) * static_cast<std::uint64_t>(op.n);
}

std::uint64_t Execution::Decrements(const Op& op) {
  JoinCounter counter(op.n);
  std::atomic<int> decremented{0};
  Random random(op.seed);
  std::vector<Thread> threads;
  for (int i = 0; i < op.n; ++i) {
    threads.push_back(Start(random, [&, seed = random.Next()] {
      Random own(seed);
      for (int round = 0; round < op.m; ++round) {
        Compute(own.Between(0, 1000));
        ++decremented;
        counter.Decrement();
        if (own.OneIn(2)) Yield();
      }
    }));
  }
  std::uint64_t value = 0;
  for (int round = 1; round <= op.m; ++round) {
    counter.Wait();
    Require(decremented >= round * op.n, "a round is over once its decrements have come");
    value += static_cast<std::uint64_t>(op.n);
  }
  JoinAll(threads);
  return value;
}

std::uint64_t Execution::Outside(const Op& op) {
  Channel<int> channel(1);
  Event begin, end;
  Mutex mutex;
  ConditionVariable changed;
  int told = 0;  // under mutex
  std::thread outside([&] {
    begin.Wait();
    for (int i = 0; i < op.n; ++i) {
      const std::lock_guard lock(mutex);
      ++told;
      changed.NotifyAll();
    }
    for (int i = 0; i < op.n; ++i) {
      Require(channel.Send(i) == Sent::kSent, "an open channel takes items of OS threads");
    }
    channel.Close();
    end.Set();
  });
  begin.Set();
  {
    std::unique_lock lock(mutex);
    changed.Wait(lock, [&] { return told == op.n; });
  }
  std::uint64_t received = 0;
  while (channel.Receive()) ++received;
  end.Wait();
  outside.join();
  return received;
}

std::uint64_t Execution::Pipe(const Op& op) {
  int ends[2];
  if (pipe(ends) != 0) {
    Require(false, "the system has a pipe");
    return 0;
  }
  Thread writer = Spawn([&] {
    std::vector<std::byte> bytes(static_cast<std::size_t>(op.n), std::byte{7});
    std::span<const std::byte> left(bytes);
    while (!left.empty()) {
      const IoResult wrote = Write(ends[1], left);
      Require(wrote.error == 0, "a pipe takes bytes");
      if (wrote.error != 0) break;
      left = left.subspan(static_cast<std::size_t>(wrote.value));
    }
    close(ends[1]);
  });
  std::uint64_t read = 0;
  std::byte buffer[512];
  Random random(op.seed);
  const auto most = static_cast<std::size_t>(random.Between(1, 512));
  while (true) {
    const IoResult got = Read(ends[0], std::span(buffer).first(most));
    Require(got.error == 0, "a pipe gives bytes");
    if (got.error != 0 || got.value == 0) break;
    read += static_cast<std::uint64_t>(got.value);
  }
  writer.Join();
  close(ends[0]);
  return read;
}

}  // namespace lwt::random_program
