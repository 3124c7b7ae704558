#!/usr/bin/env bash
# llclrun by a real sshd with its default limits: ssh_test.sh LLCLRUN PROGRAM.
set -euo pipefail

run=$PWD/$1 program=$PWD/$2
source tools/expect.sh
bound=60
# shellcheck source=llcl/tests/sleepers.sh
source llcl/tests/sleepers.sh
# shellcheck source=llcl/tests/private_sshd.sh
source llcl/tests/private_sshd.sh
private_sshd_or_skip "ranks by ssh"
on_hosts=("$run" --host=127.0.0.1:16,localhost:16 "--launcher=${ssh[*]}")
connections() { grep -c 'Accepted publickey' "$sshd/log"; }

# A connection for each host: of one for each rank, sshd refuses some from ten at once on.
before=$(connections)
expect 0 'rank 31 of 32' "${on_hosts[@]}" "$program" exchange
made=$(($(connections) - before))
[[ $made == 2 ]] || { echo "FAILED: $made connections for two hosts" && failed=1; }
expect 0 '[17] here' env HERE=here "${on_hosts[@]}" -x HERE --label sh -c 'echo $HERE'
counted=$(printf '0123456789' | timeout "$bound" "${on_hosts[@]}" --label sh -c 'wc -c' | sort -V | head -n 2 | tr '\n' ' ')
[[ $counted == '[0] 10 [1] 0 ' ]] || { echo "FAILED: ranks have read $counted" && failed=1; }
expect 7 'rank 31 ended with exit code 7' "${on_hosts[@]}" "$program" fail
expect 127 'cannot run /nowhere: there is no such file' "${on_hosts[@]}" /nowhere
expect 255 'ended with exit code 255' "$run" --host=127.0.0.1,localhost "--launcher=${ssh[*]} -p 1" "$program" exchange

# llclrun ends when the ranks of all machines have, and has their last output.
seconds=$(random_sleep)
expect 3 'last words of 0' "${on_hosts[@]}" -n 17 sh -c 'seconds=$1
  [ "$LLCL_RANK" = 16 ] && sleep 1 && exit 3
  trap "sleep 1; echo last words of $LLCL_RANK; exit" TERM
  sleep "$seconds" & wait' sh "$seconds"
[[ $(sleepers "$seconds") == 0 ]] || { echo "FAILED: llclrun ends before its ranks" && failed=1; }

# A rank ends with the launcher, and with the connection.
for victim in launcher connection; do
  seconds=$(random_sleep)
  "$run" --host=127.0.0.1:2,localhost:2 "--launcher=${ssh[*]}" sleep "$seconds" 2> "$sshd/said" &
  launcher=$!
  become 4 "$seconds" || { echo "FAILED: the ranks were not started" && failed=1; }
  if [[ $victim == launcher ]]; then
    kill -KILL "$launcher"
  else
    # One of the two; the ranks of the other host end too.
    client=$(grep -alE "^ssh.-F.$sshd/ssh_config.*.localhost.cd " /proc/[0-9]*/cmdline 2> /dev/null | head -n 1)
    kill -KILL "$(cut -d/ -f3 <<< "$client")"
  fi
  wait "$launcher" 2> /dev/null || true
  become 0 "$seconds" || { echo "FAILED: ranks outlive their $victim" && failed=1; }
done

exit $failed
