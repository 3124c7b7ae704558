# For tests to source: two hosts, which are network namespaces of our own, joined by a cable of our own, that can
# reach nothing else. `one` and `two` are their names, 10.77.0.1 and 10.77.0.2 their addresses. They end with the
# script, and with them all processes that run there.

# two_hosts_or_skip WHAT [COMMAND PACKAGE]...: makes them; or ends the script with a sentence that names the test WHAT.
two_hosts_or_skip() {
  local what=$1 host
  shift
  PATH=$PATH:/usr/sbin:/sbin  # Bazel's tests do not look there.
  set -- ip iproute2 "$@"
  while (($# > 0)); do
    if [[ $(id -u) != 0 ]] || ! command -v "$1" > /dev/null; then
      echo "SKIPPED: $what: needs root and the command $1 (Debian package $2)"
      exit 0
    fi
    shift 2
  done
  one=llcl-one-$$ two=llcl-two-$$
  trap remove_two_hosts EXIT
  if ! { ip netns add "$one" && ip netns add "$two" &&
    ip link add name cable0 netns "$one" type veth peer name cable0 netns "$two"; } 2> /dev/null; then
    echo "SKIPPED: $what: this system does not let us make network namespaces and a cable between them"
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
  LLCL_SECRET=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  export LLCL_SECRET LLCL_RENDEZVOUS=10.77.0.1:7777
}

remove_two_hosts() {
  local host process
  for host in "$one" "$two"; do
    # No processes but the test's are there.
    for process in $(ip netns pids "$host" 2> /dev/null || true); do
      kill -KILL "$process" 2> /dev/null || true
    done
    ip netns delete "$host" 2> /dev/null || true
  done
}

# on_both_hosts SECONDS COMMAND...: runs it as rank 0 of 2 on the one host and as rank 1 on the other; with
# ranks_per_host=N as N ranks on each, of which the one host has the even numbers. Fails as soon as one fails, as the
# others wait for it in vain until they are ended with the hosts. Each says by a pipe how it ended: of two processes that
# end at the same time `wait -n` of bash 5.2 forgets one, once in some thousand times.
ranks_per_host=1
on_both_hosts() {
  local seconds=$1 ended=0 code pair
  local size=$((2 * ranks_per_host))
  shift
  while read -r code; do
    [[ $code == 0 ]] || return 1
    ended=$((ended + 1))
  done < <(
    for ((pair = 0; pair < ranks_per_host; ++pair)); do
      LLCL_SIZE=$size LLCL_RANK=$((2 * pair)) tell_code timeout "$seconds" ip netns exec "$one" "$@" &
      LLCL_SIZE=$size LLCL_RANK=$((2 * pair + 1)) tell_code timeout "$seconds" ip netns exec "$two" "$@" &
    done
    wait
  )
  [[ $ended == "$size" ]]
}
# tell_code COMMAND...: what it prints goes to the standard error, its exit code to the standard output.
tell_code() {
  local code=0
  "$@" >&2 || code=$?
  echo "$code"
}

# await_ready FOLDER COUNT: until so many processes that write to files of the folder have said that they are ready; for a
# minute at most.
await_ready() {
  local tries
  for ((tries = 0; tries < 1200; ++tries)); do
    [[ $(cat "$1"/* | grep -c 'is ready') != "$2" ]] || return 0
    sleep 0.05
  done
}

# drop_or_skip WHAT [ARGUMENT]...: from now on both hosts drop what comes by the cable, or of it what iptables' matches
# say.
drop_or_skip() {
  local what=$1 host
  shift
  for host in "$one" "$two"; do
    if ! ip netns exec "$host" iptables -A INPUT -i cable0 "$@" -j DROP 2> /dev/null; then
      echo "SKIPPED: $what: this system does not let us drop packets by iptables $*"
      exit 0
    fi
  done
}
