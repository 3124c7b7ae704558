/* What a translated MpC program includes: MpC's names over dsm/sms.h.
 *
 * MYPID and NPROCS may be used before mpc_init, as the paper's figure 2(b) does. All processes run
 * the same program: its files allocate their shared data in the order of linking.
 */
#ifndef DSM_MPC_MPC_H_
#define DSM_MPC_MPC_H_

#include "dsm/sms.h"

/* A translated file that has shared data. */
struct mpc_file {
  void (*allocate)(void);
  struct mpc_file* next;
};
/* One of each a program, whichever of its files include this. */
__attribute__((weak)) struct mpc_file* mpc_files = 0;
__attribute__((weak)) int mpc_is_started = 0;

/* By the translator, at a file's end. */
#define MPC_ALLOCATE_AT_START(function)                              \
  __attribute__((constructor)) static void mpc_add_this_file(void) { \
    static struct mpc_file file = {function, 0};                     \
    file.next = mpc_files;                                           \
    mpc_files = &file;                                               \
  }

static inline void mpc_start_once(void) {
  if (!mpc_is_started) sms_startup(0, 0);
  mpc_is_started = 1;
}
static inline int mpc_mypid(void) {
  mpc_start_once();
  return sms_pid;
}
static inline int mpc_nprocs(void) {
  mpc_start_once();
  return sms_nprocs;
}
#define MYPID mpc_mypid()
#define NPROCS mpc_nprocs()

static inline void mpc_init(void) {
  mpc_start_once();
  for (struct mpc_file* file = mpc_files; file != 0; file = file->next) file->allocate();
}
static inline void mpc_barrier(void) { sms_barrier(); }
static inline void mpc_exit(void) { sms_shutdown(); }

#endif /* DSM_MPC_MPC_H_ */
