#include "lwt/tests/random_program.h"

#include <algorithm>
#include <iterator>

namespace lwt::random_program {
namespace {

constexpr int kDeepest = 5;

struct Weight {
  Kind kind;
  int weight;
  const char* name;
};
constexpr Weight kWeights[] = {
    {Kind::kCompute, 6, "compute"},
    {Kind::kTouch, 2, "touch"},
    {Kind::kYield, 5, "yield"},
    {Kind::kSleep, 3, "sleep"},
    {Kind::kStack, 3, "stack"},
    {Kind::kThreads, 8, "threads"},
    {Kind::kDetached, 3, "detached"},
    {Kind::kForkJoin, 4, "fork_join"},
    {Kind::kTaskGroup, 4, "task_group"},
    {Kind::kReduce, 2, "reduce"},
    {Kind::kLocked, 8, "locked"},
    {Kind::kLockedBoth, 3, "locked_both"},
    {Kind::kTurns, 2, "turns"},
    {Kind::kPipeline, 2, "pipeline"},
    {Kind::kMarket, 2, "market"},
    {Kind::kCells, 2, "cells"},
    {Kind::kBarrier, 2, "barrier"},
    {Kind::kEvent, 3, "event"},
    {Kind::kJoinCounter, 2, "join_counter"},
    {Kind::kRethrow, 2, "rethrow"},
    {Kind::kNestedRun, 1, "nested_run"},
    {Kind::kSetPolicy, 1, "set_policy"},
    {Kind::kReport, 1, "report"},
    {Kind::kOutside, 2, "outside"},
    {Kind::kPipe, 1, "pipe"},
};
static_assert(std::size(kWeights) == kKinds);

class Generator {
 public:
  Generator(std::uint64_t seed, const Limits& limits)
      : random_(seed), limits_(limits), threads_(limits.threads) {}

  // `floor`: the least mutex that it may lock.
  Body MakeBody(int depth, int floor) {
    Body body;
    body.seed = random_.Next();
    const int ops = random_.Between(depth == 0 ? 3 : 0, depth == 0 ? 8 : 4);
    for (int i = 0; i < ops; ++i) body.ops.push_back(MakeOp(depth, floor));
    body.throws = depth > 0 && random_.OneIn(8);
    return body;
  }

 private:
  Kind Choose() {
    int all = 0;
    for (const Weight& one : kWeights) all += one.weight;
    int at = random_.Between(1, all);
    for (const Weight& one : kWeights) {
      at -= one.weight;
      if (at <= 0) return one.kind;
    }
    return Kind::kCompute;
  }

  void Add(Op& op, int bodies, int depth, int floor) {
    for (int i = 0; i < bodies; ++i) op.bodies.push_back(MakeBody(depth + 1, floor));
  }

