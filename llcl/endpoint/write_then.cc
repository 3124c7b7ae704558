#include "llcl/endpoint/write_then.h"

#include <memory>

namespace llcl {
namespace {

// A write and what follows it.
struct Chain {
  Requests& requests;
  SecondCommand second;
  Completion after_write;
  RemoteRegion second_region;  // as the second's request describes it

  static void OnWritten(void* self, Outcome outcome) {
    const std::unique_ptr<Chain> chain(static_cast<Chain*>(self));
    SecondCommand& second = chain->second;
    chain->after_write.Complete(outcome);
    if (outcome == Outcome::kDone) {
      if (second.command.unknown != nullptr) second.command.unknown = &chain->second_region;
      chain->requests.PostSurely(second.command, second.then, second.timeout, second.released);
    } else {
      second.then.Complete(outcome);
      second.released.Complete(outcome);
    }
  }
};

}  // namespace

Posted TryWriteThen(Requests& requests, const WriteParams& write, const SecondCommand& second) {
  Command first;
  first.kind = CommandKind::kWrite;
  first.bytes = write.bytes;
  const Posted prepared = requests.Prepare(first, write.to, &write.from);
  if (prepared != Posted::kPosted) return prepared;
  auto chain = std::unique_ptr<Chain>(new Chain{requests, second, write.then, {}});
  if (second.command.unknown != nullptr) chain->second_region = *second.command.unknown;
  const Posted posted =
      requests.Post(first, Completion(&Chain::OnWritten, chain.get()), write.timeout);
  if (posted == Posted::kPosted) (void)chain.release();  // Its completion deletes it.
  return posted;
}

Posted TryWriteThenAtomic(Requests& requests, const WriteParams& write, SecondCommand second,
                          const RemoteAddress& target) {
  const Posted prepared = requests.Prepare(second.command, target, nullptr);
  return prepared == Posted::kPosted ? TryWriteThen(requests, write, second) : prepared;
}

}  // namespace llcl
