// What each thread of a random program does, and how it judges what it saw.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "llcl/strided.h"
#include "llcl/tests/random_rank.h"

namespace llcl {
namespace {

using std::chrono_literals::operator""ms;

constexpr std::uint64_t kLateBytes = 3 * 2 * 4 * WindowLayout::kSlots * 8 * 4;

// f(a value of the type).
template <typename F>
auto As(AtomicType type, F f) {
  switch (type) {
    case AtomicType::kI32:
      return f(std::int32_t());
    case AtomicType::kU32:
      return f(std::uint32_t());
    case AtomicType::kI64:
      return f(std::int64_t());
    case AtomicType::kU64:
      return f(std::uint64_t());
    case AtomicType::kFloat:
      return f(float());
    case AtomicType::kDouble:
      break;
  }
  return f(double());
}

bool IsOneRow(const Step& step) { return step.rows == 1; }

}  // namespace

RandomThread::RandomThread(RandomRank& rank, int thread)
    : rank_(rank),
      thread_(thread),
      memory_(std::max<std::size_t>(rank.program_.layout.own_bytes * 26, 64 * 1024)),
      late_memory_(kLateBytes) {
  Member& member = *rank.member_;
  local_ = member.Register(memory_);
  late_local_ = member.Register(late_memory_);
  const Region gone = member.Register(memory_);
  gone_ = gone.local();
  for (int i = 0; i < rank.program_.layout.ranks * RandomProgram::kWindows; ++i) {
    own_.emplace_back(rank.program_.layout.own_bytes);
  }
}

void RandomThread::MakeTeam() {
  Team& world = rank_.member_->endpoint().world();
  std::vector<Rank> members;
  for (int i = 0; i < world.size(); ++i) {
    const int rank = thread_ % 2 == 0 ? i : world.size() - 1 - i;
    if (thread_ != 1 || rank % 2 == world.rank() % 2) members.push_back(Rank{rank});
  }
  team_.emplace(world, members);
}

void RandomThread::Close() {
  team_.reset();
  local_.reset();
  late_local_.reset();
}

std::string RandomThread::Where() const {
  const Step* const step = now_;
  return step == nullptr ? "thread " + std::to_string(thread_) + ": between steps"
                         : rank_.Name(rank_.phase_, thread_, *step);
}

void RandomThread::Run(int phase) {
  const std::vector<Step>& steps = rank_.program_.StepsOf(phase, rank_.rank_, thread_);
  for (std::size_t begin = 0; begin < steps.size();) {
    std::size_t end = begin;
    while (!steps[end].ends_batch) ++end;
    RunBatch(phase, std::span(steps).subspan(begin, end + 1 - begin));
    begin = end + 1;
  }
}

void RandomThread::RunBatch(int phase, std::span<const Step> batch) {
  taken_ = 0;
  postings_.clear();
  writes_.clear();
  for (const Step& step : batch) Post(phase, step);
  rank_.member_->endpoint().Wait(counter_, counted_);
  for (const Posting& posting : postings_) Judge(posting);
  for (const auto& [where, writes] : writes_) OwnOf(where.first, where.second).After(writes);
  // Not before: what they do has its own memory.
  for (const Posting& posting : postings_) {
    const Step& step = *posting.step;
    if (step.kind != StepKind::kAtomic ||
        rank_.program_
            .ways[static_cast<std::size_t>(phase)]
                 [step.window * WindowLayout::kAtomics + step.at / 8]
            .adds_only) {
      continue;
    }
    std::uint64_t before = 0;
    std::memcpy(&before, posting.local.data(), step.bytes);
    Log(step, before);
  }
  now_ = nullptr;
}

void RandomThread::Log(const Step& step, std::uint64_t before) {
  const LocalAddress from = Take(8);
  std::memcpy(from.data(), &before, 8);
  Ending& ending = NewEnding();
  ending.is_accepted = true;
  rank_.member_->Post([&] {
    return rank_.member_->endpoint().TryWrite(
        {.from = from,
         .to = Window(step, rank_.program_.layout.Log(rank_.rank_, thread_) + step.number * 8),
         .bytes = 8,
         .then = ending.completion()});
  });
  rank_.member_->endpoint().Wait(counter_, ++counted_);
  EXPECT_EQ(ending.outcome.load(), Outcome::kDone) << rank_.Name(rank_.phase_, thread_, step);
}

LocalAddress RandomThread::Take(std::uint64_t bytes) {
  const std::uint64_t at = taken_;
  taken_ += (bytes + 7) / 8 * 8;
  EXPECT_LE(taken_, memory_.size());
  return {local_->local(), at};
}

Ending& RandomThread::NewEnding() {
  Ending& ending = endings_.emplace_back();
  ending.counter = &counter_;
  return ending;
}

RemoteAddress RandomThread::Window(const Step& step, std::uint64_t at) const {
  return {rank_.all_windows_[step.window][static_cast<std::size_t>(step.peer)], at};
}

PossibleBytes& RandomThread::OwnOf(int peer, int window) {
  return own_[static_cast<std::size_t>(peer * RandomProgram::kWindows + window)];
}

void RandomThread::Post(int phase, const Step& step) {
  now_ = &step;
  if (step.kind == StepKind::kFreeDoomed) {
    rank_.doomed_.reset();
    return;
  }
  Endpoint& endpoint = rank_.member_->endpoint();
  Posting posting = {.step = &step, .ending = &NewEnding()};
  const WindowLayout& layout = rank_.program_.layout;
  const Completion then = posting.ending->completion();
  std::function<Posted()> request;
  if (step.kind == StepKind::kCollective) {
    Accept(std::move(posting));
    EXPECT_EQ(PostCollective(postings_.back()), Posted::kPosted);
    return;
  }
  switch (step.kind) {
    case StepKind::kReadDoomed:
    case StepKind::kWriteDoomed: {
      posting.local = Take(step.bytes);
      const RemoteAddress there{rank_.all_doomed_[static_cast<std::size_t>(step.peer)], step.at};
      std::memset(posting.local.data(), step.kind == StepKind::kReadDoomed ? 0xEE : 0x5A,
                  step.bytes);
      request = [&endpoint, &step, posting, there, then] {
        return step.kind == StepKind::kReadDoomed
                   ? endpoint.TryRead({there, posting.local, step.bytes, then, {}, step.notify})
                   : endpoint.TryWrite({posting.local, there, step.bytes, then, {}, step.notify});
      };
      break;
    }
    case StepKind::kReadWord:
    case StepKind::kWriteWord: {
      posting.local = Take(8);
      if (step.kind == StepKind::kWriteWord) std::memcpy(posting.local.data(), &step.value, 8);
      const RemoteAddress there = Window(step, layout.Words() + step.at);
      request = [&endpoint, &step, posting, there, then] {
        return step.kind == StepKind::kReadWord
                   ? endpoint.TryRead({there, posting.local, 8, then, {}, step.notify})
                   : endpoint.TryWrite({posting.local, there, 8, then, {}, step.notify});
      };
      break;
    }
    case StepKind::kAtomic:
    case StepKind::kOwnAtomic: {
      posting.local = Take(8);
      const RemoteAddress there = Window(
          step, step.at + (step.kind == StepKind::kAtomic ? layout.Atomics()
                                                          : layout.Own(rank_.rank_, thread_)));
      request = [&endpoint, &step, posting, there] {
        return As(step.type, [&]<typename T>(T) {
          AtomicParams<T> params;
          params.target = there;
          params.op = step.op;
          params.operand = FromBits<T>(step.value);
          params.expected = FromBits<T>(step.expected);
          if (step.fetches) params.fetch_to = posting.local;
          params.then = posting.ending->completion();
          params.notify = step.notify;
          return endpoint.TryAtomic<T>(params);
        });
      };
      break;
    }
    case StepKind::kAccumulate: {
      posting.local = Take(step.bytes);
      for (std::uint64_t i = 0; i < step.bytes; ++i) {
        posting.local.data()[i] = ByteOf(step.value, i);
      }
      const RemoteAddress there = Window(step, layout.Sums() + step.at);
      request = [&endpoint, &step, posting, there, then] {
        const auto add = [&]<typename T>(T) {
          return endpoint.TryAccumulate<T>(
              {.from = {reinterpret_cast<const T*>(posting.local.data()), step.bytes / sizeof(T)},
               .to = there,
               .then = then});
        };
        return step.stride == 8 ? add(std::uint64_t()) : add(std::uint8_t());
      };
      break;
    }
    case StepKind::kSend: {
      RandomRank::MessageHead head = {.phase = phase,
                                      .thread = thread_,
                                      .number = step.number,
                                      .bytes = static_cast<std::uint32_t>(step.bytes),
                                      .value = step.value};
      std::vector<std::byte> payload(sizeof head + head.bytes);
      std::memcpy(payload.data(), &head, sizeof head);
      for (std::uint32_t i = 0; i < head.bytes; ++i)
        payload[sizeof head + i] = ByteOf(step.value, i);
      request = [&endpoint, &step, posting, payload] {
        return endpoint.TrySend({.to = Rank{step.peer},
                                 .handler = HandlerId{0},
                                 .payload = payload,
                                 .then = posting.ending->completion()});
      };
      break;
    }
    case StepKind::kLateWrite: {
      posting.local = {late_local_->local(), late_taken_};
      late_taken_ += 8;
      EXPECT_LE(late_taken_, late_memory_.size());
      const std::uint64_t value = step.value | 1;
      std::memcpy(posting.local.data(), &value, 8);
      const std::uint64_t at = layout.Late(rank_.rank_, thread_) + step.at * 8;
      for (const LateWrite& other : late_) {
        if (other.peer == step.peer && other.window == step.window && other.at == at) return;
      }
      late_.push_back({step.peer, step.window, at, value, posting.ending});
      const RemoteAddress there = Window(step, at);
      request = [&endpoint, posting, there] {
        return endpoint.TryWrite({posting.local, there, 8, posting.ending->completion(), 1ms});
      };
      break;
    }
    case StepKind::kPutThenAtomic:
    case StepKind::kPutThenSend: {
      posting.second = &NewEnding();
      posting.local = Take(step.bytes);
      request = [this, phase, &step, &posting] { return PostPut(phase, step, posting); };
      break;
    }
    case StepKind::kInvalid: {
      posting.local = Take(64);
      if (step.wrong_kind == StepKind::kPutThenAtomic) posting.second = &NewEnding();
      request = [this, &step, &posting] { return PostInvalid(step, posting); };
      break;
    }
    default: {
      posting.local = Take(IsOneRow(step) ? step.bytes : step.bytes * step.rows);
      request = [this, &step, &posting] { return PostOwn(step, posting); };
    }
  }
  Posted posted = endpoint.KeepTrying(request);
  if (posted == Posted::kDone) {
    EXPECT_EQ(step.notify, Notify::kUnlessDone) << rank_.Name(phase, thread_, step);
    // A completion that was called all the same is now seen twice.
    then.Complete(Outcome::kDone);
    posted = Posted::kPosted;
  }
  if (step.kind == StepKind::kInvalid) {
    if (posted == Posted::kPosted) {
      Accept(std::move(posting));
    } else {
      EXPECT_EQ(posted, step.wrong == Wrong::kTooLong ? Posted::kTooLong : Posted::kBadRange)
          << rank_.Name(phase, thread_, step);
    }
    return;
  }
  ASSERT_EQ(posted, Posted::kPosted) << rank_.Name(phase, thread_, step);
  Accept(std::move(posting));
}

void RandomThread::Accept(Posting posting) {
  for (Ending* const ending : {posting.ending, posting.second}) {
    if (ending == nullptr) continue;
    ending->is_accepted = true;
    ++counted_;
  }
  postings_.push_back(std::move(posting));
}

Posted RandomThread::PostOwn(const Step& step, Posting& posting) {
  Endpoint& endpoint = rank_.member_->endpoint();
  const bool writes = step.kind == StepKind::kWrite || step.kind == StepKind::kWriteStrided ||
                      step.kind == StepKind::kWriteList;
  const std::uint64_t all = step.bytes * step.rows;
  for (std::uint64_t i = 0; writes && i < all; ++i) posting.local.data()[i] = ByteOf(step.value, i);
  const RemoteAddress there =
      Window(step, rank_.program_.layout.Own(rank_.rank_, thread_) + step.at);
  Posted posted = Posted::kFull;
  const Completion then = posting.ending->completion();
  if (step.kind == StepKind::kRead) {
    posted = endpoint.TryRead({there, posting.local, step.bytes, then, {}, step.notify});
  } else if (step.kind == StepKind::kWrite) {
    posted = endpoint.TryWrite({posting.local, there, step.bytes, then, {}, step.notify});
  } else if (step.kind == StepKind::kReadList || step.kind == StepKind::kWriteList) {
    const Piece pieces[] = {{posting.local, there, step.bytes},
                            {posting.local + step.bytes, there + step.stride, step.bytes}};
    posted = writes ? TryWriteList(endpoint, pieces, then) : TryReadList(endpoint, pieces, then);
  } else {
    const StridedParams params = {.local = posting.local,
                                  .remote = there,
                                  .bytes = step.bytes,
                                  .dimensions = {{step.rows, step.bytes, step.stride}},
                                  .then = then};
    posted = writes ? TryWriteStrided(endpoint, params) : TryReadStrided(endpoint, params);
  }
  if ((posted == Posted::kPosted || posted == Posted::kDone) && writes) {
    auto& of_area = writes_[{step.peer, step.window}];
    for (std::uint64_t row = 0; row < step.rows; ++row) {
      PossibleBytes::Write write = {step.at + row * step.stride, {}};
      for (std::uint64_t i = 0; i < step.bytes; ++i) {
        write.bytes.push_back(ByteOf(step.value, row * step.bytes + i));
      }
      of_area.push_back(std::move(write));
    }
  }
  return posted;
}

Posted RandomThread::PostPut(int phase, const Step& step, Posting& posting) {
  const std::uint64_t at = rank_.program_.layout.Put(rank_.rank_, thread_, step.at);
  for (std::uint64_t i = 0; i < step.bytes; ++i) posting.local.data()[i] = ByteOf(step.value, i);
  const WriteParams write = {posting.local, Window(step, at), step.bytes,
                             posting.ending->completion()};
  Endpoint& endpoint = rank_.member_->endpoint();
  if (step.kind == StepKind::kPutThenAtomic) {
    return endpoint.TryWriteThenAtomic<std::uint64_t>(
        write, {.target = Window(step, at + WindowLayout::kPutBytes),
                .op = AtomicOp::kSwap,
                .operand = step.value | 1,
                .then = posting.second->completion()});
  }
  const RandomRank::MessageHead head = {.phase = phase,
                                        .thread = thread_,
                                        .number = step.number,
                                        .value = step.value,
                                        .window = step.window,
                                        .put_bytes = static_cast<std::uint32_t>(step.bytes),
                                        .at = at};
  return endpoint.TryWriteThenSend(write, {.to = Rank{step.peer},
                                           .handler = HandlerId{0},
                                           .payload = std::as_bytes(std::span(&head, 1)),
                                           .then = posting.second->completion()});
}

}  // namespace llcl
