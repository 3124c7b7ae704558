#!/usr/bin/env bash
# The conformance suite between two hosts: two network namespaces of our own, joined by a
# cable of our own, that can reach nothing else.
set -euo pipefail

program=$1 conduit=$2 provider=${3:-}
if [[ $(id -u) != 0 ]] || ! command -v ip > /dev/null; then
  echo "SKIPPED: two hosts: needs root and the command ip (Debian package iproute2)"
  exit 0
fi
one=llcl-one-$$ two=llcl-two-$$
clean() {
  # Ends all processes that still run in them: no others are there.
  for host in "$one" "$two"; do
    for process in $(ip netns pids "$host" 2> /dev/null || true); do
      kill -KILL "$process" 2> /dev/null || true
    done
    ip netns delete "$host" 2> /dev/null || true
  done
}
trap clean EXIT
if ! { ip netns add "$one" && ip netns add "$two" &&
  ip link add name cable0 netns "$one" type veth peer name cable0 netns "$two"; } 2> /dev/null; then
  echo "SKIPPED: two hosts: this system does not let us make network namespaces and a cable between them"
  exit 0
fi
ip -n "$one" address add 10.77.0.1/24 dev cable0
ip -n "$two" address add 10.77.0.2/24 dev cable0
for host in "$one" "$two"; do
  ip -n "$host" link set lo up
  ip -n "$host" link set cable0 up
done
# A cable that was just plugged in takes a moment.
for host in "$one" "$two"; do
  for _ in $(seq 100); do
    [[ $(ip -n "$host" -brief link show cable0) == *' UP '* ]] && break
    sleep 0.05
  done
done

export LLCL_RENDEZVOUS=10.77.0.1:7777 LLCL_SIZE=2 LLCL_CONDUIT=$conduit LLCL_PROVIDER=$provider
LLCL_SECRET=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
export LLCL_SECRET
for rank in 0 1; do
  host=$one
  [[ $rank == 0 ]] || host=$two
  LLCL_RANK=$rank timeout 250 ip netns exec "$host" "$program" --gtest_brief=1 &
done
# When one fails the other waits for it in vain, and is ended by clean.
wait -n
wait -n
