/* The part of c_program.c that checks messages, and puts with signal. */
#include <stdint.h>
#include <string.h>

#include "llcl/c.h"
#include "llcl/tests/c_program.h"

/* What the handlers have got. */
static struct {
  llcl_counter questions, answers, large;
  int wrong;
} got = {LLCL_COUNTER_INIT, LLCL_COUNTER_INIT, LLCL_COUNTER_INIT, 0};

static void on_question(llcl_message* message, void* data) {
  const char* const text = llcl_payload(message);
  if (data != &got || llcl_payload_bytes(message) != 9 || memcmp(text, "question", 9) != 0) {
    got.wrong = 1;
  }
  if (llcl_reply(message, 77, NULL, 0) != LLCL_INVALID) got.wrong = 1;
  if (llcl_reply(message, 1, "answer", 7) != LLCL_OK) got.wrong = 1;
  if (llcl_reply(message, 1, "again", 6) != LLCL_REFUSED) got.wrong = 1;
  llcl_count(&got.questions.then, LLCL_OK);
}
static void on_answer(llcl_message* message, void* data) {
  (void)data;
  if (llcl_from(message) != next || strcmp(llcl_payload(message), "answer") != 0) got.wrong = 1;
  llcl_count(&got.answers.then, LLCL_OK);
}
static void on_large(llcl_message* message, void* data) {
  const unsigned char* const bytes = llcl_payload(message);
  (void)data;
  if (llcl_payload_bytes(message) != 100000 || bytes[0] != 7 || bytes[99999] != 7) got.wrong = 1;
  llcl_count(&got.large.then, LLCL_OK);
}
const llcl_handler handlers[3] = {{on_question, &got}, {on_answer, NULL}, {on_large, NULL}};

void check_messages(llcl_region* words, const llcl_remote* all) {
  static unsigned char large[100000];
  llcl_flag sent = LLCL_FLAG_INIT;
  memset(large, 7, sizeof large);
  OK(llcl_send(job, next, 0, "question", 9));
  KEEP_TRYING(llcl_try_send(job, next, 0, "question", 9, &sent.then));
  OK(llcl_wait(job, &sent));
  OK(llcl_send(job, next, 2, large, sizeof large));
  /* Puts with signal: the write is there when the message or the atomic is. */
  llcl_update signal = {
      .there = &all[next], .there_offset = 256, .type = LLCL_U64, .operand = {.u64 = 1}};
  llcl_transfer put = {
      .here = words, .here_offset = 1024, .there = &all[next], .there_offset = 1536, .bytes = 512};
  llcl_counter ends = LLCL_COUNTER_INIT;
  memset((char*)llcl_start(words) + 1024, 33, 512);
  OK(llcl_write_then_atomic(job, &put, &signal));
  put.then = signal.then = &ends.then;
  KEEP_TRYING(llcl_try_write_then_atomic(job, &put, &signal));
  KEEP_TRYING(llcl_try_write_then_send(job, &put, next, 0, "question", 9, &ends.then));
  OK(llcl_wait_for(job, &ends, 4));
  OK(llcl_wait_for(job, &got.questions, 3));
  OK(llcl_wait_for(job, &got.answers, 3));
  OK(llcl_wait_for(job, &got.large, 1));
  OK(llcl_barrier(llcl_world(job)));
  REQUIRE(((uint64_t*)llcl_start(words))[32] == 2 && ((char*)llcl_start(words))[2047] == 33);
  REQUIRE(!got.wrong);

  EXPECT(LLCL_INVALID, llcl_send(job, next, 3, "x", 1));
  EXPECT(LLCL_INVALID, llcl_send(job, next, 0, NULL, 1));
  EXPECT(LLCL_INVALID, llcl_try_send(NULL, next, 0, "x", 1, NULL));
  EXPECT(LLCL_BAD_RANGE, llcl_send(job, size, 0, "x", 1));
  EXPECT(LLCL_BAD_RANGE, llcl_try_send(job, -1, 0, "x", 1, NULL));
  EXPECT(LLCL_TOO_LONG, llcl_send(job, next, 0, large, (uint64_t)1 << 40));
  EXPECT(LLCL_INVALID, llcl_try_write_then_send(job, &put, next, 3, "x", 1, NULL));
  EXPECT(LLCL_BAD_RANGE, llcl_try_write_then_send(job, &put, size, 0, "x", 1, NULL));
  put.bytes = REGION_BYTES;
  EXPECT(LLCL_BAD_RANGE, llcl_write_then_atomic(job, &put, &signal));
  EXPECT(LLCL_INVALID, llcl_write_then_atomic(job, NULL, &signal));
  EXPECT(LLCL_INVALID, llcl_try_write_then_atomic(job, &put, NULL));
  EXPECT(LLCL_INVALID, llcl_reply(NULL, 0, NULL, 0));
  REQUIRE(llcl_from(NULL) == -1 && llcl_payload(NULL) == NULL && llcl_payload_bytes(NULL) == 0);
}
