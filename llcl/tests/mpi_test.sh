#!/usr/bin/env bash
# A program that has MPI joins a job of llcl's: in both orders of their beginnings and of their ends.
#
# mpi_test.sh MPI PROGRAM EXAMPLE, without the last two where that MPI is not installed.
set -euo pipefail

mpi=$1 program=${2:-} example=${3:-}
source tools/expect.sh
# shellcheck source=tools/mpi_launcher.sh
source tools/mpi_launcher.sh
mpi_launcher_or_skip "$mpi" "$program"

for n in 2 3; do
  for end in llcl-ends-first mpi-ends-first; do
    all_right $n "$program" find mpi-first $end
  done
  all_right $n "$program" find llcl-first llcl-ends-first
  # Open MPI's MPI_Finalize fails now and then where PMIx has another user (README.md).
  if [[ $mpi != openmpi ]]; then
    all_right $n "$program" find llcl-first mpi-ends-first
    all_right $n "$program" find llcl-first llcl-ends-before-mpi-begins
  fi
  all_right $n "$program" find llcl-alone
  for how in world halves; do
    for end in llcl-ends-first mpi-ends-first; do
      all_right $n "$program" $how mpi-first $end
    done
  done
  expect 0 '' "${launcher[@]}" -n $n "$program" exchange
done
LLCL_CONDUIT=tcp all_right 2 "$program" world mpi-first llcl-ends-first
expect 0 '' "${launcher[@]}" -n 2 "$program" errors
expect 9 '' "${launcher[@]}" -n 2 "$program" abort
expect 0 'rank 1 of 2' "${launcher[@]}" -n 2 "$example"

exit $failed
