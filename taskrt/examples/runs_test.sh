#!/usr/bin/env bash
# The paper's programs run, with right results, on devices and without.
set -euo pipefail
source tools/expect.sh

program3=$1

expect 0 '2 tasks, 1 on devices; 1 copies to devices, 1 back; 0 elements are wrong' \
  env OMPC_DEVICES=sim:2 "$program3"
expect 0 '2 tasks, 0 on devices; 0 copies to devices, 0 back; 0 elements are wrong' "$program3"
expect 2 'ompc_init: devices "gpu": "gpu" is none of host' env OMPC_DEVICES=gpu "$program3"
expect 2 'ompc_init: devices "sim:no": "no" is no count' env OMPC_DEVICES=sim:no "$program3"
exit "$failed"
