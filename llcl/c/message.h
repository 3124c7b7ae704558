/* Active messages: bytes for a rank, and the handler that gets them there.
 *
 *   static void on_question(llcl_message* message, void* data) {
 *     llcl_reply(message, 1, llcl_payload(message), llcl_payload_bytes(message));
 *   }
 *   const llcl_handler handlers[] = {{on_question, NULL}, {on_answer, &answers}};
 *
 * Threads: handlers run on the progress thread or on a waiting thread, on several at once. They
 *   must not block.
 * Order: what came before the send happens before the handler. Messages have no order among
 *   themselves.
 */
#ifndef LLCL_C_MESSAGE_H_
#define LLCL_C_MESSAGE_H_

#include <stdint.h>

#include "llcl/c/completion.h"
#include "llcl/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct llcl_job;

/* Valid until its handler returns. */
typedef struct llcl_message llcl_message;

typedef struct llcl_handler {
  void (*call)(llcl_message* message, void* data);
  void* data;
} llcl_handler;

/* Sends `bytes` bytes to the handler of that number (llcl_options) of rank `to`. The payload is
 * copied before the call returns. `then`, or the form that waits, reports when the message is on
 * its way; with more than 4,088 bytes, when the receiver has it. Errors: LLCL_INVALID for a handler
 * that this rank has not; LLCL_BAD_RANGE for an unknown rank; LLCL_TOO_LONG for more bytes than
 * llcl_options' large_bytes. */
llcl_status llcl_try_send(struct llcl_job* job, int to, uint16_t handler, const void* payload,
                          uint64_t bytes, llcl_completion* then);
llcl_status llcl_send(struct llcl_job* job, int to, uint16_t handler, const void* payload,
                      uint64_t bytes);

int llcl_from(const llcl_message* message);
const void* llcl_payload(const llcl_message* message);
uint64_t llcl_payload_bytes(const llcl_message* message);

/* Answers: once at most, and not to an answer, nor with more bytes than a message has (LLCL_REFUSED
 * then). The payload is copied before the call returns. In handlers. */
llcl_status llcl_reply(llcl_message* message, uint16_t handler, const void* payload,
                       uint64_t bytes);

#ifdef __cplusplus
}
#endif

#endif /* LLCL_C_MESSAGE_H_ */
