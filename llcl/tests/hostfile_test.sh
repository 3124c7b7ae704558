#!/usr/bin/env bash
# llclrun --hostfile starts ranks by a remote shell, here one that stays on this machine, and ends them.
set -euo pipefail

run=$1 program=$2
source tools/expect.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# As ssh: the host, and words that the shell there puts together and reads.
cat > "$work/remote" << 'END'
#!/bin/sh
shift
exec sh -c "$*"
END
chmod +x "$work/remote"
printf '127.0.0.1 slots=2  # two\n\n127.0.0.1\n' > "$work/hosts"
on_hosts=("$run" "--hostfile=$work/hosts" "--launcher=$work/remote")

expect 0 'rank 2 of 3' "${on_hosts[@]}" "$program" exchange
expect 0 'rank 1 of 2' "${on_hosts[@]}" -n 2 "$program" exchange
expect 2 '4 ranks, but the hosts have 3 slots' "${on_hosts[@]}" -n 4 "$program" exchange
expect 0 "[1] it's \$HOME; a  b ofi" env SMS_WORDS="it's \$HOME; a  b" \
  "${on_hosts[@]}" -n 2 --label --conduit=ofi sh -c 'echo "$SMS_WORDS $LLCL_CONDUIT"'
expect 7 'rank 2 ended with exit code 7; ending the others' "${on_hosts[@]}" "$program" fail
expect 137 'ended with exit code 137' "${on_hosts[@]}" "$program" die
expect 127 'ended with exit code 127' "${on_hosts[@]}" /nowhere/program
# The secret is in no process's command line.
expect 1 'ended with exit code 1' "${on_hosts[@]}" -n 1 sh -c 'test -n "$LLCL_SECRET" && grep -q "$LLCL_SECRET" /proc/[0-9]*/cmdline'
expect 0 'rank 2 of 3' "$run" --host=127.0.0.1,127.0.0.1:2 "--launcher=$work/remote" "$program" exchange
expect 2 "--host: 'a:x': expected HOST or HOST:N" "$run" --host=a:x "$program" exchange
expect 0 '[1] libraries ours' env LD_LIBRARY_PATH=libraries "${on_hosts[@]}" -n 2 --label -x OURS=ours \
  sh -c 'echo "$LD_LIBRARY_PATH $OURS"'
expect 2 "$work/none: cannot be read" "$run" --hostfile="$work/none" "$program" exchange
printf 'node1\nnode2 slot=3\n' > "$work/wrong"
expect 2 "$work/wrong:2: 'slot=3': expected slots=N" "$run" --hostfile="$work/wrong" "$program" exchange

# When the launcher is killed, so are the ranks.
"${on_hosts[@]}" sleep 31.4161 &
launcher=$!
count() { grep -alx 'sleep.31[.]4161.' /proc/[0-9]*/cmdline 2> /dev/null | wc -l; }
for _ in $(seq 200); do (($(count) == 3)) && break; sleep 0.05; done
(($(count) == 3)) || { echo "FAILED: the ranks were not started" && failed=1; }
kill -KILL "$launcher"
wait "$launcher" 2> /dev/null || true
for _ in $(seq 200); do (($(count) == 0)) && break; sleep 0.05; done
(($(count) == 0)) || { echo "FAILED: ranks outlive their launcher" && failed=1; }
exit $failed
