/* How the parts of c_program.c fail: a sentence, and exit code 3. */
#ifndef LLCL_TESTS_C_PROGRAM_H_
#define LLCL_TESTS_C_PROGRAM_H_

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llcl/c.h"

enum { MOST_RANKS = 8, REGION_BYTES = 4096 };

extern llcl_job* job;
extern int rank, size, next; /* of this process, of all, of the rank after this one */

/* The parts. `words` are of REGION_BYTES on each rank, `all` describes them. */
void check_messages(llcl_region* words, const llcl_remote* all);
void check_teams(void);
extern const llcl_handler handlers[3];

static inline void fail(int line, const char* what) {
  fprintf(stderr, "FAILED: rank %d, line %d: %s: %s\n", rank, line, what, llcl_error());
  _Exit(3);
}
/* The call has this status, and its failure a sentence that begins with its name. */
static inline void expect_at(int line, const char* call, llcl_status status, llcl_status expected) {
  const size_t name = strcspn(call, "(");
  if (status != expected) {
    fprintf(stderr, "%s, not %s\n", llcl_status_name(status), llcl_status_name(expected));
    fail(line, call);
  }
  if (expected != LLCL_OK && expected != LLCL_FULL &&
      (strncmp(llcl_error(), call, name) != 0 || llcl_error()[name] != ':')) {
    fail(line, "the sentence is of another call");
  }
}
#define EXPECT(status, call) expect_at(__LINE__, #call, call, status)
#define OK(call) EXPECT(LLCL_OK, call)
#define REQUIRE(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))

/* Asks until there is room. The sentence of LLCL_FULL is none. */
#define KEEP_TRYING(call)                                      \
  do {                                                         \
    llcl_status posted;                                        \
    while ((posted = (call)) == LLCL_FULL) llcl_progress(job); \
    expect_at(__LINE__, #call, posted, LLCL_OK);               \
  } while (0)

#endif /* LLCL_TESTS_C_PROGRAM_H_ */
