#!/usr/bin/env bash
# llclrun --hostfile starts ranks by a remote shell for each host, here one that stays on this machine, and ends them.
set -euo pipefail

run=$1 program=$2
source tools/expect.sh
# shellcheck source=llcl/tests/sleepers.sh
source llcl/tests/sleepers.sh
bound=30
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# As ssh: the host, and words that the shell there puts together and reads.
cat > "$work/remote" << 'END'
#!/bin/sh
echo "$1" >> "${0%/*}/calls"
shift
exec sh -c "$*"
END
chmod +x "$work/remote"
printf '127.0.0.1 slots=2  # two\n\n127.0.0.1\n' > "$work/hosts"
on_hosts=("$run" "--hostfile=$work/hosts" "--launcher=$work/remote")

expect 0 'rank 2 of 3' "${on_hosts[@]}" "$program" exchange
expect 0 'rank 1 of 2' "${on_hosts[@]}" -n 2 "$program" exchange
expect 2 "$work/hosts: 4 ranks, but the hosts have 3 slots" "${on_hosts[@]}" -n 4 "$program" exchange
# One shell a host, whatever the number of ranks and of lines.
rm "$work/calls"
expect 0 'rank 11 of 12' "$run" --host=127.0.0.1:6,localhost:5,127.0.0.1 "--launcher=$work/remote" "$program" exchange
[[ $(sort "$work/calls" | tr '\n' ' ') == '127.0.0.1 localhost ' ]] || { echo "FAILED: shells for:" && cat "$work/calls" && failed=1; }
expect 0 '[5] b x' "$run" --host=127.0.0.1:2,localhost:4 "--launcher=$work/remote" --label -n 2 echo a : -n 4 echo b x
expect 0 "[1] it's \$HOME; a  b ofi" env SMS_WORDS="it's \$HOME; a  b" \
  "${on_hosts[@]}" -n 2 --label --conduit=ofi sh -c 'echo "$SMS_WORDS $LLCL_CONDUIT"'
expect 7 'rank 2 ended with exit code 7; ending the others' "${on_hosts[@]}" "$program" fail
expect 137 'rank 2 was killed by signal 9' "${on_hosts[@]}" "$program" die
expect 137 '127.0.0.1 (ranks 0-2) ended with exit code 137; ending the others' "${on_hosts[@]}" "$program" die
expect 127 'cannot run /nowhere/program: there is no such file' "${on_hosts[@]}" /nowhere/program
expect 127 '/nowhere/llclrun' "${on_hosts[@]}" --remote-llclrun=/nowhere/llclrun "$program" exchange
expect 1 'has run no llclrun: its shell returned 0' "${on_hosts[@]}" --remote-llclrun=/bin/true "$program" exchange
expect 93 'ended with exit code 93' "$run" sh -c 'exit 93'
expect 1 'rank 0 ended with exit code 93' "${on_hosts[@]}" -n 1 sh -c 'exit 93'
printf '#!/bin/sh\nshift\nexec sh -c "$*" < /dev/null\n' > "$work/no-input" && chmod +x "$work/no-input"
expect 2 'the remote shell passes no input on, as ssh -n' "$run" --host=127.0.0.1,localhost "--launcher=$work/no-input" "$program" exchange
# A warning arrives behind input that rank 0 does not read.
head -c 300000 /dev/zero > "$work/unread"
expect 0 'rank 0 is warned' bash -c '"$@" < "$0"' "$work/unread" "$run" --host=127.0.0.1,localhost "--launcher=$work/remote" bash -c '
  trap "echo rank $LLCL_RANK is warned; exit 0" USR1
  [[ $LLCL_RANK == 0 ]] && touch "$0/trapped" && while true; do sleep 0.1; done
  while [[ ! -e $0/trapped ]]; do sleep 0.1; done
  sleep 0.3
  for file in /proc/[0-9]*/cmdline; do
    [[ $(tr "\0" " " 2> /dev/null < "$file") != "$1 --host=127.0.0.1,localhost --launcher=$0/remote "* ]] || kill -USR1 "$(basename "${file%/cmdline}")"
  done
  while true; do sleep 0.1; done' "$work" "$run"
