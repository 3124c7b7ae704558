/* What a translated MpC program includes: MpC's names over dsm/sms.h.
 *
 * MYPID and NPROCS may be used before mpc_init, as the paper's figure 2(b) does.
 */
#ifndef DSM_MPC_MPC_H_
#define DSM_MPC_MPC_H_

#include "dsm/sms.h"

/* By the translator, in the same file. */
void mpc_allocate(void);

static inline void mpc_start_once(void) {
  static int is_started = 0;
  if (!is_started) sms_startup(0, 0);
  is_started = 1;
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
  mpc_allocate();
}
static inline void mpc_barrier(void) { sms_barrier(); }
static inline void mpc_exit(void) { sms_shutdown(); }

#endif /* DSM_MPC_MPC_H_ */
