# shellcheck shell=bash
# For tests to source after two_hosts.sh: two pods of an Indexed Job of Kubernetes, on two hosts that are network
# namespaces. A pod has names of its own, as its name server gives them, and begins with none.

# two_pods_or_skip WHAT FOLDER [COMMAND PACKAGE]...: makes the hosts of both, and their names in the folder.
two_pods_or_skip() {
  local what=$1 folder=$2 index
  shift 2
  two_hosts_or_skip "$what" unshare util-linux "$@"
  # What two_hosts.sh sets for ranks by hand a pod gets from its manifest alone.
  unset LLCL_RENDEZVOUS LLCL_SECRET
  printf 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n' > "$folder/resolv.conf"
  pods=$folder
  for index in 0 1; do forget_names $index; done
  if ! in_pod 0 true 2> /dev/null; then
    echo "SKIPPED: $what: this system does not let us mount files"
    exit 0
  fi
}

# forget_names INDEX, know_name INDEX ADDRESS NAME: in place, as the file is mounted.
forget_names() { printf '127.0.0.1 localhost\n' > "$pods/hosts$1"; }
know_name() { printf '%s %s\n' "$2" "$3" >> "$pods/hosts$1"; }

# in_pod INDEX COMMAND...
in_pod() {
  local index=$1 hosts=("$one" "$two")
  shift
  # shellcheck disable=SC2016  # Of the inner shell.
  JOB_COMPLETION_INDEX=$index ip netns exec "${hosts[index]}" unshare --mount sh -c '
    mount --bind "$0/hosts$JOB_COMPLETION_INDEX" /etc/hosts
    [ ! -e /etc/resolv.conf ] || mount --bind "$0/resolv.conf" /etc/resolv.conf
    exec "$@"' "$pods" "$@"
}