: > "$work/empty"
expect 2 "$work/empty: there is no host in it" "$run" --hostfile="$work/empty" "$program" exchange
expect 2 "$work: cannot be read: it is a folder" "$run" --hostfile="$work" "$program" exchange
# Scripts find their rank by the same names on one machine and on several.
numbers='echo "$LLCL_RANK $LLCL_SIZE $LLCL_LOCAL_RANK $LLCL_LOCAL_SIZE"'
expect 0 '[2] 2 3 0 1' "$run" --host=127.0.0.1:2,localhost "--launcher=$work/remote" --label sh -c "$numbers"
expect 0 '[2] 2 3 2 3' "$run" -n 3 --label sh -c "$numbers"
expect 3 'LLCL_SIZE is 2, so this process is one of several' env LLCL_RANK=0 LLCL_SIZE=2 "$program" exchange
# Neither the secret nor a variable's value is in a process's command line.
export TOKEN=token-$RANDOM$RANDOM
expect 0 'seen by none' "${on_hosts[@]}" -n 1 -x TOKEN bash -c '
  [[ $LLCL_SECRET == ????????* && $TOKEN == token-* ]] || exit 2
  for file in /proc/[0-9]*/cmdline; do
    line=$(tr "\0" " " 2> /dev/null < "$file") || continue
    [[ $line != *"$LLCL_SECRET"* && $line != *"$TOKEN"* ]] || { echo "seen: $line" && exit 3; }
  done
  echo seen by none'
expect 0 'rank 2 of 3' "$run" --host=127.0.0.1,127.0.0.1:2 "--launcher=$work/remote" "$program" exchange
# A user is ssh's, and not a machine's; addresses of IPv6 are hosts, too.
rm "$work/calls"
expect 0 'rank 2 of 3' "$run" --host=me@127.0.0.1:2,localhost "--launcher=$work/remote" "$program" exchange
[[ $(sort "$work/calls" | tr '\n' ' ') == 'localhost me@127.0.0.1 ' ]] || { echo "FAILED: shells for:" && cat "$work/calls" && failed=1; }
if [[ -e /proc/net/if_inet6 ]] && grep -q ' lo$' /proc/net/if_inet6; then
  expect 0 'rank 2 of 3' "$run" --host='[::1]:2,localhost' "--launcher=$work/remote" "$program" exchange
fi
# An address is this machine's own, a network is the job's.
printf '#!/bin/sh\nshift\nexec env -i PATH="$PATH" sh -c "$*"\n' > "$work/as-ssh" && chmod +x "$work/as-ssh"
there=("$run" --host=127.0.0.1,localhost "--launcher=$work/as-ssh" --label sh -c 'echo "<$LLCL_ADDRESS>"')
expect 0 '[1] <>' env LLCL_ADDRESS=10.0.0.1 "${there[@]}"
expect 0 '[1] <10.0.0.0/8>' env LLCL_ADDRESS=10.0.0.0/8 "${there[@]}"
# Programs are looked for in the ranks' PATH.
printf '#!/bin/sh\necho ours\n' > "$work/program-of-ours" && chmod +x "$work/program-of-ours"
expect 0 '[1] ours' "${on_hosts[@]}" -n 2 --label -x "PATH=$work:$PATH" program-of-ours
expect 0 '[1] ours' "$run" -n 2 --label -x "PATH=$work:$PATH" program-of-ours
# Rank 0 reads the input of llclrun, whole, and its end; the others have none.
two=("$run" --host=127.0.0.1,localhost:2 "--launcher=$work/remote")
head -c 3000000 /dev/urandom > "$work/input"
sum=$(md5sum < "$work/input")
counted=$(timeout "$bound" "${two[@]}" --label sh -c 'md5sum' < "$work/input" | sort | tr '\n' ' ')
none=$(md5sum < /dev/null)
[[ $counted == "[0] $sum [1] $none [2] $none " ]] || { echo "FAILED: ranks have read $counted" && failed=1; }
# A rank that reads none of it ends all the same.
expect 0 'rank 2 of 3' bash -c '"$@" < /dev/zero' with-input "${two[@]}" "$program" exchange
expect 124 'has not ended within 1 s' "${two[@]}" --timeout=1 sleep 30
expect 0 '' "${two[@]}" --output="$work/out.%r" sh -c 'echo "out $LLCL_RANK"; echo "error $LLCL_RANK" >&2'
[[ $(cat "$work/out.2") == $'out 2\nerror 2' ]] || { echo "FAILED: rank 2's file has:" && cat "$work"/out.* && failed=1; }
expect 2 "--host: 'a:x': expected HOST or HOST:N" "$run" --host=a:x "$program" exchange
expect 0 '[1] libraries ours' env LD_LIBRARY_PATH=libraries "${on_hosts[@]}" -n 2 --label -x OURS=ours \
  sh -c 'echo "$LD_LIBRARY_PATH $OURS"'
