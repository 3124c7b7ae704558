#include "llcl/tests/random_rank.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>
#include <thread>

namespace llcl {
namespace {

constexpr std::chrono::seconds kTimeout{20};

}  // namespace

RandomRank::RandomRank(const RandomProgram& program, int rank)
    : program_(program), rank_(rank), streams_(program, rank) {}

EndpointOptions RandomRank::options() {
  EndpointOptions options;
  options.executor.mode = program_.mode;
  options.executor.ring = program_.ring;
  options.executor.lanes = program_.lanes;
  options.executor.tags = program_.tags;
  options.credits = program_.credits;
  options.large_bytes = program_.large_bytes;
  options.timeout = kTimeout;
  options.handlers = {[this](Message& message) { OnRequest(message); },
                      [this](Message& message) { OnReply(message); },
                      [this](Message& message) { streams_.OnMessage(message); }};
  return options;
}

template <typename F>
void RandomRank::ForSteps(int phase, F f) const {
  for (int rank = 0; rank < program_.layout.ranks; ++rank) {
    for (int thread = 0; thread < program_.layout.threads; ++thread) {
      for (const Step& step : program_.StepsOf(phase, rank, thread)) f(rank, thread, step);
    }
  }
}

std::string RandomRank::Name(int phase, int thread, const Step& step) const {
  static constexpr const char* kKinds[] = {"read",
                                           "write",
                                           "read of rows",
                                           "write of rows",
                                           "read of a list",
                                           "write of a list",
                                           "own atomic",
                                           "atomic",
                                           "read of a word",
                                           "write of a word",
                                           "accumulate",
                                           "message",
                                           "put with atomic",
                                           "put with message",
                                           "late write",
                                           "read of what goes",
                                           "write to what goes",
                                           "free",
                                           "collective",
                                           "invalid"};
  static_assert(std::size(kKinds) == static_cast<std::size_t>(StepKind::kInvalid) + 1);
  std::string name = "seed " + std::to_string(program_.seed) + ", rank " + std::to_string(rank_) +
                     ", thread " + std::to_string(thread) + ", phase " + std::to_string(phase) +
                     ": " + kKinds[static_cast<int>(step.kind)];
  if (step.kind == StepKind::kInvalid) {
    static constexpr const char* kWhats[] = {
        "offset",    "overflow",       "owner",   "no region",  "local offset", "local region gone",
        "unaligned", "no such atomic", "handler", "too long",   "gone",         "key",
        "bytes",     "start",          "slot",    "generation", "misalignment"};
    name += std::string(" ") + kKinds[static_cast<int>(step.wrong_kind)] + ", " +
            kWhats[static_cast<int>(step.wrong)];
  }
  return name + " at " + std::to_string(step.at) + " of window " + std::to_string(step.window) +
         " of rank " + std::to_string(step.peer) + ", " + std::to_string(step.bytes) + " bytes";
}

std::string RandomRank::Where() const {
  std::string where = "rank " + std::to_string(rank_) + ": " + doing_.load() + "\n";
  for (const auto& thread : threads_) where += "  " + thread->Where() + "\n";
  return where + "  " + streams_.Where() + "\n";
}

void RandomRank::OnRequest(Message& message) {
  ASSERT_TRUE(has_windows_.load(std::memory_order_acquire));
  MessageHead head;
  ASSERT_GE(message.payload().size(), sizeof head);
  std::memcpy(&head, message.payload().data(), sizeof head);
  const std::span<const std::byte> body = message.payload().subspan(sizeof head);
  EXPECT_EQ(body.size(), head.bytes);
  for (std::size_t i = 0; i < body.size(); ++i) {
    ASSERT_EQ(body[i], ByteOf(head.value, i))
        << "seed " << program_.seed << ": a message's byte " << i;
  }
  for (std::uint32_t i = 0; i < head.put_bytes; ++i) {
    ASSERT_EQ(windows_[static_cast<std::size_t>(head.window)].local().start[head.at + i],
              ByteOf(head.value, i))
        << "seed " << program_.seed << ": what was put before a message";
  }
  {
    const std::lock_guard lock(mutex_);
    ++came_[{ToInt(message.from()), head.phase, head.thread, head.number}];
  }
  if (head.number % 2 == 0) return;
  // With the same bytes where there are many.
  const bool echoes = message.payload().size() > Messenger::kMostPayload;
  EXPECT_TRUE(
      message.Reply(HandlerId{1}, echoes ? message.payload() : std::as_bytes(std::span(&head, 1))));
}

void RandomRank::OnReply(Message& message) {
  MessageHead head;
  ASSERT_GE(message.payload().size(), sizeof head);
  std::memcpy(&head, message.payload().data(), sizeof head);
  const std::span<const std::byte> body = message.payload().subspan(sizeof head);
  const bool echoes = sizeof head + head.bytes > Messenger::kMostPayload;
  EXPECT_EQ(body.size(), echoes ? head.bytes : 0);
  for (std::size_t i = 0; i < body.size(); ++i) {
    ASSERT_EQ(body[i], ByteOf(head.value, i))
        << "seed " << program_.seed << ": a reply's byte " << i;
  }
  const std::lock_guard lock(mutex_);
  ++answered_[{ToInt(message.from()), head.phase, head.thread, head.number}];
}

void RandomRank::Run(Member& member) {
  member_ = &member;
  const std::uint64_t bytes = program_.layout.bytes();
  windows_.push_back(member.Allocate(bytes));
  const auto fd = NewSharedMemory(bytes + 4160);
  ASSERT_TRUE(fd.ok()) << fd.status();
  auto shared = member.endpoint().RegisterShared(fd->get(), 4160, bytes);
  ASSERT_TRUE(shared.ok()) << shared.status();
  windows_.push_back(*std::move(shared));
  has_windows_.store(true, std::memory_order_release);
  for (const Region& window : windows_) all_windows_.push_back(member.Exchange(window));
  streams_.Open(member);
  for (int thread = 0; thread < program_.layout.threads; ++thread) {
    threads_.push_back(std::make_unique<RandomThread>(*this, thread));
  }
  // By one thread: all teams are made of the world.
  for (const auto& thread : threads_) thread->MakeTeam();
  for (int phase = 0; phase < program_.phases; ++phase) RunPhase(phase);
  doing_ = "waiting for what is overdue";
  member.endpoint().Drain();
  while (member.endpoint().overdue() > 0) (void)member.endpoint().TryAdvance();
  member.Barrier();
  doing_ = "checking at the end";
  for (const auto& thread : threads_) thread->CheckLate();
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [sender, times] : came_) EXPECT_EQ(times, 1) << "seed " << program_.seed;
    for (const auto& [sender, times] : answered_) EXPECT_EQ(times, 1) << "seed " << program_.seed;
  }
  member.Barrier();
  if (program_.aborts) AbortInTheMiddle();
  doing_ = "ending";
  for (const auto& thread : threads_) thread->CheckEndings();
  member.Barrier();
  for (const auto& thread : threads_) thread->Close();
  doomed_.reset();
  streams_.Close();
  windows_.clear();
}

