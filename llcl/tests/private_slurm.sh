# shellcheck shell=bash
# For tests to source: a Slurm of our own, of two nodes, which both are this machine, with the key, the ports and the folders
# of nobody else. The nodes' names, 127.1 and 127.2, are addresses that everybody can resolve. A step by PMIx has one node:
# the plugins of two would use the same socket. It ends with the script, and with it the jobs that run there.

# private_slurm_or_skip WHAT: starts it, and lets the commands of Slurm find it; or ends the script with a sentence
# that names the test WHAT.
private_slurm_or_skip() {
  local what=$1 command
  PATH=$PATH:/usr/sbin:/sbin  # Bazel's tests do not look there.
  for command in srun salloc sbatch scontrol slurmctld slurmd munged mungekey; do
    if [[ $(id -u) != 0 ]] || ! command -v "$command" > /dev/null; then
      echo "SKIPPED: $what: needs root and the command $command; install the Debian packages slurm-wlm and munge"
      exit 0
    fi
  done
  # The path of a socket must be short.
  slurm=$(mktemp -d /tmp/slurm-XXXXXX)
  trap stop_private_slurm EXIT
  trap 'exit 143' TERM INT HUP
  # Who waits for a command hears of no signal, and a SIGKILL is heard by none.
  setsid bash -c 'source "$0"; slurm=$1; tail --pid="$2" --follow /dev/null; [[ ! -d $slurm ]] || stop_private_slurm' \
    "${BASH_SOURCE[0]}" "$slurm" $$ < /dev/null > /dev/null 2>&1 &
  # munged refuses folders that others can write; the folder of the socket must be open to all users.
  chmod 755 "$slurm"
  mkdir -m 700 "$slurm/munge" "$slurm/state"
  mkdir -m 755 "$slurm/spool127.1" "$slurm/spool127.2" "$slurm/socket"
  write_slurm_conf "$slurm/slurm.conf"
  export SLURM_CONF=$slurm/slurm.conf
  mungekey --create --keyfile="$slurm/munge/key"
  munged --foreground --force --key-file="$slurm/munge/key" --socket="$slurm/socket/munge" \
    --pid-file="$slurm/munge/pid" --log-file="$slurm/munge/log" --seed-file="$slurm/munge/seed" > "$slurm/munged.log" 2>&1 &
  slurmctld -D -i > "$slurm/slurmctld.log" 2>&1 &
  for command in 127.1 127.2; do
    slurmd -D -N "$command" > "$slurm/slurmd-$command.log" 2>&1 &
  done
  for _ in $(seq 300); do
    [[ $(timeout 5 sinfo --noheader --format='%T %D' 2> /dev/null) != 'idle 2' ]] || return 0
    sleep 0.1
  done
  echo "FAILED: $what: the Slurm of the test does not start:"
  tail -n 20 "$slurm"/*.log
  exit 1
}

write_slurm_conf() {
  local ports host
  host=$(hostname --short)
  # Three that are free now.
  mapfile -t ports < <(python3 -c '
import socket
sockets = [socket.socket() for _ in range(3)]
for one in sockets: one.bind(("127.0.0.1", 0))
for one in sockets: print(one.getsockname()[1])')
  # More processors than there are: ranks that wait need none. No groups of processes that only systemd could make.
  cat > "$1" << CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=${ports[0]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$slurm/socket/munge
CredType=cred/munge
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool%n
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd.%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
KillWait=2
PlugStackConfig=/dev/null
NodeName=127.1 NodeHostname=$host NodeAddr=127.0.0.1 Port=${ports[1]} CPUs=16 State=UNKNOWN
NodeName=127.2 NodeHostname=$host NodeAddr=127.0.0.1 Port=${ports[2]} CPUs=16 State=UNKNOWN
PartitionName=test Nodes=127.1,127.2 Default=YES MaxTime=INFINITE State=UP
CONF
}

# The jobs first, as long as there is who can end them; then all that is left.
stop_private_slurm() {
  local process
  trap - TERM INT HUP
  export SLURM_CONF=$slurm/slurm.conf
  timeout 10 scancel --user=root 2> /dev/null || true
  for _ in $(seq 50); do
    [[ -n $(timeout 5 squeue --noheader 2> /dev/null) ]] || break
    sleep 0.1
  done
  for process in $(private_slurm_processes); do kill -KILL "$process" 2> /dev/null || true; done
  rm -rf "$slurm"
}

# The daemons, the steps and the ranks, and what these have started: they have our folder in the environment. This script
# has not, as that is as it was when it began.
private_slurm_processes() {
  local process
  for process in /proc/[0-9]*; do
    ! grep -qs --null-data "^SLURM_CONF=$slurm/slurm.conf\$" "$process/environ" || echo "${process##*/}"
  done
}
