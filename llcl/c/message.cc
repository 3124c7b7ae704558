#include "llcl/c/message.h"

#include <cstddef>
#include <span>

#include "llcl/c/handles.h"
#include "llcl/c/results.h"
#include "llcl/endpoint/params.h"

namespace {

using llcl::c::CompletionOf;
using llcl::c::Ended;
using llcl::c::Guarded;
using llcl::c::Invalid;

// The fault of the arguments; null: none.
const char* Fault(const llcl_job* job, uint16_t handler, const void* payload, uint64_t bytes) {
  if (job == nullptr) return "job is NULL";
  if (handler >= job->handlers) return "there is no such handler";
  if (payload == nullptr && bytes != 0) return "payload is NULL";
  return nullptr;
}
std::span<const std::byte> Bytes(const void* payload, uint64_t bytes) {
  return {static_cast<const std::byte*>(payload), bytes};
}

}  // namespace

extern "C" {

llcl_status llcl_try_send(llcl_job* job, int to, uint16_t handler, const void* payload,
                          uint64_t bytes, llcl_completion* then) {
  if (const char* const fault = Fault(job, handler, payload, bytes)) {
    return Invalid(__func__, fault);
  }
  return llcl::c::Try(__func__, [&] {
    return job->endpoint().TrySend({.to = llcl::Rank{to},
                                    .handler = llcl::HandlerId{handler},
                                    .payload = Bytes(payload, bytes),
                                    .then = CompletionOf(then)});
  });
}
llcl_status llcl_send(llcl_job* job, int to, uint16_t handler, const void* payload,
                      uint64_t bytes) {
  if (const char* const fault = Fault(job, handler, payload, bytes)) {
    return Invalid(__func__, fault);
  }
  return llcl::c::Wait(__func__, *job, [&](llcl::Completion then) {
    return job->endpoint().TrySend({.to = llcl::Rank{to},
                                    .handler = llcl::HandlerId{handler},
                                    .payload = Bytes(payload, bytes),
                                    .then = then});
  });
}

int llcl_from(const llcl_message* message) {
  return message == nullptr ? -1 : ToInt(message->message.from());
}
const void* llcl_payload(const llcl_message* message) {
  return message == nullptr ? nullptr : message->message.payload().data();
}
uint64_t llcl_payload_bytes(const llcl_message* message) {
  return message == nullptr ? 0 : message->message.payload().size();
}

llcl_status llcl_reply(llcl_message* message, uint16_t handler, const void* payload,
                       uint64_t bytes) {
  if (message == nullptr) return Invalid(__func__, "message is NULL");
  if (const char* const fault = Fault(message->job, handler, payload, bytes)) {
    return Invalid(__func__, fault);
  }
  return Guarded(__func__, [&, call = __func__] {
    const bool sent = message->message.Reply(llcl::HandlerId{handler}, Bytes(payload, bytes));
    return Ended(call, sent ? LLCL_OK : LLCL_REFUSED);
  });
}

}  // extern "C"
