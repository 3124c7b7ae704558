#!/usr/bin/env bash
# llclrun starts ranks, lets them find each other, and ends them together.
set -euo pipefail

run=$1 program=$2
source tools/expect.sh
bound=30

expect 0 'rank 0 of 1' "$program" exchange
expect 0 'rank 0 of 1' "$run" -n 1 "$program" exchange
expect 0 'rank 2 of 3' "$run" -n 3 "$program" exchange
expect 0 'rank 16 of 17' "$run" -n 17 "$program" exchange
expect 0 '[1] rank 1 of 2' "$run" -n 2 --label "$program" exchange
expect 7 'rank 2 ended with exit code 7; ending the others' "$run" -n 3 "$program" fail
expect 7 'rank 2 ended with exit code 7' "$run" -n 3 "$program" stubborn
expect 137 'rank 1 was killed by signal 9' "$run" -n 2 "$program" die
# Who missed it ends first, and is not the one that is named.
expect 137 'rank 1 was killed by signal 9' "$run" -n 2 sh -c '[ "$PMI_RANK" = 0 ] && exit 3; sleep 0.01; kill -KILL $$'
expect 3 'rank 0 ended with exit code 3' "$run" -n 2 sh -c '[ "$PMI_RANK" = 0 ] && exit 3; sleep 60'
expect 9 'aborts the job: enough_is_enough' "$run" -n 2 "$program" abort
expect 1 'rank 1 has ended, and 1 others wait for it' "$run" -n 2 "$program" leave
expect 127 'cannot run /nowhere/program' "$run" -n 2 /nowhere/program
expect 2 'required' "$run" -n 2
expect 2 'not in range' "$run" -n 0 "$program"
expect 1 'aborts the job' "$run" -n 2 "$program" abort-256
expect 2 'open files, and the limit is' bash -c "ulimit -n 10; exec $run -n 8 $program exchange"
# A rank's own children neither outlive the job nor hold it up.
expect 7 '[1] rank 1 left a child' "$run" -n 2 --label "$program" parent
for _ in $(seq 100); do grep -qs '31[.]4159' /proc/[0-9]*/cmdline || break; sleep 0.05; done
! grep -qs '31[.]4159' /proc/[0-9]*/cmdline || { echo "FAILED: a rank's child outlives the job" && failed=1; }
expect 0 'rank 0 of 1' env LLCL_RENDEZVOUS=192.0.2.1:9 "$run" -n 1 "$program" exchange
# What the program is given is not taken for ours.
expect 3 "unknown task '-n'" "$run" -n 1 "$program" -n 5

# When the launcher is killed, so are the ranks.
"$run" -n 2 sleep 300 &
launcher=$!
for _ in $(seq 100); do
  ranks=$(cat "/proc/$launcher/task/$launcher/children" 2> /dev/null || true)
  [[ $(wc -w <<< "$ranks") == 2 ]] && break
  sleep 0.05
done
[[ $(wc -w <<< "$ranks") == 2 ]] || { echo "FAILED: the ranks were not started" && failed=1; }
kill -KILL "$launcher"
wait "$launcher" 2> /dev/null || true
for _ in $(seq 100); do
  left=0
  for rank in $ranks; do [[ -d /proc/$rank ]] && grep -q sleep "/proc/$rank/cmdline" 2> /dev/null && left=1; done
  ((left == 0)) && break
  sleep 0.05
done
((left == 0)) || { echo "FAILED: ranks outlive their launcher" && failed=1; }

exit $failed
