#!/usr/bin/env bash
# Each example runs and says itself that its answer is right.
set -euo pipefail
for example in "$@"; do
  echo "== $example"
  timeout 60 "$example"
done
