#!/usr/bin/env bash
# Regions that come and go leave no mapping and no descriptor behind, whoever has used them.
set -euo pipefail

run=$1 program=$2
for conduit in smp tcp; do
  timeout 100 "$run" -n 3 --conduit=$conduit "$program" || { echo "FAILED by $conduit" && exit 1; }
done
