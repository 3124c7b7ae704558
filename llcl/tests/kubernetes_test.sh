#!/usr/bin/env bash
# The ranks of an Indexed Job find each other, though their pods know no name at first: kubernetes_test.sh PROGRAM.
set -euo pipefail

# shellcheck source=llcl/tests/two_hosts.sh
source llcl/tests/two_hosts.sh
# shellcheck source=llcl/tests/two_pods.sh
source llcl/tests/two_pods.sh
source tools/expect.sh
program=$1 said=$TEST_TMPDIR/said go=$TEST_TMPDIR/go
two_pods_or_skip "an Indexed Job" "$TEST_TMPDIR"
touch "$go"

# pod INDEX SECONDS [FILE]: the file, said.INDEX, gets its output and then its exit code.
pod() {
  local code=0 file=${3:-$said.$1}
  env LLCL_SECRET=000102030405060708090a0b0c0d0e0f LLCL_SIZE=2 LLCL_RENDEZVOUS=job-0.job:7777 \
    LLCL_RENDEZVOUS_TIMEOUT="$2" bash -c 'in_pod "$@"' pod "$1" timeout 60 "$program" "$go" > "$file" 2>&1 || code=$?
  echo "exit $code" >> "$file"
}
export -f in_pod
export one two pods
# says INDEX TEXT
says() { expect 0 "$2" cat "$said.$1"; }
both_are_done() {
  says 0 $'rank 0 of 2 is done\nexit 0'
  says 1 $'rank 1 of 2 is done\nexit 0'
}

# Pod 0 never learns its own name, pod 1 learns it after two seconds.
pod 0 30 &
pod 1 30 &
sleep 2
know_name 1 10.77.0.1 job-0.job
wait
both_are_done

# In pod 0 the name is that of a service, whose address no card has.
know_name 0 10.99.0.1 job-0.job
pod 0 30 &
pod 1 30 &
wait
both_are_done

# At first the name leads pod 1 to a machine that is gone: its packets go to a card that nobody has.
forget_names 1
ip -n "$two" neigh add 10.77.0.9 lladdr 02:00:00:00:00:09 dev cable0
know_name 1 10.77.0.9 job-0.job
pod 0 30 &
pod 1 30 &
sleep 2
forget_names 1
know_name 1 10.77.0.1 job-0.job
wait
both_are_done

# A name that nobody learns.
forget_names 0
forget_names 1
pod 0 2 &
pod 1 2 &
wait
says 0 'not all ranks came to job-0.job:7777 within 2 s (LLCL_RENDEZVOUS_TIMEOUT); missing: 1;'
says 0 'it listened at all addresses of its machine: cannot find job-0.job:7777: '
says 1 'rank 1 did not get to rank 0 at job-0.job:7777 within 2 s (LLCL_RENDEZVOUS_TIMEOUT): cannot find job-0.job:7777: '
says 1 'exit 3'

# A pod that is started once more, while the job is running and when it is over.
know_name 1 10.77.0.1 job-0.job
rm "$go"
pod 0 30 &
pod 1 30 &
for _ in $(seq 600); do
  ! grep -qs 'is here' "$said.0" || ! grep -qs 'is here' "$said.1" || break
  sleep 0.05
done
pod 1 1 "$said.again"
expect 0 'its job is running or over and takes no rank any more' cat "$said.again"
expect 0 'exit 3' cat "$said.again"
touch "$go"
wait
both_are_done
pod 1 1
says 1 'its job is running or over and takes no rank any more'

# A bound that is no number of seconds.
pod 1 5m
says 1 'LLCL_RENDEZVOUS_TIMEOUT is 5m: it is a number of seconds from 1 to 86400'

exit $failed
