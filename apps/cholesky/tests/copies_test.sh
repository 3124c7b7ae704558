#!/usr/bin/env bash
# Copies of 32 x 32 blocks: the paper's counts, and those beyond them.
set -euo pipefail

program=$1
source tools/expect.sh
source apps/cholesky/tests/counts.sh
bound=200

# Tables 3 and 5.
counts 5984/960/465/0/1425 --devices=sim:1 --offload=gemm
counts 5984/14880/4960/0/1425 --devices=sim:1 --no-optimize
counts 5984/1451/465/2248/4164 --devices=sim:2
counts 5984/2418/465/3372/6255 --devices=sim:4
# Beyond them.
counts 5984/528/528/0/1056 --devices=sim:1 --offload=all
counts 5984/1424/465/0/1889 --devices=sim:2 --scheduler=owner
counts 5984/1887/465/0/2352 --devices=sim:4 --scheduler=owner
counts 5984/960/465/464/1889 --devices=sim:2 --scheduler=owner --source=nearest --dry
counts 5984/960/465/927/2352 --devices=sim:4 --scheduler=owner --source=nearest --dry

# Between devices: a copy that goes by way of the host counts twice; a kernel that uses another device's memory in place
# copies nothing.
counts 5984/3699/2713/0/4164 --devices=sim:2 --d2d=staged
counts 5984/1451/465/0/4164 --devices=sim:2 --d2d=access
counts 5984/3699/2713/0/4164 --devices=sim:2 --d2d=staged --dry
counts 5984/1451/465/0/4164 --devices=sim:2 --d2d=access --dry
expect 2 'is held to a plan' "$program" --devices=sim:2 --d2d=staged --scheduler=heft --dry

# A plan before the run, to which the run is held.
expect 0 'The plan: 1451 copies to devices, 465 to the host, 2248 across; 4164 at least.' \
  "$program" --n=1024 --block=32 --devices=sim:2 --dry --plan
expect 0 'to devices             960      3.93 MB       960         3.93 MB' \
  "$program" --n=1024 --block=32 --devices=sim:1 --dry --plan
expect 0 'to devices           14880     60.95 MB     14880        60.95 MB' \
  "$program" --n=1024 --block=32 --devices=sim:1 --dry --plan --no-optimize
exit $failed
