// Switching stacks, without GoogleTest or anything else, so that it runs on
// processors for which only a compiler and an emulator are here. Exits 0 if all
// holds; else names what does not.
#include "lwt/machine/context.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "lwt/machine/backtrace.h"

namespace {

int failures = 0;

#define EXPECT(condition)                                                       \
  do {                                                                          \
    if (!(condition)) {                                                         \
      std::printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                               \
    }                                                                           \
  } while (false)

constexpr std::size_t kStackBytes = 256 << 10;

struct OwnStack {
  OwnStack() : memory(static_cast<char*>(std::aligned_alloc(64, kStackBytes))) {}
  ~OwnStack() { std::free(memory); }
  void* top() const { return memory + kStackBytes; }
  bool Holds(const void* address) const {
    return address >= memory && address < memory + kStackBytes;
  }
  char* memory;
};

lwt::StackPointer main_flow, other_flow;
void* const kFirst = reinterpret_cast<void*>(11);
void* const kSecond = reinterpret_cast<void*>(22);

// Values that live in many registers of both kinds across a switch, so that one
// that is not saved shows.
struct Busy {
  std::uint64_t words[16];
  double numbers[16];
};
[[gnu::noinline]] void Fill(Busy& busy, std::uint64_t seed) {
  for (int i = 0; i < 16; ++i) {
    busy.words[i] = seed * (2 * static_cast<std::uint64_t>(i) + 3);
    busy.numbers[i] = static_cast<double>(seed) / (i + 1);
  }
}

template <typename Between>
[[gnu::noinline]] void KeepAcross(std::uint64_t seed, Between between) {
  Busy before;
  Fill(before, seed);
  std::uint64_t a = before.words[0], b = before.words[1], c = before.words[2], d = before.words[3],
                e = before.words[4], f = before.words[5], g = before.words[6], h = before.words[7];
  double p = before.numbers[0], q = before.numbers[1], r = before.numbers[2], s = before.numbers[3],
         t = before.numbers[4], u = before.numbers[5], v = before.numbers[6], w = before.numbers[7];
  between();
  Busy after;
  Fill(after, seed);
  EXPECT(a == after.words[0] && b == after.words[1] && c == after.words[2] && d == after.words[3]);
  EXPECT(e == after.words[4] && f == after.words[5] && g == after.words[6] && h == after.words[7]);
  EXPECT(p == after.numbers[0] && q == after.numbers[1] && r == after.numbers[2] &&
         s == after.numbers[3]);
  EXPECT(t == after.numbers[4] && u == after.numbers[5] && v == after.numbers[6] &&
         w == after.numbers[7]);
}

// Started by a switch; is switched to and fro.
int rounds = 0;
const OwnStack* expected_stack = nullptr;
void PingPong(void* value, void* argument) {
  EXPECT(value == kFirst);
  EXPECT(argument == kSecond);
  int local = 0;
  EXPECT(expected_stack->Holds(&local));
  EXPECT(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) % 16 == 0);
  while (true) {
    ++rounds;
    KeepAcross(77 + static_cast<std::uint64_t>(rounds), [] {
      void* const got = lwt::SwitchTo(other_flow, main_flow, reinterpret_cast<void*>(rounds));
      EXPECT(got == kFirst);
    });
  }
}

void TestSwitching() {
  OwnStack stack;
  expected_stack = &stack;
  other_flow = lwt::PrepareFlow(stack.top(), &PingPong, kSecond);
  for (int i = 1; i <= 1000; ++i) {
    KeepAcross(static_cast<std::uint64_t>(i), [i] {
      void* const got = lwt::SwitchTo(main_flow, other_flow, kFirst);
      EXPECT(got == reinterpret_cast<void*>(i));
    });
  }
  EXPECT(rounds == 1000);
}

// Called on a stack of its own; returns at once.
int calls = 0;
lwt::StackPointer* Returns(void* first, void* second) {
  EXPECT(first == kFirst);
  EXPECT(second == kSecond);
  int local = 0;
  EXPECT(expected_stack->Holds(&local));
  KeepAcross(5, [] { ++calls; });
  return &main_flow;
}

void TestCallThatReturns() {
  OwnStack stack;
  expected_stack = &stack;
  for (int i = 1; i <= 1000; ++i) {
    KeepAcross(static_cast<std::uint64_t>(i) * 31, [&] {
      void* const got = lwt::CallOnStack(main_flow, stack.top(), &Returns, kFirst, kSecond);
      EXPECT(got == nullptr);
    });
  }
  EXPECT(calls == 1000);
}

// Called on a stack of its own; its caller goes on by a switch, as if stolen.
lwt::StackPointer* Leaves(void* /*first*/, void* /*second*/) {
  lwt::SwitchTo(other_flow, main_flow, kSecond);
  return nullptr;
}

void TestCallThatIsLeft() {
  OwnStack stack;
  for (int i = 1; i <= 1000; ++i) {
    KeepAcross(static_cast<std::uint64_t>(i) * 17, [&] {
      void* const got = lwt::CallOnStack(main_flow, stack.top(), &Leaves, kFirst, kSecond);
      EXPECT(got == kSecond);
    });
  }
}

// Suspends itself in the innermost of three functions, each of which notes where it returns to.
const void* returns_to[2];
[[gnu::noinline]] int Innermost() {
  returns_to[0] = __builtin_return_address(0);
  KeepAcross(7, [] { lwt::SwitchTo(other_flow, main_flow, kSecond); });
  return failures;
}
[[gnu::noinline]] int Middle() {
  returns_to[1] = __builtin_return_address(0);
  return Innermost() + 1;
}
void Outermost(void* /*value*/, void* /*argument*/) {
  while (Middle() >= 0) continue;
}
lwt::StackPointer* OutermostOfCall(void* /*first*/, void* /*second*/) {
  return Middle() > 0 ? &main_flow : nullptr;
}

void ExpectBacktrace(const OwnStack& stack) {
  // KeepAcross may be a frame or not, and its switch as well.
  const void* frames[8];
  const std::size_t count = lwt::Backtrace(other_flow, stack.top(), frames);
  EXPECT(count >= 3 && count <= 5);
  EXPECT(count >= 3 && frames[count - 2] == returns_to[0] && frames[count - 1] == returns_to[1]);
  // No more than there is room for.
  EXPECT(lwt::Backtrace(other_flow, stack.top(), std::span(frames, 2)) == 2);
}

void TestBacktrace() {
  const OwnStack stack, of_call;
  other_flow = lwt::PrepareFlow(stack.top(), &Outermost, nullptr);
  for (int i = 0; i < 3; ++i) {
    KeepAcross(11, [] { lwt::SwitchTo(main_flow, other_flow, kFirst); });
    ExpectBacktrace(stack);
  }
  // Of a call the frames of the caller, on another stack, are not its own.
  KeepAcross(
      13, [&] { lwt::CallOnStack(main_flow, of_call.top(), &OutermostOfCall, kFirst, kSecond); });
  ExpectBacktrace(of_call);
}

}  // namespace

int main() {
  TestSwitching();
  TestCallThatReturns();
  TestCallThatIsLeft();
  TestBacktrace();
  if (failures == 0) std::printf("all holds\n");
  return failures == 0 ? 0 : 1;
}
