#!/usr/bin/env bash
# A translated program has the results of OpenMP's words, wherever its targets run: without OpenCL,
# where that is asked for, on the host.
set -euo pipefail
source tools/expect.sh

export POCL_CACHE_DIR=$TEST_TMPDIR OMPC_ALLOW_MISSING_DEVICES=1
# A sanitizer writes of each byte of a stack whether it is used.
export OMP_STACKSIZE=1M
for devices in '' sim sim:3 "${@:2}"; do
  expect 0 'right' env OMPC_DEVICES=$devices "$1"
done
exit "$failed"
