#!/usr/bin/env bash
# Ranks find each other under Slurm, a real one of the test's own: slurm_test.sh PROGRAM README LLCLRUN.
set -euo pipefail

program=$PWD/$1 readme=$PWD/$2 run=$PWD/$3
source tools/expect.sh
# shellcheck source=llcl/tests/private_slurm.sh
source llcl/tests/private_slurm.sh
private_slurm_or_skip "ranks under Slurm"

# The checks of both PMI plugins. Slurm ends a step that a rank aborts by signals, and gives the exit code of
# whoever ended first.
launches() {
  expect 0 'rank 0 of 1' "$@" -n 1 "$program" exchange
  expect 0 'rank 3 of 4' "$@" -n 4 "$program" exchange
  expect 0 'rank 1 of 2' "$@" -n 2 "$program" exchange-much
  expect some 'CANCELLED' "$@" -n 3 "$program" abort
  # A rank that is killed takes the others with it, where Slurm is asked for that.
  expect some 'Killed' "$@" -n 3 --kill-on-bad-exit=1 "$program" die
  expect 0 'rank 2 of 3' salloc -n 3 "$@" "$program" exchange
  # The program of llcl's README, by the conduit of one machine and by that of several.
  expect 0 'the sum is 1.' bash -c 'echo "the sum is $("$@" 2> /dev/null)."' sum "$@" -n 2 "$readme"
  LLCL_CONDUIT=tcp expect 0 'the sum is 1.' bash -c 'echo "the sum is $("$@" 2> /dev/null)."' sum "$@" -n 2 "$readme"
}

plugins=$(srun --mpi=list 2>&1)
for plugin in pmi2 pmix; do
  if grep -qw "$plugin" <<< "$plugins"; then
    launches srun --mpi=$plugin --nodes=1
  else
    echo "SKIPPED: ranks under srun --mpi=$plugin: this Slurm is built without it"
  fi
done

expect 0 'rank 5 of 6' srun --mpi=pmi2 --nodes=2 -n 6 "$program" exchange

# llclrun takes the nodes and the tasks of the job, and reaches them by srun.
two=(salloc --quiet --nodes=2 -n 5 "$run")
expect 0 'rank 4 of 5' "${two[@]}" "$program" exchange
said=$(timeout 60 "${two[@]}" "$program" exchange 2>&1) || failed=1
[[ $said != *'srun: error'* ]] || { echo "FAILED: srun complains of a job that went well: $said" && failed=1; }
expect 0 'rank 2 of 3' "${two[@]}" -n 3 "$program" exchange
expect 0 '2 nodes' bash -c 'echo "$("$@" 2> /dev/null | sort -u | wc -l) nodes"' count "${two[@]}" printenv SLURMD_NODENAME
expect 0 '[0] 10' bash -c 'printf 0123456789 | "$@"' input "${two[@]}" --label wc -c
expect 2 'SLURM_JOB_NODELIST: 6 ranks, but the hosts have 5 slots' "${two[@]}" -n 6 "$program" exchange
expect 7 'rank 4 ended with exit code 7' "${two[@]}" "$program" fail
expect 0 'rank 6 of 7' "${two[@]}" --host=localhost:7 "$program" exchange

# Four processes that cannot find each other are not four jobs, unless the user says that they are.
expect 3 'UNAVAILABLE: SLURM_STEP_NUM_TASKS is 4' srun --mpi=none -n 4 "$program" exchange
expect 3 'srun --mpi=pmi2' salloc -n 4 srun --mpi=none "$program" exchange
expect 1 'UNAVAILABLE: SLURM_STEP_NUM_TASKS is 2' srun --mpi=none -n 2 "$readme"
expect 0 'rank 0 of 1' env LLCL_LAUNCH=none srun --mpi=none -n 4 "$program" exchange
# A program in an allocation, but in no step of several tasks, is alone, whatever the size of the allocation.
expect 0 'rank 0 of 1' srun --mpi=none -n 1 "$program" exchange
expect 0 'rank 0 of 1' salloc -n 4 "$program" exchange
expect 0 'rank 0 of 1' salloc -n 4 srun --interactive --mpi=none -n 1 "$program" exchange

# batch TEXT LINE: a script of one line, for four tasks; a part of its output when it has ended.
batch() {
  local job state=
  job=$(sbatch --parsable -n 4 --output="$slurm/batch" --wrap="$2")
  for _ in $(seq 300); do
    state=$(scontrol show job "$job" | sed -n 's/.*JobState=\([A-Z]*\).*/\1/p')
    case "$state" in PENDING | RUNNING | COMPLETING) sleep 0.1 ;; *) break ;; esac
  done
  expect 0 "COMPLETED" echo "$state of: $2"
  expect 0 "$1" cat "$slurm/batch"
}
batch 'rank 0 of 1' "$program exchange"
batch 'rank 3 of 4' "srun --mpi=pmi2 $program exchange"

exit $failed
