# shellcheck shell=bash
# For tests to source: an sshd of our own on this machine's loopback, with Debian's limits, and the keys, the port and the
# folder of nobody else. It ends with the script, and with it the processes that it has started.

# private_sshd_or_skip WHAT: starts it; `ssh` are the words of a client that reaches it under any name in $sshd_hosts, and
# $sshd/log is its log. Or ends the script with a sentence that names the test WHAT.
private_sshd_or_skip() {
  local what=$1 command
  PATH=$PATH:/usr/sbin:/sbin  # Bazel's tests do not look there.
  for command in ssh sshd ssh-keygen unshare; do
    if [[ $(id -u) != 0 ]] || ! command -v "$command" > /dev/null; then
      echo "SKIPPED: $what: needs root and the command $command; install the Debian packages openssh-server and openssh-client"
      exit 0
    fi
  done
  sshd=$(mktemp -d /tmp/sshd-XXXXXX)
  trap stop_private_sshd EXIT
  trap 'exit 143' TERM INT HUP
  local port
  port=$(python3 -c 'import socket; one = socket.socket(); one.bind(("127.0.0.1", 0)); print(one.getsockname()[1])')
  ssh-keygen -q -t ed25519 -N '' -f "$sshd/host"
  ssh-keygen -q -t ed25519 -N '' -f "$sshd/user"
  # MaxStartups is not named: it is the default, 10:30:100.
  cat > "$sshd/sshd_config" << CONF
ListenAddress 127.0.0.1:$port
HostKey $sshd/host
AuthorizedKeysFile $sshd/user.pub
StrictModes no
PermitRootLogin yes
UsePAM no
PidFile none
LogLevel VERBOSE
CONF
  cat > "$sshd/ssh_config" << CONF
Host *
  HostName 127.0.0.1
  Port $port
  User $(id -un)
  IdentityFile $sshd/user
  IdentitiesOnly yes
  StrictHostKeyChecking no
  UserKnownHostsFile /dev/null
  LogLevel ERROR
CONF
  ssh=(ssh -F "$sshd/ssh_config" -o BatchMode=yes)
  # sshd wants an empty folder of its own, which a service has made where it is installed as one.
  unshare --mount bash -c 'mkdir -p /run/sshd 2> /dev/null || { mount -t tmpfs none /run && mkdir /run/sshd; }
    exec "$0" -D -E "$1/log" -f "$1/sshd_config"' "$(command -v sshd)" "$sshd" < /dev/null > "$sshd/started" 2>&1 &
  sshd_process=$!
  for _ in $(seq 100); do
    ! timeout 5 "${ssh[@]}" localhost true 2> "$sshd/refused" || return 0
    sleep 0.1
  done
  echo "FAILED: $what: the sshd of the test does not start:"
  cat "$sshd/started" "$sshd/log" "$sshd/refused"
  exit 1
}

stop_private_sshd() {
  local process
  trap - TERM INT HUP
  # Also the processes of connections, which are in sessions of their own: their command lines have our folder, or their
  # parents' have.
  for process in $(cat "/proc/$sshd_process/task/"*/children 2> /dev/null || true) "$sshd_process"; do kill "$process" 2> /dev/null || true; done
  wait "$sshd_process" 2> /dev/null || true
  rm -rf "$sshd"
}
