// How a thread of a random program judges what its operations brought, and its collective
// operations.
#include <algorithm>
#include <cstring>
#include <thread>

#include "llcl/tests/random_rank.h"

namespace llcl {
namespace {

std::uint64_t After(const Step& step, std::uint64_t before) {
  alignas(8) std::uint64_t word = before;
  Apply(step.type, step.op, &word, step.value, step.expected);
  return word;
}

}  // namespace

void RandomThread::Judge(const Posting& posting) {
  const Step& step = *posting.step;
  const auto name = [&] { return rank_.Name(rank_.phase_, thread_, step); };
  const Outcome outcome = posting.ending->outcome;
  const std::byte* const got = posting.local.region.start + posting.local.offset;
  switch (step.kind) {
    case StepKind::kInvalid:
      EXPECT_EQ(outcome, Outcome::kRefused) << name();
      if (posting.second != nullptr) {
        EXPECT_EQ(posting.second->outcome, Outcome::kRefused) << name();
      }
      return;
    case StepKind::kLateWrite:
      EXPECT_TRUE(outcome == Outcome::kDone || outcome == Outcome::kLate) << name();
      return;
    case StepKind::kReadDoomed:
    case StepKind::kWriteDoomed:
      EXPECT_TRUE(outcome == Outcome::kDone || outcome == Outcome::kRefused) << name();
      if (outcome != Outcome::kDone || step.kind == StepKind::kWriteDoomed) return;
      EXPECT_TRUE(
          std::all_of(got, got + step.bytes, [](std::byte one) { return one == std::byte{0x5A}; }))
          << name() << ": it is done, but has not read what was there";
      return;
    default:
      break;
  }
  EXPECT_EQ(outcome, Outcome::kDone) << name();
  if (posting.second != nullptr) {
    EXPECT_EQ(posting.second->outcome, Outcome::kDone) << name();
  }
  if (outcome != Outcome::kDone) return;
  std::uint64_t word = 0;
  switch (step.kind) {
    case StepKind::kReadWord: {
      std::memcpy(&word, got, 8);
      const std::tuple where(step.peer, step.window, step.at / 8);
      EXPECT_TRUE(rank_.possible_words_[where].contains(word) ||
                  rank_.new_words_[where].contains(word))
          << name() << " brought " << word << ", which nobody wrote there";
      return;
    }
    case StepKind::kOwnAtomic: {
      PossibleBytes& own = OwnOf(step.peer, step.window);
      for (std::uint64_t i = 0; i < step.bytes; ++i) {
        EXPECT_TRUE(own.MayBe(step.at + i, got[i])) << name() << ": byte " << i << " before";
      }
      std::memcpy(&word, got, step.bytes);
      word = After(step, word);
      for (std::uint64_t i = 0; i < step.bytes; ++i) {
        own.Know(step.at + i, static_cast<std::byte>(word >> 8 * i));
      }
      return;
    }
    case StepKind::kRead:
    case StepKind::kReadStrided:
    case StepKind::kReadList:
      return JudgeOwn(posting);
    case StepKind::kCollective:
      EXPECT_EQ(posting.in, posting.expected) << name();
      return;
    default:
      return;
  }
}

void RandomThread::JudgeOwn(const Posting& posting) {
  const Step& step = *posting.step;
  PossibleBytes& own = OwnOf(step.peer, step.window);
  const auto found = writes_.find({step.peer, step.window});
  std::vector<PossibleBytes::Write> near;
  if (found != writes_.end()) {
    for (const PossibleBytes::Write& write : found->second) {
      if (write.at < step.at + step.rows * std::max(step.stride, step.bytes) &&
          step.at < write.at + write.bytes.size()) {
        near.push_back(write);
      }
    }
  }
  for (std::uint64_t row = 0; row < step.rows; ++row) {
    const std::byte* const bytes =
        posting.local.region.start + posting.local.offset + row * step.bytes;
    if (near.empty() && own.Are(step.at + row * step.stride, {bytes, step.bytes})) continue;
    for (std::uint64_t i = 0; i < step.bytes; ++i) {
      const std::uint64_t place = step.at + row * step.stride + i;
      const std::byte got = bytes[i];
      if (!own.MayBe(place, got, near)) {
        ADD_FAILURE() << rank_.Name(rank_.phase_, thread_, step) << ": byte " << place
                      << " of the own area is " << static_cast<int>(got)
                      << ", which no order of the writes leaves there";
        return;
      }
      if (near.empty()) own.Know(place, got);
    }
  }
}

Posted RandomThread::PostCollective(Posting& posting) {
  Team& team = *team_;
  const std::uint64_t number = collectives_++;
  std::mt19937_64 random(rank_.program_.seed * 1000 + number * 8 +
                         static_cast<std::uint64_t>(thread_));
  const std::uint64_t kind = random() % 7, draw = random() % 12,
                      words = draw == 0  ? random() % 20'000
                              : draw < 4 ? random() % 1500
                                         : random() % 20;
  const int root = static_cast<int>(random() % static_cast<std::uint64_t>(team.size()));
  const auto ranks = static_cast<std::uint64_t>(team.size());
  const auto own = static_cast<std::uint64_t>(team.rank());
  // What rank `from` of the team gives at `place` of its block for `to`.
  const auto given = [&](std::uint64_t from, std::uint64_t to, std::uint64_t place) {
    return number * 1'000'003 + from * 10'007 + to * 101 + place;
  };
  const auto bytes = [](std::vector<std::uint64_t>& of) {
    return std::as_writable_bytes(std::span(of));
  };
  const Completion then = posting.ending->completion();
  std::vector<std::uint64_t>&out = posting.out, &in = posting.in, &expected = posting.expected;
  for (std::uint64_t i = 0; i < words; ++i) out.push_back(given(own, 0, i));
  switch (kind) {
    case 0:
      return team.TryBarrier(then);
    case 1:
      for (std::uint64_t i = 0; i < words; ++i) {
        expected.push_back(given(static_cast<std::uint64_t>(root), 0, i));
      }
      in = team.rank() == root ? out : std::vector<std::uint64_t>(words);
      return team.TryBroadcast(bytes(in), root, then);
    case 2:
    case 3:
      for (std::uint64_t i = 0; i < words * ranks; ++i) {
        if (kind == 3 || team.rank() == root) expected.push_back(given(i / words, 0, i % words));
      }
      in.resize(expected.size());
      return kind == 2 ? team.TryGather(bytes(out), bytes(in), root, then)
                       : team.TryAllgather(bytes(out), bytes(in), then);
    case 4:
      out.clear();
      for (std::uint64_t i = 0; i < words * ranks; ++i) {
        out.push_back(given(own, i / words, i % words));
        expected.push_back(given(i / words, own, i % words));
      }
      in.resize(expected.size());
      return team.TryAlltoall(bytes(out), bytes(in), then);
    default: {
      const bool is_for_all = kind == 6;
      for (std::uint64_t i = 0; i < words && (is_for_all || team.rank() == root); ++i) {
        std::uint64_t sum = 0;
        for (std::uint64_t rank = 0; rank < ranks; ++rank) sum += given(rank, 0, i);
        expected.push_back(sum);
      }
      in.resize(expected.size());
      const std::span<const std::uint64_t> mine(out);
      return is_for_all ? team.TryAllreduce<std::uint64_t>(mine, in, AtomicOp::kAdd, then)
                        : team.TryReduce<std::uint64_t>(mine, in, AtomicOp::kAdd, root, then);
    }
  }
}

void RandomThread::CheckOwn() {
  const WindowLayout& layout = rank_.program_.layout;
  for (int peer = 0; peer < layout.ranks; ++peer) {
    for (int window = 0; window < RandomProgram::kWindows; ++window) {
      taken_ = 0;
      writes_.clear();
      const Step step = {.kind = StepKind::kRead,
                         .window = static_cast<std::uint8_t>(window),
                         .peer = peer,
                         .bytes = layout.own_bytes};
      const Posting posting = {.step = &step, .ending = &NewEnding(), .local = Take(step.bytes)};
      posting.ending->is_accepted = true;
      rank_.member_->Post([&] {
        return rank_.member_->endpoint().TryRead(
            {.from = Window(step, layout.Own(rank_.rank_, thread_)),
             .to = posting.local,
             .bytes = step.bytes,
             .then = posting.ending->completion()});
      });
      rank_.member_->endpoint().Wait(counter_, ++counted_);
      EXPECT_EQ(posting.ending->outcome.load(), Outcome::kDone)
          << rank_.Name(rank_.phase_, thread_, step);
      JudgeOwn(posting);
    }
  }
}

void RandomThread::CheckEndings() const {
  for (const Ending& ending : endings_) {
    ASSERT_EQ(ending.times, ending.is_accepted ? 1 : 0) << "seed " << rank_.program_.seed;
  }
}

// Nothing is overdue any more: what was late is there or never will be.
void RandomThread::CheckLate() {
  for (const LateWrite& write : late_) {
    const Step step = {
        .window = static_cast<std::uint8_t>(write.window), .peer = write.peer, .bytes = 8};
    taken_ = 0;
    const LocalAddress to = Take(8);
    Flag read;
    rank_.member_->Post([&] {
      return rank_.member_->endpoint().TryRead(
          {.from = Window(step, write.at), .to = to, .bytes = 8, .then = read.completion()});
    });
    EXPECT_EQ(rank_.member_->endpoint().Wait(read), Outcome::kDone);
    std::uint64_t found = 0;
    std::memcpy(&found, to.data(), 8);
    if (write.ending->outcome == Outcome::kDone) {
      EXPECT_EQ(found, write.value) << rank_.Name(rank_.phase_, thread_, step);
    } else {
      EXPECT_TRUE(found == write.value || found == 0) << rank_.Name(rank_.phase_, thread_, step);
    }
  }
}

// A large message that is not answered.
Posted RandomThread::SendUntilClosed(int peer, Completion then) {
  std::vector<std::byte> payload(50'000);
  RandomRank::MessageHead head;
  head.bytes = static_cast<std::uint32_t>(payload.size() - sizeof head);
  for (std::uint64_t at = 0; at < head.bytes; ++at) payload[sizeof head + at] = ByteOf(0, at);
  std::memcpy(payload.data(), &head, sizeof head);
  return rank_.member_->endpoint().TrySend(
      {.to = Rank{peer}, .handler = HandlerId{0}, .payload = payload, .then = then});
}

// While the endpoint is aborted by another thread.
void RandomThread::PostUntilClosed() {
  const WindowLayout& layout = rank_.program_.layout;
  Posted posted = Posted::kPosted;
  for (std::uint64_t i = 0; posted != Posted::kClosing; ++i) {
    const Step step = {
        .window = static_cast<std::uint8_t>(i % 2),
        .peer = static_cast<std::int32_t>(i % static_cast<std::uint64_t>(layout.ranks))};
    Ending& ending = NewEnding();
    taken_ = 0;
    if (i % 5 == 0) {
      // Once: a rank that is aborted before this one gives no credits back.
      posted = SendUntilClosed(step.peer, ending.completion());
    } else {
      const LocalAddress from = Take(8);
      posted = rank_.member_->endpoint().KeepTrying([&] {
        return rank_.member_->endpoint().TryWrite(
            {.from = from,
             .to = Window(step, layout.Own(rank_.rank_, thread_)),
             .bytes = 8,
             .then = ending.completion()});
      });
    }
    ending.is_accepted = posted == Posted::kPosted;
    counted_ += ending.is_accepted ? 1 : 0;
    ++rank_.posted_until_abort_;
    EXPECT_TRUE(ending.is_accepted || posted == Posted::kClosing || i % 5 == 0) << ToString(posted);
    std::this_thread::yield();
  }
  rank_.member_->endpoint().Wait(counter_, counted_);
}

}  // namespace llcl
