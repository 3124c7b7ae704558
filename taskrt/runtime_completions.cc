// A runtime's part of the ends of its tasks, and Completion, which calls it.
#include <memory>
#include <utility>

#include "lwt/contract.h"
#include "taskrt/completion.h"
#include "taskrt/kept.h"
#include "taskrt/order/first_error.h"
#include "taskrt/order/task_marks.h"
#include "taskrt/order/task_order.h"
#include "taskrt/run/outcomes.h"
#include "taskrt/run/task_runner.h"
#include "taskrt/runtime.h"

namespace taskrt {

absl::Status Runtime::WaitFor(const Completion& completion) {
  if (!runner_->IsInside()) return pool_.Run([&] { return WaitFor(completion); });
  Awaited awaited;
  TaskList ready;
  const absl::StatusOr<bool> is_awaited = order_->SubmitWaitFor(completion, awaited, ready);
  runner_->StartAll(ready);
  if (!is_awaited.ok()) return is_awaited.status();
  if (*is_awaited) runner_->WaitFor(awaited, "the end of a task");
  return outcomes_->Of(completion.index_);
}

bool Runtime::HasEnded(const Completion& completion) const { return order_->HasEnded(completion); }

// The request comes first: a task that sees that there is one asks whether it is its own.
void Runtime::Cancel(const Completion& completion) {
  if (order_->Cancel(completion)) error_->AddRequest();
}

absl::Status Completion::Wait() const {
  return runtime_ == nullptr ? absl::OkStatus() : runtime_->WaitFor(*this);
}

bool Completion::HasEnded() const { return runtime_ == nullptr || runtime_->HasEnded(*this); }

Completion Completion::Then(std::string name, std::function<void()> body) const {
  lwt::CheckContract(runtime_ != nullptr, "a task comes after one that was submitted");
  const auto kernel = std::make_shared<Kernel>(std::move(name));
  // Called once: what it holds is gone then.
  kernel->OnHost(
      [after = *this, held = std::make_shared<std::function<void()>>(std::move(body))](auto, auto) {
        Runtime& runtime = *after.runtime_;
        const std::function<void()> body = std::exchange(*held, nullptr);
        const absl::Status ended = runtime.outcomes_->Of(after.index_);
        if (ended.ok()) {
          body();
        } else {
          runtime.outcomes_->AddLeftOut(runtime.marks_->Running()->submit_index, ended);
        }
        return absl::OkStatus();
      });
  const Completion then = runtime_->Submit(*kernel, {}, {}, {.after = {this, 1}});
  runtime_->kept_->Keep(kernel);
  return then;
}

void Completion::Cancel() const {
  if (runtime_ != nullptr) runtime_->Cancel(*this);
}

}  // namespace taskrt
