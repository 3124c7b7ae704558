#!/usr/bin/env bash
# A translated program has the results of OpenMP's words, wherever its targets run.
set -euo pipefail
source tools/expect.sh

for devices in '' sim sim:3; do
  expect 0 'right' env OMPC_DEVICES=$devices "$1"
done
exit "$failed"
