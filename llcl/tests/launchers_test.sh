#!/usr/bin/env bash
# Ranks find each other with each launcher: MPICH's mpiexec (PMI-1), Open MPI's mpirun
# (PMIx), or the user by hand (a rendezvous by TCP).
set -euo pipefail

program=$1
[[ $program == */* ]] || program=./$program
source tools/expect.sh

# Launchers keep sockets in files, whose paths must be short.
scratch=$(mktemp -d /tmp/XXXXXX)
trap 'rm -rf "$scratch"' EXIT
export HOME=$scratch TMPDIR=$scratch

# What all launchers do. The rank that fails takes the others with it.
launches() {
  expect 0 'rank 0 of 1' "$@" -n 1 "$program" exchange
  expect 0 'rank 2 of 3' "$@" -n 3 "$program" exchange
  expect 0 'rank 1 of 2' "$@" -n 2 "$program" exchange-much
  expect some '' "$@" -n 3 "$program" fail
  expect some '' "$@" -n 3 "$program" die
  expect 9 '' "$@" -n 2 "$program" abort
}

if command -v mpiexec.hydra > /dev/null; then
  launches mpiexec.hydra -launcher fork
else
  echo "SKIPPED: there is no mpiexec.hydra; install the Debian package mpich."
fi

if command -v mpirun.openmpi > /dev/null; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  launches mpirun.openmpi --oversubscribe --mca plm isolated
else
  echo "SKIPPED: there is no mpirun.openmpi; install the Debian package openmpi-bin."
fi

# A process without a PMIx server; where PMIx is not installed, the error names that.
expect 3 'UNAVAILABLE: ' env PMIX_RANK=0 PMIX_NAMESPACE=nobody "$program" exchange

# by_hand RANK SIZE LAST_DIGIT_OF_THE_SECRET TASK
port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
by_hand() {
  env LLCL_RENDEZVOUS="127.0.0.1:$port" LLCL_SECRET="000102030405060708090a0b0c0d0e0$3" \
    LLCL_RANK="$1" LLCL_SIZE="$2" timeout 60 "$program" "$4"
}
export -f by_hand
export port program

for task in exchange exchange-much; do
  by_hand 0 3 0 $task > "$scratch/0" 2>&1 &
  by_hand 1 3 0 $task > "$scratch/1" 2>&1 &
  expect 3 'PERMISSION_DENIED' bash -c "by_hand 2 3 f $task"
  expect 0 'rank 2 of 3' bash -c "by_hand 2 3 0 $task"
  wait
  if ! grep -q 'rank 0 of 3' "$scratch/0" || ! grep -q 'rank 1 of 3' "$scratch/1" ||
    ! grep -q 'rank 0 turned away 127.0.0.1' "$scratch/0"; then
    echo "FAILED: $task by hand:" && cat "$scratch/0" "$scratch/1"
    failed=1
  fi
done
expect 0 'rank 0 of 1' bash -c 'by_hand 0 1 0 exchange'
expect 9 '' bash -c 'by_hand 0 1 0 abort'
expect 3 'LLCL_RANK and LLCL_SIZE' bash -c 'by_hand "" 1 0 exchange'
for unset in -u\ LLCL_SECRET LLCL_SECRET=; do
  # shellcheck disable=SC2086  # Two words.
  expect 3 'LLCL_SECRET is missing' env $unset LLCL_RENDEZVOUS="127.0.0.1:$port" LLCL_RANK=0 \
    LLCL_SIZE=1 "$program" exchange
done
expect 3 'there is no rank 3 of 3' bash -c 'by_hand 3 3 0 exchange'
expect 3 'the secret is not 32 hexadecimal digits' bash -c 'by_hand 0 1 "" exchange'

exit $failed
