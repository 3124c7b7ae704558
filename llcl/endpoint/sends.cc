#include "llcl/endpoint/sends.h"

#include "llcl/endpoint/write_then.h"

namespace llcl {
namespace {

// A messenger that has no credits never gets any once the endpoint is aborted.
Posted WhyNot(const Requests& requests, Posted posted) {
  return posted == Posted::kFull && requests.is_aborted() ? Posted::kClosing : posted;
}

}  // namespace

Posted TrySend(const Requests& requests, Messenger& messenger, const SendParams& params) {
  // A rank that is gone gives no credits back.
  const Posted checked = requests.CheckPeer(params.to);
  if (checked != Posted::kPosted) return checked;
  const Posted posted = messenger.TrySend(params.to, params.handler, params.payload, params.then);
  return WhyNot(requests, posted);
}

Posted TryWriteThenSend(Requests& requests, Messenger& messenger, const WriteParams& write,
                        const SendParams& signal) {
  const Posted checked = requests.CheckPeer(signal.to);
  if (checked != Posted::kPosted) return checked;
  Messenger::Prepared message;
  const Posted prepared =
      messenger.TryPrepare(signal.to, signal.handler, signal.payload, signal.then, message);
  if (prepared != Posted::kPosted) return WhyNot(requests, prepared);
  const Posted posted = TryWriteThen(
      requests, write,
      {.command = message.command, .then = message.then, .released = message.released});
  if (posted != Posted::kPosted) messenger.Withdraw(message);
  return posted;
}

}  // namespace llcl