void RandomRank::RunPhase(int phase) {
  doing_ = "beginning a phase";
  ReplaceDoomed();
  initial_.clear();
  for (int window = 0; window < RandomProgram::kWindows; ++window) {
    auto& words = initial_.emplace_back();
    for (std::uint64_t i = 0; i < WindowLayout::kAtomics; ++i) words.push_back(Load(window, i * 8));
  }
  new_words_.clear();
  ForSteps(phase, [&](int, int, const Step& step) {
    if (step.kind == StepKind::kWriteWord) {
      new_words_[{step.peer, step.window, step.at / 8}].insert(step.value);
    }
  });
  for (int rank = 0; phase == 0 && rank < program_.layout.ranks; ++rank) {
    for (int window = 0; window < RandomProgram::kWindows; ++window) {
      for (std::uint64_t i = 0; i < WindowLayout::kWords; ++i)
        possible_words_[{rank, window, i}] = {0};
    }
  }
  phase_ = phase;
  member_->Barrier();
  streams_.Begin();
  doing_ = "running threads";
  std::vector<std::thread> threads;
  for (const auto& thread : threads_) threads.emplace_back([&, phase] { thread->Run(phase); });
  WatchPuts(phase);
  for (std::thread& thread : threads) thread.join();
  doing_ = "waiting for messages";
  AwaitMessages(phase);
  member_->Barrier();
  doing_ = "ending the stream";
  streams_.End();
  doing_ = "checking";
  CheckWindows(phase);
  for (const auto& thread : threads_) thread->CheckOwn();
  for (auto& [where, values] : new_words_) possible_words_[where] = values;
  member_->Barrier();
}

