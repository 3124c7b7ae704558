#!/usr/bin/env bash
# A program that has MPI and a space, with both engines.
#
# space_mpi_test.sh MPI PROGRAM EXAMPLE, without the last two where that MPI is not installed.
set -euo pipefail

mpi=$1 program=${2:-} example=${3:-}
source tools/expect.sh
# shellcheck source=tools/mpi_launcher.sh
source tools/mpi_launcher.sh
mpi_launcher_or_skip "$mpi" "$program"

engines=(segv)
if [[ $("${launcher[@]}" -n 1 "$program" world mpi-first dsm-ends-first userfaultfd 2>&1 || true) == *'no such engine'* ]]; then
  echo "SKIPPED: spaces of the engine userfaultfd beside MPI: this system lacks it."
else
  engines+=(userfaultfd)
fi
for engine in "${engines[@]}"; do
  for n in 2 3; do
    for end in dsm-ends-first mpi-ends-first; do
      all_right $n "$program" find mpi-first $end "$engine"
      # Open MPI's MPI_Finalize fails now and then where PMIx has another user (llcl/README.md).
      if [[ $mpi != openmpi || $end == dsm-ends-first ]]; then
        all_right $n "$program" find dsm-first $end "$engine"
      fi
      for how in world halves; do
        all_right $n "$program" $how mpi-first $end "$engine"
      done
    done
  done
done
expect 0 'rank 1 of 2' "${launcher[@]}" -n 2 "$example"

exit $failed
