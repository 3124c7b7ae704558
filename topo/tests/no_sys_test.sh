#!/usr/bin/env bash
# A system without /sys, as some sandboxes and roots are: the machine is described all the same, and hwloc says nothing.
set -euo pipefail

topo=$1
in_a_root_without_sys() { timeout 30 unshare --user --map-root-user --mount sh -c 'mount -t tmpfs none /sys && exec "$@"' sh "$@"; }

if ! in_a_root_without_sys true 2> /dev/null; then
  echo "SKIPPED: this system allows no namespace of mounts"
  exit 0
fi
in_a_root_without_sys "$topo" show > "$TEST_TMPDIR/out" 2> "$TEST_TMPDIR/err"
grep -E '^this machine: [0-9]+ package' "$TEST_TMPDIR/out" > /dev/null || { cat "$TEST_TMPDIR/out" && exit 1; }
[[ ! -s $TEST_TMPDIR/err ]] || { cat "$TEST_TMPDIR/err" && exit 1; }