expect 2 "$work/none: cannot be read" "$run" --hostfile="$work/none" "$program" exchange
printf 'node1\nnode2 slot=3\n' > "$work/wrong"
expect 2 "$work/wrong:2: 'slot=3': expected slots=N" "$run" --hostfile="$work/wrong" "$program" exchange

# A batch system's machines are the job's, where nothing else is said, and this machine needs no shell.
clean=(env -u SLURM_JOB_NODELIST -u SLURM_TASKS_PER_NODE -u PBS_NODEFILE)
printf 'localhost\nlocalhost\n' > "$work/nodes"
expect 0 'rank 1 of 2' "${clean[@]}" PBS_NODEFILE="$work/nodes" "$run" "$program" exchange
expect 2 'PBS_NODEFILE: 3 ranks, but the hosts have 2 slots' "${clean[@]}" PBS_NODEFILE="$work/nodes" "$run" -n 3 "$program" exchange
expect 0 'rank 2 of 3' "${clean[@]}" PBS_NODEFILE="$work/nodes" "$run" --host=localhost:3 "$program" exchange
rm "$work/calls"
expect 0 'rank 3 of 4' "${clean[@]}" LSB_MCPU_HOSTS='localhost 1 127.0.0.1 3' "$run" "--launcher=$work/remote" "$program" exchange
[[ $(wc -l < "$work/calls") == 2 ]] || { echo "FAILED: $(wc -l < "$work/calls") shells for two hosts" && failed=1; }
expect 2 "SLURM_JOB_NODELIST: 'n[' is no list of hosts" "${clean[@]}" SLURM_JOB_NODELIST='n[' "$run" "$program" exchange

# When the launcher is killed, so are the ranks.
seconds=$(random_sleep)
"${on_hosts[@]}" sleep "$seconds" &
launcher=$!
become 3 "$seconds" || { echo "FAILED: the ranks were not started" && failed=1; }
kill -KILL "$launcher"
wait "$launcher" 2> /dev/null || true
become 0 "$seconds" || { echo "FAILED: ranks outlive their launcher" && failed=1; }

# Where one fails, the others' last output comes, and llclrun ends after them.
seconds=$(random_sleep)
expect 3 'last words of 0' "${on_hosts[@]}" sh -c 'seconds=$1
  [ "$LLCL_RANK" = 2 ] && sleep 1 && exit 3
  trap "sleep 1; echo last words of $LLCL_RANK; exit" TERM
  sleep "$seconds" & wait' sh "$seconds"
[[ $(sleepers "$seconds") == 0 ]] || { echo "FAILED: llclrun ends before its ranks" && failed=1; }
exit $failed
