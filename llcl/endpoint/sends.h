// Requests with messages: a message alone, and a message that follows a write.
//
// Threads: any.
#pragma once

#include "llcl/endpoint/params.h"
#include "llcl/endpoint/requests.h"
#include "llcl/executor/executor.h"
#include "llcl/messenger.h"

namespace llcl {

// `messenger` posts by `requests`.
[[nodiscard]] Posted TrySend(const Requests& requests, Messenger& messenger,
                             const SendParams& params);
// The payload is copied at once. Both outlive the request.
[[nodiscard]] Posted TryWriteThenSend(Requests& requests, Messenger& messenger,
                                      const WriteParams& write, const SendParams& signal);

}  // namespace llcl
