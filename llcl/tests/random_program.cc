#include "llcl/tests/random_program.h"

#include <algorithm>
#include <set>

#if defined(__SANITIZE_THREAD__)
#define LLCL_TEST_RACES false
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LLCL_TEST_RACES false
#endif
#endif
#if !defined(LLCL_TEST_RACES)
#define LLCL_TEST_RACES true
#endif

namespace llcl {
namespace {

// Operations of a program may race for bytes, and each byte is then one of theirs. That
// ThreadSanitizer reports, as it should: under it no two touch the same bytes at the same time.
constexpr bool kRaces = LLCL_TEST_RACES;
constexpr int kDoomedWindow = RandomProgram::kWindows;  // in what a batch has touched

// The steps of one thread in one phase.
class Maker {
 public:
  Maker(const RandomProgram& program, int phase, int rank, int thread, std::mt19937_64& random)
      : program_(program), phase_(phase), rank_(rank), thread_(thread), random_(random) {}

  std::vector<Step> Make() {
    const std::uint64_t batches = 8 + Below(8);
    const std::uint64_t frees_after = Below(batches);
    for (std::uint64_t batch = 0; batch < batches; ++batch) {
      touched_.clear();
      const std::uint64_t size = 1 + Below(Below(4) == 0 ? 24 : 6);
      for (std::uint64_t i = 0; i < size; ++i) AddStep();
      if (thread_ == 0 && batch == frees_after) Add({.kind = StepKind::kFreeDoomed});
      if (Below(6) == 0) Add({.kind = StepKind::kCollective});
      if (!steps_.empty()) steps_.back().ends_batch = true;
    }
    // All threads of one number do as many together, as their teams must.
    AlignCollectives();
    return std::move(steps_);
  }

 private:
  std::uint64_t Below(std::uint64_t most) { return random_() % most; }
  void Add(const Step& step) { steps_.push_back(step); }

