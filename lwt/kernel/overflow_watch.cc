#include "lwt/kernel/overflow_watch.h"

#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "lwt/kernel/pool_shared.h"
#include "lwt/kernel/scheduler.h"

namespace lwt {
namespace {

// The handlers before ours, by signal.
struct sigaction before_segv, before_bus;

std::atomic<const Pool*> advised_pool{nullptr};
std::atomic<const char*> advice_of_pool{""};

// For a signal handler: no allocation, no lock.
class Line {
 public:
  Line& operator<<(std::string_view text) {
    const std::size_t room = sizeof text_ - length_;
    const std::size_t taken = std::min(text.size(), room);
    std::copy_n(text.data(), taken, text_ + length_);
    length_ += taken;
    return *this;
  }
  Line& operator<<(std::uint64_t number) {
    char digits[20];
    int count = 0;
    do {
      digits[count++] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number > 0);
    while (count > 0) *this << std::string_view(&digits[--count], 1);
    return *this;
  }
  void Write() const { (void)!write(STDERR_FILENO, text_, length_); }

 private:
  char text_[512];
  std::size_t length_ = 0;
};

void Chain(int signal, siginfo_t* info, void* context) {
  const struct sigaction& before = signal == SIGSEGV ? before_segv : before_bus;
  if ((before.sa_flags & SA_SIGINFO) != 0) {
    before.sa_sigaction(signal, info, context);
    return;
  }
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
    before.sa_handler(signal);
    return;
  }
  // The instruction will fault again, and end the program as it always did.
  struct sigaction standard = {};
  standard.sa_handler = SIG_DFL;
  sigaction(signal, &standard, nullptr);
}

std::uint64_t BytesOf(const Stack& stack, const StackSlabs& stacks) {
  return stack.own_bytes > 0 ? stack.usable_own_bytes() : stacks.usable_bytes();
}
std::string_view AdviceFor(const Pool& pool) {
  if (&pool == advised_pool.load()) return advice_of_pool.load();
  return "PoolOptions::stack_bytes gives more";
}

void OnFault(int signal, siginfo_t* info, void* context) {
  const Scheduler* const worker = Scheduler::Current();
  if (worker != nullptr && worker->current() != nullptr &&
      worker->shared().stacks.OverflownStack(info->si_addr) != nullptr) {
    const Descriptor& thread = *worker->current();
    Line line;
    line << "lwt: stack overflow in thread \"" << thread.shown_name() << "\" (depth "
         << static_cast<std::uint32_t>(thread.depth) << ", worker "
         << static_cast<std::uint64_t>(worker->index()) << "): more than "
         << BytesOf(*thread.stack, worker->shared().stacks) << " bytes; "
         << AdviceFor(worker->pool()) << ".\n";
    line.Write();
  }
  Chain(signal, info, context);
}

void InstallOnce() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction ours = {};
    ours.sa_sigaction = &OnFault;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    sigaction(SIGSEGV, &ours, &before_segv);
    sigaction(SIGBUS, &ours, &before_bus);
  });
}

}  // namespace

void AdviseOnOverflows(const Pool& pool, const char* advice) {
  advice_of_pool.store(advice);
  advised_pool.store(&pool);
}

OverflowWatch::OverflowWatch() {
  InstallOnce();
  // SIGSTKSZ is too small for the registers of newer processors.
  bytes_ = std::max<std::size_t>(getauxval(AT_MINSIGSTKSZ), 2048) + (64 << 10);
  void* const mapped =
      mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return;  // An overflow is then a plain fault.
  stack_ = mapped;
  stack_t ours = {};
  ours.ss_sp = stack_;
  ours.ss_size = bytes_;
  sigaltstack(&ours, &before_);
}

OverflowWatch::~OverflowWatch() {
  if (stack_ == nullptr) return;
  // A sanitizer had set its own signal stack, and will want to find it.
  sigaltstack(&before_, nullptr);
  munmap(stack_, bytes_);
}

}  // namespace lwt
