#!/usr/bin/env bash
# Two hosts whose ranks find each other though some of their addresses lead nowhere: two_hosts_addresses_test.sh PROGRAM
# LLCLRUN; PROGRAM ends with 0 on two ranks that reach each other.
set -euo pipefail

# shellcheck source=llcl/tests/two_hosts.sh
source llcl/tests/two_hosts.sh
program=$1 run=$PWD/$2 failures=0
two_hosts_or_skip "addresses of two hosts" iptables iptables unshare util-linux

on_each_host() {
  local host
  for host in "$one" "$two"; do ip netns exec "$host" "$@"; done
}

# cable NAME NETWORK: one more cable between the hosts, which have the addresses NETWORK1 and NETWORK2.
cable() {
  local host number=0
  ip link add name "$1" netns "$one" type veth peer name "$1" netns "$two"
  for host in "$one" "$two"; do
    number=$((number + 1))
    # nodad: else an address of IPv6 is not usable for a second.
    case $2 in
      *:) ip -n "$host" address add "$2$number/64" dev "$1" nodad ;;
      *) ip -n "$host" address add "$2$number/24" dev "$1" ;;
    esac
    ip -n "$host" link set "$1" up
  done
  await_up "$1"
}

# Until the cable works at both ends, which takes a moment.
await_up() {
  local host
  for host in "$one" "$two"; do
    for _ in $(seq 200); do
      [[ $(ip -n "$host" -brief link show "$1") == *' UP '* ]] && break
      sleep 0.05
    done
  done
}

# The bridge of a container engine, with the same address on both hosts.
docker() {
  local host
  for host in "$one" "$two"; do
    ip -n "$host" link add name docker0 type veth peer name inside0
    ip -n "$host" address add 172.17.0.1/16 dev docker0
    ip -n "$host" link set inside0 up
    ip -n "$host" link set docker0 up
  done
}

# Both hosts without cables, bridges and rules.
unplug() {
  local name
  for name in cable0 cable1 docker0; do ip -n "$one" link delete "$name" 2> /dev/null || true; done
  ip -n "$two" link delete docker0 2> /dev/null || true
  on_each_host iptables -F INPUT
}

# meet WHAT RENDEZVOUS [CONDUIT]...
meet() {
  local what=$1 conduit
  export LLCL_RENDEZVOUS=$2
  shift 2
  for conduit in "$@"; do
    if LLCL_CONDUIT=$conduit LLCL_PROVIDER=$([[ $conduit != ofi ]] || echo 'tcp;ofi_rxm') \
      on_both_hosts 40 "$program" > "$TEST_TMPDIR/said" 2>&1; then
      echo "passed: $what, by $conduit"
    else
      echo "FAILED: $what, by $conduit: $(cat "$TEST_TMPDIR/said")"
      failures=$((failures + 1))
    fi
  done
}

# The remote shell: a host, whose /etc/hosts is $TEST_TMPDIR/hosts.1 on the second, and a command.
cat > "$TEST_TMPDIR/remote" << END
#!/bin/sh
case \$1 in
  *2) exec ip netns exec "$two" unshare --mount sh -c 'mount --bind "$TEST_TMPDIR/hosts.1" /etc/hosts && exec sh -c "\$1"' sh "\$2" ;;
  *) exec sh -c "\$2" ;;
esac
END
chmod +x "$TEST_TMPDIR/remote"
# launch WHAT HOSTS [ARGUMENT]...: by llclrun on the first host, whose /etc/hosts is $TEST_TMPDIR/hosts.0.
launch() {
  local what=$1 hosts=$2
  shift 2
  if timeout 40 env -u LLCL_RENDEZVOUS -u LLCL_SECRET ip netns exec "$one" unshare --mount sh -c '
    mount --bind "$0/hosts.0" /etc/hosts && exec "$@"' "$TEST_TMPDIR" "$run" "--host=$hosts" \
    "--launcher=$TEST_TMPDIR/remote" --conduit=tcp "$@" "$program" > "$TEST_TMPDIR/said" 2>&1; then
    echo "passed: llclrun, $what"
  else
    echo "FAILED: llclrun, $what: $(cat "$TEST_TMPDIR/said")"
    failures=$((failures + 1))
  fi
}