void RandomRank::ReplaceDoomed() {
  if (!all_doomed_.empty()) all_gone_ = all_doomed_;
  doomed_ = member_->Allocate(WindowLayout::kDoomedBytes);
  std::memset(doomed_->local().start, 0x5A, WindowLayout::kDoomedBytes);
  all_doomed_ = member_->Exchange(*doomed_);
}

std::uint64_t RandomRank::Load(int window, std::uint64_t at) const {
  auto* const word = reinterpret_cast<std::uint64_t*>(
      windows_[static_cast<std::size_t>(window)].local().start + at);
  return std::atomic_ref<std::uint64_t>(*word).load(std::memory_order_acquire);
}

// What was put is there when its signal is.
void RandomRank::WatchPuts(int phase) {
  ForSteps(phase, [&](int rank, int thread, const Step& step) {
    if (step.kind != StepKind::kPutThenAtomic || step.peer != rank_) return;
    const std::uint64_t at = program_.layout.Put(rank, thread, step.at);
    while (Load(step.window, at + WindowLayout::kPutBytes) != (step.value | 1)) {
      if (!member_->endpoint().TryAdvance()) std::this_thread::yield();
    }
    for (std::uint64_t i = 0; i < step.bytes; ++i) {
      ASSERT_EQ(windows_[step.window].local().start[at + i], ByteOf(step.value, i))
          << Name(phase, thread, step) << ": its signal is there, byte " << i << " is not";
    }
  });
}

void RandomRank::AwaitMessages(int phase) {
  std::size_t expected = 0, expected_answers = 0;
  const auto is_message = [](const Step& step) {
    return step.kind == StepKind::kSend || step.kind == StepKind::kPutThenSend;
  };
  for (int earlier = 0; earlier <= phase; ++earlier) {
    ForSteps(earlier, [&](int rank, int, const Step& step) {
      if (is_message(step) && step.peer == rank_) ++expected;
      if (is_message(step) && rank == rank_ && step.number % 2 == 1) ++expected_answers;
    });
  }
  const auto have_come = [&] {
    const std::lock_guard lock(mutex_);
    EXPECT_LE(came_.size(), expected);
    return came_.size() >= expected && answered_.size() >= expected_answers;
  };
  while (!have_come()) {
    if (!member_->endpoint().TryAdvance()) std::this_thread::yield();
  }
}

void RandomRank::CheckWindows(int phase) {
  for (int window = 0; window < RandomProgram::kWindows; ++window) {
    for (std::uint64_t i = 0; i < WindowLayout::kAtomics; ++i) CheckAtomic(phase, window, i);
    for (std::uint64_t i = 0; i < WindowLayout::kWords; ++i) CheckWord(phase, window, i);
    CheckSums(phase, window);
    EXPECT_EQ(Load(window, program_.layout.Untouched()), 0u)
        << "seed " << program_.seed << ": a request that was refused has changed memory";
  }
}

