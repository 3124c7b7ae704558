/* Teams: the ranks that take part in a collective operation together.
 *
 * Threads: a team's functions by one thread at a time; different teams at the same time.
 */
#ifndef LLCL_C_TEAM_H_
#define LLCL_C_TEAM_H_

#include <stddef.h>

#include "llcl/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct llcl_job;
typedef struct llcl_team llcl_team;

/* All ranks of the job. It goes with the job, and is not freed. NULL for NULL. */
llcl_team* llcl_world(struct llcl_job* job);
/* The team of these ranks of the job, in this order; all are members of `parent`. Each member makes
 * the team, and all make teams of the same ranks in the same order. Does not wait. Errors:
 * LLCL_INVALID for no ranks, a rank that is no member of `parent`, or a rank twice. */
llcl_status llcl_team_of(llcl_team* parent, const int* ranks, size_t count, llcl_team** team);
/* The members whose color is this rank's, by key, and then by rank in the team. All members of the
 * team call it, and wait for each other. */
llcl_status llcl_split(llcl_team* team, int color, int key, llcl_team** part);
/* The members on this rank's host. Does not wait. */
llcl_status llcl_host_team(llcl_team* team, llcl_team** part);
/* The first member of each host. All members make it. Does not wait. */
llcl_status llcl_leaders(llcl_team* team, llcl_team** part);
/* No operation of the team is in flight. Takes NULL. LLCL_INVALID for the world. */
llcl_status llcl_team_free(llcl_team* team);

/* This rank in the team, or -1 where it is no member; the number of members; a member's rank in the
 * job, or -1. */
int llcl_team_rank(const llcl_team* team);
int llcl_team_size(const llcl_team* team);
int llcl_member(const llcl_team* team, int rank);

#ifdef __cplusplus
}
#endif

#endif /* LLCL_C_TEAM_H_ */
