#!/usr/bin/env bash
# llclrun starts ranks, lets them find each other, and ends them together.
set -euo pipefail

run=$1 program=$2
source tools/expect.sh
# shellcheck source=llcl/tests/sleepers.sh
source llcl/tests/sleepers.sh
bound=30

expect 0 'rank 0 of 1' "$program" exchange
expect 0 'rank 0 of 1' "$run" -n 1 "$program" exchange
expect 0 'rank 2 of 3' "$run" -n 3 "$program" exchange
expect 0 'rank 16 of 17' "$run" -n 17 "$program" exchange
expect 0 '[1] rank 1 of 2' "$run" -n 2 --label "$program" exchange
expect 7 'rank 2 ended with exit code 7; ending the others' "$run" -n 3 "$program" fail
expect 7 'rank 2 ended with exit code 7' "$run" -n 3 "$program" stubborn
expect 137 'rank 1 was killed by signal 9' "$run" -n 2 "$program" die
# The rank that missed the killed one ends first, and is not the one that is named.
missed=$(mktemp)
expect 137 'rank 1 was killed by signal 9' "$run" -n 2 sh -c '
  [ "$PMI_RANK" = 0 ] && echo $$ > "$0" && exit 3
  while [ ! -s "$0" ] || grep -qs "^State:.[RSD]" "/proc/$(cat "$0")/status"; do :; done
  kill -KILL $$' "$missed"
rm "$missed"
expect 3 'rank 0 ended with exit code 3' "$run" -n 2 sh -c '[ "$PMI_RANK" = 0 ] && exit 3; sleep 60'
expect 9 'aborts the job: enough_is_enough' "$run" -n 2 "$program" abort
expect 1 'rank 1 has ended, and 1 rank waits for it' "$run" -n 2 "$program" leave
# Once, not by each rank.
expect 127 'cannot run /nowhere/program: there is no such file' "$run" -n 4 /nowhere/program
lines=$("$run" -n 4 /nowhere/program 2>&1 | wc -l) || true
[[ $lines == 1 ]] || { echo "FAILED: $lines lines for a program that is not there" && failed=1; }
expect 127 'cannot run no-such-program: it is in no folder of PATH' "$run" -n 2 no-such-program
expect 127 'cannot run /tmp: it is a folder' "$run" -n 2 /tmp
# Rank 0 reads what the launcher is given, and the others read nothing.
counted=$(printf '0123456789' | timeout "$bound" "$run" -n 3 --label sh -c 'wc -c' | sort | tr '\n' ' ')
[[ $counted == '[0] 10 [1] 0 [2] 0 ' ]] || { echo "FAILED: ranks have read $counted" && failed=1; }
# Several programs, of which each has the next ranks.
expect 0 '[2] b x' "$run" --label -n 2 echo a : echo b x
expect 0 '[1] a' "$run" --label -n 2 echo a : echo b x
expect 2 'no program is named' "$run" -n 2 echo a :
# A core for each rank, or a NUMA node; both ranks have a part of what this process may use.
cores=$(lscpu --parse=CORE --online | grep -v '#' | sort -u | wc -l)
if ((cores >= 2 && $(nproc) > 1)); then
  expect 0 '2 masks' bash -c 'echo "$("$@" | sort -u | wc -l) masks"' count "$run" -n 2 --bind=core \
    sed -n 's/^Cpus_allowed_list://p' /proc/self/status
else
  echo "SKIPPED: ranks on cores of their own: this machine has one core"
fi
expect 2 'cores to bind them to; --bind=none lets ranks share cores' "$run" -n 4000 --bind=core "$program" exchange
expect 0 'rank 4 of 5' "$run" -n 5 --bind=numa "$program" exchange
# Variables, a file for each rank, and a bound.
expect 0 '[1] here there a=b' env HERE=here "$run" -n 2 --label -x HERE -x THERE=there -x EQUALS=a=b \
  sh -c 'echo "$HERE $THERE $EQUALS"'
expect 2 '-x NOWHERE: it is not set here' "$run" -n 2 -x NOWHERE true
expect 2 '-x =x: expected NAME[=VALUE]' "$run" -n 2 -x =x true
files=$(mktemp -d)
expect 0 '' "$run" -n 2 --output="$files/out.%r" sh -c 'echo "out $PMI_RANK"; echo "error $PMI_RANK" >&2'
[[ $(cat "$files/out.1") == $'out 1\nerror 1' ]] || { echo "FAILED: rank 1's file has:" && cat "$files"/* && failed=1; }
expect 2 "/nowhere/out.0 cannot be written" "$run" -n 2 --output=/nowhere/out.%r true
expect 2 'it has %r' "$run" -n 2 --output="$files/out" true
rm -r "$files"
expect 124 'has not ended within 1 s; ending the ranks' "$run" -n 2 --timeout=1 sleep 30
expect 0 'rank 0 of 1' "$run" -n 1 --timeout=30 "$program" exchange
expect 2 'no program is named' "$run" -n 2
expect 2 'is not a number from 1 to 4096' "$run" -n 0 "$program"
expect 1 'aborts the job' "$run" -n 2 "$program" abort-256
expect 2 'open files, and the limit is' bash -c "ulimit -n 10; exec $run -n 8 $program exchange"
# A rank's own children neither outlive the job nor hold it up.
seconds=$(random_sleep)
expect 7 '[1] rank 1 left a child' "$run" -n 2 --label "$program" parent "$seconds"
become 0 "$seconds" || { echo "FAILED: a rank's child outlives the job" && failed=1; }
expect 0 'rank 0 of 1' env LLCL_RENDEZVOUS=192.0.2.1:9 "$run" -n 1 "$program" exchange
expect 0 'rank 1 of 2' env LLCL_LAUNCH=none "$run" -n 2 "$program" exchange
# One of several processes that cannot find each other is no job of one rank, unless it is told so.
expect 3 'UNAVAILABLE: PMI_SIZE is 2, so this process is one of several' env PMI_SIZE=2 "$program" exchange
expect 0 'rank 0 of 1' env PMI_SIZE=2 LLCL_LAUNCH=none "$program" exchange
# What the program is given is not taken for ours.
expect 3 "unknown task '-n'" "$run" -n 1 "$program" -n 5

# When either of llclrun's two processes is killed, so are the ranks, which never join, and what they have
# started, also in a session of its own.
for victim in guard launcher; do
  seconds=$(random_sleep)
  "$run" -n 2 sh -c "sleep $seconds & setsid sleep $seconds & exec sleep $seconds" &
  guard=$!
  become 6 "$seconds" || { echo "FAILED: the ranks were not started" && failed=1; }
  launcher=$(cat "/proc/$guard/task/$guard/children")
  kill -KILL "${!victim}"
  wait "$guard" 2> /dev/null || true
  become 0 "$seconds" || { echo "FAILED: ranks or their children outlive the $victim" && failed=1; }
done
# The process that is asked to end the job ends all, as its exit code shows.
seconds=$(random_sleep)
"$run" -n 2 sleep "$seconds" &
guard=$!
become 2 "$seconds" || { echo "FAILED: the ranks were not started" && failed=1; }
kill -TERM "$guard"
code=0
wait "$guard" || code=$?
[[ $code == 143 ]] || { echo "FAILED: exit $code, expected 143" && failed=1; }
become 0 "$seconds" || { echo "FAILED: ranks outlive a SIGTERM" && failed=1; }

exit $failed