void RandomRank::CheckAtomic(int phase, int window, std::uint64_t word) {
  const AtomicWay way =
      program_.ways[static_cast<std::size_t>(phase)]
                   [static_cast<std::size_t>(window) * WindowLayout::kAtomics + word];
  const std::uint64_t first = initial_[static_cast<std::size_t>(window)][word];
  const std::uint64_t last = Load(window, word * 8);
  const auto apply = [](const Step& step, std::uint64_t before) {
    alignas(8) std::uint64_t value = before;
    Apply(step.type, step.op, &value, step.value, step.expected);
    return value;
  };
  std::uint64_t sum = first;
  std::vector<Transition> transitions;
  ForSteps(phase, [&](int rank, int thread, const Step& step) {
    if (step.kind != StepKind::kAtomic || step.peer != rank_ || step.window != window ||
        step.at != word * 8) {
      return;
    }
    if (way.adds_only) {
      sum = apply(step, sum);
    } else {
      const std::uint64_t before =
          Load(window, program_.layout.Log(rank, thread) + step.number * 8);
      transitions.push_back({before, apply(step, before)});
    }
  });
  if (way.adds_only) {
    EXPECT_EQ(last, sum) << "seed " << program_.seed << ", rank " << rank_ << ", phase " << phase
                         << ", window " << window << ", atomic " << word << ": an addition is lost";
    return;
  }
  EXPECT_TRUE(HasLegalOrder(first, last, transitions))
      << "seed " << program_.seed << ", rank " << rank_ << ", phase " << phase << ", window "
      << window << ", atomic " << word << ": no order of " << transitions.size()
      << " operations leads from " << first << " to " << last;
}

void RandomRank::CheckSums(int phase, int window) {
  constexpr std::uint64_t kWords = WindowLayout::kWordSums / 8;
  std::vector<std::uint64_t>& sums = sums_[static_cast<std::size_t>(window)];
  sums.resize(kWords + WindowLayout::kWordSums);
  ForSteps(phase, [&](int, int, const Step& step) {
    if (step.kind != StepKind::kAccumulate || step.peer != rank_ || step.window != window) return;
    const bool is_words = step.stride == 8;
    const std::uint64_t first = is_words ? step.at / 8 : kWords + step.at - WindowLayout::kWordSums;
    for (std::uint64_t i = 0; i < step.bytes / step.stride; ++i) {
      sums[first + i] +=
          is_words ? WordOf(step.value, i) : std::to_integer<std::uint64_t>(ByteOf(step.value, i));
    }
  });
  const std::uint64_t at = program_.layout.Sums();
  const std::byte* const bytes =
      windows_[static_cast<std::size_t>(window)].local().start + at + WindowLayout::kWordSums;
  for (std::uint64_t i = 0; i < sums.size(); ++i) {
    const bool is_right = i < kWords ? Load(window, at + i * 8) == sums[i]
                                     : bytes[i - kWords] == static_cast<std::byte>(sums[i]);
    ASSERT_TRUE(is_right) << "seed " << program_.seed << ", rank " << rank_ << ", phase " << phase
                          << ", window " << window << ", sum " << i
                          << ": an accumulate is lost, or was done twice";
  }
}

void RandomRank::CheckWord(int phase, int window, std::uint64_t word) {
  const std::uint64_t last = Load(window, program_.layout.Words() + word * 8);
  const std::tuple where(rank_, window, word);
  const auto written = new_words_.find(where);
  const std::set<std::uint64_t>& may_be =
      written != new_words_.end() ? written->second : possible_words_[where];
  EXPECT_TRUE(may_be.contains(last)) << "seed " << program_.seed << ", rank " << rank_ << ", phase "
                                     << phase << ", window " << window << ", word " << word;
}

void RandomRank::AbortInTheMiddle() {
  doing_ = "aborting in the middle";
  std::vector<std::thread> threads;
  for (const auto& thread : threads_) threads.emplace_back([&] { thread->PostUntilClosed(); });
  constexpr int kBefore = 100;
  while (posted_until_abort_ < kBefore) std::this_thread::yield();
  member_->endpoint().Abort();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace llcl
