// A trace of all requests: when each is posted or refused, and when it has ended.
//
// Threads: any.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "llcl/completion.h"
#include "llcl/executor/command.h"
#include "llcl/executor/executor.h"
#include "llcl/region.h"

namespace llcl {

// A request was posted or refused, or has ended: for a trace of all requests. A value.
struct TraceEvent {
  enum class What : std::uint8_t { kPosted, kRefused, kEnded };
  What what{};
  CommandKind kind{};
  Rank peer{};
  std::uint64_t bytes = 0;
  Posted posted{};                      // of kRefused: why
  Outcome outcome{};                    // of kEnded
  std::chrono::nanoseconds duration{};  // of kEnded: since the request
};

// A resource: the program's function, if it has one, called for each event.
class Trace {
 public:
  using Function = std::function<void(const TraceEvent&)>;

  explicit Trace(Function function) : function_(std::move(function)) {}

  bool is_on() const { return static_cast<bool>(function_); }

  // Reports the request and its end; `post(then)` posts the command with that completion in the
  // place of `then`. Precondition: is_on(). Allocates memory for each request.
  template <typename Post>
  Posted AroundPost(const Command& command, Completion then, Post post) const {
    TraceEvent event = {.what = TraceEvent::What::kPosted,
                        .kind = command.kind,
                        .peer = command.peer,
                        .bytes = command.bytes};
    function_(event);
    auto traced = std::unique_ptr<Traced>(
        new Traced{function_, event, std::chrono::steady_clock::now(), then});
    event.posted = post(Completion(&Traced::OnEnd, traced.get()));
    if (event.posted == Posted::kPosted) {
      (void)traced.release();  // Its end deletes it, or has.
    } else {
      event.what = TraceEvent::What::kRefused;
      function_(event);
    }
    return event.posted;
  }

 private:
  // An operation whose end is to be reported.
  struct Traced {
    const Function& function;
    TraceEvent event;
    std::chrono::steady_clock::time_point start;
    Completion then;

    static void OnEnd(void* self, Outcome outcome) {
      const std::unique_ptr<Traced> traced(static_cast<Traced*>(self));
      traced->event.what = TraceEvent::What::kEnded;
      traced->event.outcome = outcome;
      traced->event.duration = std::chrono::steady_clock::now() - traced->start;
      traced->function(traced->event);
      traced->then.Complete(outcome);
    }
  };

  const Function function_;
};

}  // namespace llcl