  Op MakeOp(int depth, int floor) {
    Op op;
    op.kind = Choose();
    const bool is_foreign = op.kind == Kind::kOutside || op.kind == Kind::kPipe;
    const bool is_simple = op.kind <= Kind::kStack || op.kind == Kind::kReduce ||
                           op.kind == Kind::kSetPolicy || op.kind == Kind::kReport;
    if (is_foreign && !limits_.outside) op.kind = Kind::kYield;
    if (!is_simple && (depth >= kDeepest || threads_ <= 0)) op.kind = Kind::kYield;
    op.seed = random_.Next();
    switch (op.kind) {
      case Kind::kCompute:
        op.n = random_.Between(0, 20'000);
        break;
      case Kind::kTouch:
      case Kind::kYield:
        op.n = random_.Between(1, 5);
        break;
      case Kind::kSleep:
        op.n = random_.OneIn(3) ? 0 : random_.Between(1, 150);
        break;
      case Kind::kStack:
        op.n = random_.Between(1, 4000);
        break;
      case Kind::kThreads:
      case Kind::kDetached:
      case Kind::kTaskGroup:
        op.n = random_.Between(0, 3);
        threads_ -= AddSome(op, depth, floor);
        break;
      case Kind::kForkJoin:
        threads_ -= 1;
        Add(op, 2, depth, floor);
        break;
      case Kind::kReduce:
        op.n = random_.Between(0, 200);
        op.m = random_.Between(1, 50);
        break;
      case Kind::kLocked:
      case Kind::kLockedBoth: {
        const int least = op.kind == Kind::kLocked ? 1 : 2;
        if (kMutexes - floor < least) {
          op.kind = Kind::kYield;
          op.n = 1;
          break;
        }
        op.n = random_.Between(floor, kMutexes - least);
        op.m = op.kind == Kind::kLocked ? op.n : random_.Between(op.n + 1, kMutexes - 1);
        Add(op, 1, depth, op.m + 1);
        break;
      }
      case Kind::kTurns:
      case Kind::kBarrier:
      case Kind::kJoinCounter:
      case Kind::kCells:
        op.n = random_.Between(1, 4);
        op.m = random_.Between(1, 5);
        threads_ -= op.n;
        break;
      case Kind::kPipeline:
      case Kind::kMarket:
        op.n = random_.Between(1, 4);
        op.m = random_.Between(0, 12);
        op.k = random_.Between(1, 4);
        threads_ -= 2 * op.n;
        break;
      case Kind::kEvent:
        op.n = random_.Between(1, 4);
        threads_ -= op.n;
        Add(op, 1, depth, floor);
        break;
      case Kind::kRethrow:
      case Kind::kNestedRun:
        Add(op, 1, depth, floor);
        break;
      case Kind::kOutside:
        op.n = random_.Between(0, 3);
        threads_ -= 1;
        break;
      case Kind::kPipe:
        op.n = random_.Between(0, 100'000);
        threads_ -= 1;
        break;
      case Kind::kSetPolicy:
      case Kind::kReport:
        break;
    }
    return op;
  }

  int AddSome(Op& op, int depth, int floor) {
    const int bodies = random_.Between(1, depth == 0 ? 8 : 4);
    Add(op, bodies, depth, floor);
    return bodies;
  }

  Random random_;
  const Limits limits_;
  int threads_;  // that may yet be started
};

std::uint64_t ValueOf(const Body& body, Result& result);

std::uint64_t ValueOf(const Op& op, Result& result) {
  std::uint64_t value = static_cast<std::uint64_t>(op.kind);
  for (const Body& body : op.bodies) value = Mix(value, ValueOf(body, result));
  const auto n = static_cast<std::uint64_t>(op.n), m = static_cast<std::uint64_t>(op.m);
  switch (op.kind) {
    case Kind::kLockedBoth:
      result.counters[static_cast<std::size_t>(op.m)] += 1;
      [[fallthrough]];
    case Kind::kLocked:
      result.counters[static_cast<std::size_t>(op.n)] += 1;
      return value;
    case Kind::kReduce:
      return Mix(value, n * (n + 1) / 2);
    case Kind::kTurns:
    case Kind::kBarrier:
    case Kind::kJoinCounter:
      return Mix(value, n * m);
    case Kind::kPipeline:  // each stage adds its number
      return Mix(value, m * (m + 1) / 2 + m * (n * (n + 1) / 2));
    case Kind::kMarket:
    case Kind::kCells:
      return Mix(value, n * (m * (m + 1) / 2));
    case Kind::kOutside:
    case Kind::kPipe:
      return Mix(value, n);
    default:
      return value;
  }
}

std::uint64_t ValueOf(const Body& body, Result& result) {
  std::uint64_t value = body.seed;
  for (const Op& op : body.ops) value = Mix(value, ValueOf(op, result));
  return body.throws ? ~value : value;
}

void AppendText(const Body& body, int depth, std::string& text) {
  for (const Op& op : body.ops) {
    text.append(static_cast<std::size_t>(2 * depth), ' ');
    text += kWeights[static_cast<std::size_t>(op.kind)].name;
    for (const int number : {op.n, op.m, op.k}) text += " " + std::to_string(number);
    text += " flavor " + std::to_string(op.seed % 64) + "\n";
    for (const Body& below : op.bodies) AppendText(below, depth + 1, text);
  }
  text.append(static_cast<std::size_t>(2 * depth), ' ');
  text += body.throws ? "throw\n" : "end\n";
}

}  // namespace

std::uint64_t Random::Next() {
  std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

int Random::Between(int least, int most) {
  return least + static_cast<int>(Next() % static_cast<std::uint64_t>(most - least + 1));
}

std::uint64_t Mix(std::uint64_t value, std::uint64_t next) {
  return Random(value * 31 + next).Next();
}

Body Generate(std::uint64_t seed, const Limits& limits) {
  return Generator(seed, limits).MakeBody(0, 0);
}

Result Expect(const Body& program) {
  Result result;
  result.value = ValueOf(program, result);
  return result;
}

std::string ToText(const Body& program) {
  std::string text;
  AppendText(program, 0, text);
  return text;
}

}  // namespace lwt::random_program