  void AddStep() {
    Step step;
    step.peer = static_cast<std::int32_t>(Below(static_cast<std::uint64_t>(program_.layout.ranks)));
    step.window = static_cast<std::uint8_t>(Below(RandomProgram::kWindows));
    step.value = random_();
    step.notify = step.value >> 63 == 0 ? Notify::kAlways : Notify::kUnlessDone;
    const std::uint64_t choice = Below(100);
    if (choice < 30) return AddOwn(step);
    if (choice < 36) return AddOwnAtomic(step);
    if (choice < 54) return AddAtomic(step);
    if (choice < 62) {
      step.kind = choice < 58 ? StepKind::kReadWord : StepKind::kWriteWord;
      step.at = Below(WindowLayout::kWords) * 8;
      step.bytes = 8;
      return Add(step);
    }
    if (choice < 72) {
      step.kind = StepKind::kSend;
      step.bytes = Below(6) == 0 ? Below(400'000) : Below(3) == 0 ? Below(4089) : Below(64);
      step.number = messages_++;
      return Add(step);
    }
    if (choice < 80) return AddSlot(step);
    if (choice < 86) {
      step.kind = choice < 83 ? StepKind::kReadDoomed : StepKind::kWriteDoomed;
      return AddDoomed(step);
    }
    if (choice < 90) return AddAccumulate(step);
    step.kind = StepKind::kInvalid;
    step.wrong = static_cast<Wrong>(Below(kWrongs));
    constexpr StepKind kKinds[] = {StepKind::kRead, StepKind::kWrite, StepKind::kAtomic,
                                   StepKind::kReadStrided, StepKind::kPutThenAtomic};
    step.wrong_kind = kKinds[Below(5)];
    step.bytes = 8;
    Add(step);
  }

  void AddOwn(Step step) {
    constexpr StepKind kKinds[] = {
        StepKind::kRead,        StepKind::kRead,         StepKind::kWrite,    StepKind::kWrite,
        StepKind::kReadStrided, StepKind::kWriteStrided, StepKind::kReadList, StepKind::kWriteList};
    step.kind = kKinds[Below(8)];
    const std::uint64_t all = program_.layout.own_bytes;
    if (step.kind == StepKind::kRead || step.kind == StepKind::kWrite) {
      step.bytes = Below(10) == 0 ? Below(all + 1) : Below(200);
      step.at = Below(all - step.bytes + 1);
    } else {
      step.bytes = 1 + Below(40);
      step.rows =
          step.kind == StepKind::kReadList || step.kind == StepKind::kWriteList ? 2 : 1 + Below(8);
      step.stride = step.bytes + Below(60);
      step.at = Below(all - step.rows * step.stride);
    }
    // What an atomic of this batch changes is left alone.
    for (std::uint64_t row = 0; row < step.rows; ++row) {
      const std::uint64_t begin = step.at + row * step.stride;
      if (IsTouched(step.peer, step.window, begin, step.bytes, kRaces)) return;
    }
    for (std::uint64_t row = 0; row < step.rows; ++row) {
      touched_.push_back({step.peer, step.window, step.at + row * step.stride, step.bytes, false});
    }
    Add(step);
  }

  // By an operation of this batch, or by an atomic one of it?
  bool IsTouched(int peer, int window, std::uint64_t at, std::uint64_t bytes,
                 bool by_atomic) const {
    return std::any_of(touched_.begin(), touched_.end(), [&](const Touched& one) {
      return one.peer == peer && one.window == window && at < one.at + one.bytes &&
             one.at < at + bytes && (one.is_atomic || !by_atomic);
    });
  }

  // Any thread reads and writes, always the same bytes; without races each its own part.
  void AddDoomed(Step step) {
    const std::uint64_t parts = kRaces ? 1 : program_.layout.members();
    const std::uint64_t part = WindowLayout::kDoomedBytes / parts / 8 * 8;
    const std::uint64_t first = kRaces ? 0 : program_.layout.Of(rank_, thread_) * part;
    const std::uint64_t at = Below(part / 8) * 8;
    step.at = first + at;
    step.bytes = Below(part - at) + 1;
    if (!kRaces && IsTouched(step.peer, kDoomedWindow, step.at, step.bytes, false)) return;
    touched_.push_back({step.peer, kDoomedWindow, step.at, step.bytes, false});
    Add(step);
  }

  void AddOwnAtomic(Step step) {
    step.kind = StepKind::kOwnAtomic;
    step.at = Below(program_.layout.own_bytes / 8) * 8;
    if (IsTouched(step.peer, step.window, step.at, 8, false)) return;
    DrawAtomic(step, static_cast<AtomicType>(Below(6)));
    step.fetches = true;  // What was there may be one of several values.
    touched_.push_back({step.peer, step.window, step.at, 8, true});
    Add(step);
  }

  void DrawAtomic(Step& step, AtomicType type) {
    step.type = type;
    step.bytes = BytesOf(type);
    do {
      step.op = static_cast<AtomicOp>(Below(8));
    } while (!Exists(step.type, step.op));
    step.value = SmallNumber(type, static_cast<std::int64_t>(Below(4)) - 1);
    step.expected = SmallNumber(type, static_cast<std::int64_t>(Below(4)) - 1);
    step.fetches = Below(2) == 0;
  }

  void AddAtomic(Step step) {
    step.kind = StepKind::kAtomic;
    const std::uint64_t word = Below(WindowLayout::kAtomics);
    const AtomicWay way =
        program_
            .ways[static_cast<std::size_t>(phase_)][step.window * WindowLayout::kAtomics + word];
    step.at = word * 8;
    DrawAtomic(step, way.type);
    if (way.adds_only) {
      step.op = AtomicOp::kAdd;
      step.value = SmallNumber(way.type, static_cast<std::int64_t>(Below(4)));
    } else {
      step.fetches = true;
      if (logged_ == WindowLayout::kLogged) return;
      step.number = logged_++;
    }
    Add(step);
  }

  void AddAccumulate(Step step) {
    step.kind = StepKind::kAccumulate;
    step.stride = Below(2) == 0 ? 8 : 1;
    const std::uint64_t all = WindowLayout::kWordSums / step.stride, first = Below(all);
    step.at = (step.stride == 8 ? 0 : WindowLayout::kWordSums) + first * step.stride;
    step.bytes = (1 + Below(all - first)) * step.stride;
    Add(step);
  }

  void AddSlot(Step step) {
    const std::uint64_t kind = Below(3);
    step.kind = kind == 0   ? StepKind::kPutThenAtomic
                : kind == 1 ? StepKind::kPutThenSend
                            : StepKind::kLateWrite;
    step.at = Below(WindowLayout::kSlots);
    step.bytes = kind == 2 ? 8 : 1 + Below(WindowLayout::kPutBytes);
    // A late write may come at any time: each slot is written once in the program.
    if (kind == 2 && step.at % static_cast<std::uint64_t>(program_.phases) !=
                         static_cast<std::uint64_t>(phase_)) {
      return;
    }
    const auto slot = std::tuple(kind == 2, step.peer, step.window, step.at);
    if (!slots_.insert(slot).second) return;
    if (kind == 1) step.number = messages_++;
    Add(step);
  }

  void AlignCollectives() {
    const auto is_one = [](const Step& step) { return step.kind == StepKind::kCollective; };
    constexpr std::ptrdiff_t kEach = 3;
    std::ptrdiff_t count = 0;
    for (Step& step : steps_) {
      // The further ones become empty reads.
      if (is_one(step) && ++count > kEach) step.kind = StepKind::kRead;
    }
    for (; count < kEach; ++count)
      Add({.kind = StepKind::kCollective, .ends_batch = count + 1 == kEach});
    steps_.back().ends_batch = true;
  }

  struct Touched {
    int peer = 0, window = 0;
    std::uint64_t at = 0, bytes = 0;
    bool is_atomic = false;
  };
  const RandomProgram& program_;
  const int phase_, rank_, thread_;
  std::mt19937_64& random_;
  std::vector<Step> steps_;
  std::vector<Touched> touched_;  // of the own areas and the doomed regions, in this batch
  std::set<std::tuple<bool, int, int, std::uint64_t>> slots_;
  std::uint32_t messages_ = 0, logged_ = 0;
};

// Of one program in four, some ranks have one.
std::vector<RandomStream> DrawStreams(const RandomProgram& program, std::mt19937_64& random) {
  const auto below = [&](std::uint64_t most) { return random() % most; };
  const auto ranks = static_cast<std::uint64_t>(program.layout.ranks);
  std::vector<RandomStream> streams(ranks);
  if (below(4) != 0) return streams;
  for (RandomStream& stream : streams) {
    if (below(3) == 0) continue;
    stream.kind = static_cast<StreamKind>(below(3));
    stream.peer = static_cast<std::int32_t>(below(ranks));
    // They leave tags for others.
    stream.slots = 1 + below(std::min<std::uint64_t>(16, program.tags / 2));
    // Together; a message has at most 400,000.
    std::uint64_t most = std::uint64_t{384} << 10;
    if (below(2) == 0) most = stream.kind == StreamKind::kMessages ? 4000 : most << 5;
    stream.bytes = 1 + below(most / stream.slots);
  }
  return streams;
}

}  // namespace

std::uint64_t SmallNumber(AtomicType type, std::int64_t number) {
  switch (type) {
    case AtomicType::kI32:
      return ToBits(static_cast<std::int32_t>(number));
    case AtomicType::kU32:
      return ToBits(static_cast<std::uint32_t>(number));
    case AtomicType::kI64:
      return ToBits(number);
    case AtomicType::kU64:
      return static_cast<std::uint64_t>(number);
    case AtomicType::kFloat:
      return ToBits(static_cast<float>(number));
    case AtomicType::kDouble:
      break;
  }
  return ToBits(static_cast<double>(number));
}

RandomProgram MakeRandomProgram(std::uint64_t seed, int ranks) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t most) { return random() % most; };
  RandomProgram program;
  program.seed = seed;
  // Twelve seeds that follow each other have all modes with all numbers of threads.
  program.mode = static_cast<Mode>(seed % 3);
  program.layout = {.ranks = ranks, .threads = static_cast<int>(1 + seed % 4)};
  if (below(8) == 0) program.layout.own_bytes = 80 * 1024;
  program.phases = static_cast<int>(1 + below(3));
  program.aborts = below(4) == 0;
  program.ring = std::size_t{1} << (2 + below(9));
  program.lanes = 1 + below(3);
  program.tags = static_cast<Tag>(below(2) == 0 ? 4096 : 8 + below(64));
  program.credits = static_cast<int>(1 + below(64));
  program.large_bytes = 400'064 << below(5);
  for (int phase = 0; phase < program.phases; ++phase) {
    auto& ways = program.ways.emplace_back();
    for (std::uint64_t i = 0; i < RandomProgram::kWindows * WindowLayout::kAtomics; ++i) {
      ways.push_back({static_cast<AtomicType>(i % 6), below(3) == 0});
    }
  }
  for (int phase = 0; phase < program.phases; ++phase) {
    auto& of_phase = program.steps.emplace_back();
    for (int rank = 0; rank < ranks; ++rank) {
      for (int thread = 0; thread < program.layout.threads; ++thread) {
        of_phase.push_back(Maker(program, phase, rank, thread, random).Make());
      }
    }
  }
  program.streams = DrawStreams(program, random);
  return program;
}

}  // namespace llcl
