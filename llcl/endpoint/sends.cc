#include "llcl/endpoint/sends.h"

#include "llcl/endpoint/write_then.h"

namespace llcl {

Posted TrySend(const Requests& requests, Messenger& messenger, const SendParams& params) {
  // A rank that is gone gives no credits back.
  const Posted checked = requests.CheckPeer(params.to);
  if (checked != Posted::kPosted) return checked;
  return messenger.TrySend(params.to, params.handler, params.payload, params.then);
}

Posted TryWriteThenSend(Requests& requests, Messenger& messenger, const WriteParams& write,
                        const SendParams& signal) {
  const Posted checked = requests.CheckPeer(signal.to);
  if (checked != Posted::kPosted) return checked;
  Messenger::Prepared message;
  const Posted prepared =
      messenger.TryPrepare(signal.to, signal.handler, signal.payload, signal.then, message);
  if (prepared != Posted::kPosted) return prepared;
  const Posted posted = TryWriteThen(
      requests, write,
      {.command = message.command, .then = message.then, .released = message.released});
  if (posted != Posted::kPosted) messenger.Withdraw(message);
  return posted;
}

}  // namespace llcl