meet "a card" 10.77.0.1:7777 tcp ofi
# Debian's installer gives a machine's own name an address of the loopback.
printf '127.0.0.1 localhost\n127.0.1.1 node1 %s\n' "$(uname -n)" > "$TEST_TMPDIR/hosts.0"
printf '10.77.0.1 node1 %s\n' "$(uname -n)" > "$TEST_TMPDIR/hosts.1"
cat > "$TEST_TMPDIR/with_names" << 'END'
#!/bin/sh
exec unshare --mount sh -c 'mount --bind "$TEST_TMPDIR/hosts.$LLCL_RANK" /etc/hosts && exec "$0"' "$TEST_PROGRAM"
END
chmod +x "$TEST_TMPDIR/with_names"
TEST_PROGRAM=$program program=$TEST_TMPDIR/with_names meet "a name that leads its own host to the loopback" node1:7777 tcp ofi
printf '127.0.1.1 both\n10.77.0.1 both\n' >> "$TEST_TMPDIR/hosts.0"
printf '10.77.0.1 both\n' >> "$TEST_TMPDIR/hosts.1"
TEST_PROGRAM=$program program=$TEST_TMPDIR/with_names meet "a name that leads to the loopback, too" both:7777 tcp
launch "the first host by name" node1,10.77.0.2
launch "the first host as 127.0.0.1" 127.0.0.1,10.77.0.2
launch "the first host as localhost, in a network" localhost,10.77.0.2 -x LLCL_ADDRESS=10.77.0.0/24
docker
meet "a card, and docker0 after it" 10.77.0.1:7777 tcp ofi

unplug
docker
cable cable0 10.77.0.
meet "docker0 before the card" 10.77.0.1:7777 tcp ofi

# Of two cards one leads nowhere.
unplug
cable cable0 10.77.0.
cable cable1 10.78.0.
on_each_host iptables -A INPUT -i cable0 -j DROP
meet "two cards, the first loses all packets" 10.78.0.1:7777 tcp ofi
on_each_host iptables -F INPUT
ip -n "$one" link set cable0 down
meet "two cards, the first is unplugged" 10.78.0.1:7777 tcp ofi
# The rendezvous' address is called first, and the other one a quarter of a second later.
ip -n "$one" link set cable0 up
on_each_host iptables -A INPUT -i cable1 -p tcp --dport 7777 -j ACCEPT
on_each_host iptables -A INPUT -i cable1 -p tcp --sport 7777 -j ACCEPT
on_each_host iptables -A INPUT -i cable1 -j DROP
await_up cable0
meet "two cards, that of the rendezvous lets nothing else through" 10.78.0.1:7777 tcp

if [[ -e /proc/sys/net/ipv6 ]]; then
  unplug
  cable cable0 fd77::
  meet "a card with IPv6" '[fd77::1]:7777' tcp ofi
  launch "hosts of IPv6" '[fd77::1]:1,me@fd77::2'
  docker
  meet "a card with IPv6, and docker0 with IPv4" '[fd77::1]:7777' tcp ofi
  # Both ranks on the one host, whose loopback has no IPv4.
  unplug
  ip -n "$one" address delete 127.0.0.1/8 dev lo
  two=$one meet "a loopback without IPv4" '[::1]:7777' tcp ofi
  ip -n "$one" address add 127.0.0.1/8 dev lo
else
  echo "SKIPPED: IPv6: this system has none"
fi

# A rank that is reached by no address is named with the addresses, the reasons and the help.
unplug
cable cable0 10.77.0.
docker
on_each_host iptables -A INPUT -p tcp --dport 7777 -j ACCEPT
on_each_host iptables -A INPUT -p tcp --syn -j REJECT --reject-with tcp-reset
export LLCL_RENDEZVOUS=10.77.0.1:7777 LLCL_CONDUIT=tcp
on_both_hosts 20 "$program" > "$TEST_TMPDIR/said" 2>&1 && failures=$((failures + 1))
cat "$TEST_TMPDIR/said"
port=':[0-9]+' refused='\(refused\)'
grep -Eq "rank 0 was not reached at 10.77.0.1$port $refused nor at 172.17.0.1$port $refused: set LLCL_ADDRESS on its machine" \
  "$TEST_TMPDIR/said" || { echo "FAILED: the sentence" && failures=$((failures + 1)); }
exit $((failures > 0))
