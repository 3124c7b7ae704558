#include "llcl/endpoint/endpoint_bulk.h"

namespace llcl {

void EndpointBulk::Read(const RemoteAddress& from, const LocalAddress& to, std::uint64_t bytes,
                        Completion then) {
  Command command;
  command.kind = CommandKind::kRead;
  command.bytes = bytes;
  const Posted prepared = requests_.Prepare(command, from, &to);
  if (prepared != Posted::kPosted) return then.Complete(OutcomeOf(prepared));
  requests_.PostSurely(command, then, {}, {});
}

}  // namespace llcl
