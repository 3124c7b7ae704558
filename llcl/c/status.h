/* The results of calls and of operations. */
#ifndef LLCL_C_STATUS_H_
#define LLCL_C_STATUS_H_

#ifdef __cplusplus
extern "C" {
#endif

typedef enum llcl_status {
  LLCL_OK = 0, /* accepted, or done */
  /* Outcomes of operations; a write may or may not have taken place. */
  LLCL_PEER_DOWN = 1,    /* the other rank is lost */
  LLCL_LATE = 2,         /* the deadline came first */
  LLCL_REFUSED = 3,      /* the other rank has no such region any more */
  LLCL_ABORTED = 4,      /* the job was aborted here */
  LLCL_NO_ROOM = 5,      /* this rank has no addresses left in which to map the region */
  LLCL_LEFT = 6,         /* the other rank has left the job */
  LLCL_DISAGREEMENT = 7, /* the members of a team have begun operations that do not fit */
  /* Requests that are not accepted. */
  LLCL_FULL = 8, /* there is no room now: ask again after other work */
  LLCL_BAD_RANGE =
      9, /* addresses outside of their regions, or not aligned; sizes that do not fit */
  LLCL_TOO_LONG = 10, /* more bytes than a message has */
  LLCL_CLOSING = 11,  /* the job is being left, or was aborted */
  /* Other calls that fail. */
  LLCL_INVALID = 12,     /* an argument that no job takes */
  LLCL_NO_MEMORY = 13,   /* no memory, descriptor or thread left */
  LLCL_UNAVAILABLE = 14, /* ranks that are gone, or do not come in time */
  LLCL_FAILED = 15       /* any other failure; of a counter: some of its operations have failed */
} llcl_status;

/* As in a sentence: "bad range". "?" for a number that is none of the above. */
const char* llcl_status_name(llcl_status status);

/* Why the last call on this thread that failed has failed, as a sentence: "llcl_read: bad range";
 * an empty string before the first. LLCL_FULL leaves no sentence. Valid until the thread's next
 * call that fails. */
const char* llcl_error(void);

#ifdef __cplusplus
}
#endif

#endif /* LLCL_C_STATUS_H_ */
