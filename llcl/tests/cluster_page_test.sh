#!/usr/bin/env bash
# A section of CLUSTER.md, by doing what it says: cluster_page_test.sh SECTION CLUSTER.md README_PROGRAM LLCLRUN.
set -euo pipefail

section=$1 page=$PWD/$2 readme=$PWD/$3 llclrun=$PWD/$4
# shellcheck source=llcl/tests/page_blocks.sh
source llcl/tests/page_blocks.sh
source tools/expect.sh
block() { page_block "$page" "$section" "$1"; }

# the_same WHAT SEEN SHOWN
the_same() {
  [[ $2 == "$3" ]] || { echo "FAILED: $1: the page shows '$3', but there is '$2'" && failed=1; }
}

# sentence TEXT COMMAND...: the page explains this text, and the command prints it.
sentence() {
  grep -qF "\`$1\`" "$page" || { echo "FAILED: the page does not explain '$1'" && failed=1; }
  expect some "$@"
}

slurm() {
  # shellcheck source=llcl/tests/private_slurm.sh
  source llcl/tests/private_slurm.sh
  private_slurm_or_skip "the page's section Slurm"
  cd "$slurm"
  cp "$readme" readme
  block 1 > job.sh
  block 2 > commands.sh
  block 4 > on_terminal.sh
  local number='s/^(Submitted batch job) .*/\1 N/' plugin plugins
  plugins=$(srun --mpi=list 2>&1)
  for plugin in pmi2 pmix; do
    if ! grep -qw "$plugin" <<< "$plugins"; then
      echo "SKIPPED: the page's --mpi=$plugin: this Slurm is built without it"
      continue
    fi
    sed -i "s/--mpi=[a-z0-9]*/--mpi=$plugin/" job.sh on_terminal.sh
    the_same "sbatch with $plugin" "$(timeout 60 bash commands.sh 2>&1 | sed -E "$number")" "$(block 3 | sed -E "$number")"
    the_same "salloc with $plugin" "$(timeout 60 bash on_terminal.sh 2> said)" "$(block 3 | tail -n 1)"
  done
  sentence 'SLURM_STEP_NUM_TASKS is 4, so this process is one of several' srun --ntasks=4 ./readme
}

# From here on this script has mounts of its own.
in_own_mounts() {
  [[ -z ${has_own_mounts:-} ]] || return 0
  if ! unshare --mount true 2> /dev/null; then
    echo "SKIPPED: the page's section $section: this system does not let us mount files"
    exit 0
  fi
  has_own_mounts=yes exec unshare --mount "$0" "$@"
}

# machines_or_skip WHAT: node1 and node2 are this machine, in a folder with both programs, and answer the command ssh.
machines_or_skip() {
  # shellcheck source=llcl/tests/private_sshd.sh
  source llcl/tests/private_sshd.sh
  printf '127.0.0.1 localhost node1 node2\n' > "$TEST_TMPDIR/hosts"
  mount --bind "$TEST_TMPDIR/hosts" /etc/hosts
  private_sshd_or_skip "$1"
  printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v ssh) -F $sshd/ssh_config" > "$sshd/ssh"
  chmod +x "$sshd/ssh"
  PATH=$sshd:$PATH
  mkdir "$sshd/job"
  cp "$readme" "$llclrun" "$sshd/job"
  cd "$sshd/job"
}

# Debian has no PBS. Its command here does what its manual says of a job: the variables, the folder, and the file of its
# output.
pbs() {
  machines_or_skip "the page's section PBS"
  block 1 > job.sh
  block 2 > commands.sh
  cat > "$sshd/qsub" << 'QSUB'
#!/usr/bin/env bash
[[ "$1 $2" == '-W block=true' ]] || exit 2
read -r select output < <(sed -n 's/^#PBS -l select=\(.*\)/\1/p; s/^#PBS .*-o \(.*\)/\1/p' "$3" | tr '\n' ' ')
[[ $select == 2:ncpus=4:mpiprocs=4 ]] || exit 2
export PBS_NODEFILE=$PWD/nodes PBS_O_WORKDIR=$PWD
for node in node1 node2; do printf "$node\n%.0s" 1 2 3 4; done > nodes
cd / && bash "$PBS_O_WORKDIR/$3" > "$PBS_O_WORKDIR/$output" 2>&1
QSUB
  chmod +x "$sshd/qsub"
  the_same "the PBS job" "$(timeout 60 bash commands.sh 2>&1)" "$(block 3)"
  on_each_machine
}

plain_ssh() {
  machines_or_skip "the page's section Plain ssh"
  timeout 60 bash -c "$(block 1)" || { echo "FAILED: $(block 1)" && failed=1; }
  block 2 > hosts
  the_same "the job of a host file" "$(timeout 60 bash -c "$(block 3)" 2>&1)" "$(block 4)"
  on_each_machine
  the_same "the job without a file" "$(timeout 60 bash -c "$(block 5)" 2>&1)" "$(block 4)"
  sentence 'there is no such file' ./llclrun --hostfile=hosts ./nothing
  local of_shell='llclrun: not found'
  [[ $(getent passwd "$(id -un)") != *bash ]] || of_shell='llclrun: No such file or directory'
  sentence "$of_shell" ./llclrun --hostfile=hosts --remote-llclrun=/nowhere/llclrun ./readme
}

# One connection to each since the last one, which the test of the daemon has made.
on_each_machine() {
  local connections
  connections=$(grep -c 'Accepted publickey' "$sshd/log")
  ((connections >= 3)) || { echo "FAILED: $connections connections" && failed=1; }
}

# The containers' command and environment, one a line, `=` in each of the environment. Fails where the names of
# the manifest do not fit each other, as Kubernetes would find no pod by them.
container_of() {
  python3 - "$1" "$2" << 'PYTHON'
import sys, yaml
service, job = yaml.safe_load_all(open(sys.argv[1]))
commands = open(sys.argv[2]).read()
pod = job["spec"]["template"]["spec"]
(container,) = pod["containers"]
name = job["metadata"]["name"]
variables = {one["name"]: one for one in container["env"]}
assert service["spec"]["clusterIP"] == "None" and service["spec"]["selector"] == {"job-name": name}
assert pod["subdomain"] == service["metadata"]["name"]
assert job["spec"]["completionMode"] == "Indexed" and job["spec"]["parallelism"] == job["spec"]["completions"]
assert variables["LLCL_SIZE"]["value"] == str(job["spec"]["completions"])
assert variables["LLCL_RENDEZVOUS"]["value"].split(":")[0] == f"{name}-0.{pod['subdomain']}"
secret = variables.pop("LLCL_SECRET")["valueFrom"]["secretKeyRef"]
assert f"secret generic {secret['name']} --from-literal={secret['key']}=" in commands
assert f"job/{name}" in commands and f"--selector=job-name={name}" in commands
for variable in variables.values():
    assert isinstance(variable["value"], str), f"{variable} is no text"
    print(f"{variable['name']}={variable['value']}")
print(*container["command"], sep="\n")
PYTHON
}

kubernetes() {
  # shellcheck source=llcl/tests/two_hosts.sh
  source llcl/tests/two_hosts.sh
  # shellcheck source=llcl/tests/two_pods.sh
  source llcl/tests/two_pods.sh
  two_pods_or_skip "the page's section Kubernetes" "$TEST_TMPDIR" openssl openssl
  if ! python3 -c 'import yaml' 2> /dev/null; then
    echo "SKIPPED: the page's section Kubernetes: install the Debian package python3-yaml"
    exit 0
  fi
  cd "$TEST_TMPDIR"
  block 1 > job.yaml
  block 2 > commands.sh
  container_of job.yaml commands.sh > container
  mapfile -t container < container
  [[ ${container[-1]} == /readme ]] || { echo "FAILED: the container's command is ${container[-1]}" && exit 1; }
  container[-1]=$readme
  LLCL_SECRET=$(openssl rand -hex 16)
  export LLCL_SECRET
  # The image of pod 0 comes last, and its name is known when it runs.
  in_pod 1 timeout 60 env "${container[@]}" > pod1 2>&1 &
  sleep 2
  in_pod 0 timeout 60 env "${container[@]}" > pod0 2>&1 &
  sleep 1
  know_name 1 10.77.0.1 readme-0.readme
  wait
  the_same "the pods' logs" "$(cat pod0 pod1)" "$(block 3)"

  # Explained sentences, for which nobody waits ten minutes.
  export -f in_pod
  export one two pods
  local soon='LLCL_RENDEZVOUS_TIMEOUT=1'
  sentence 'its job is running or over and takes no rank any more' \
    bash -c 'in_pod "$@"' pod 1 env "${container[@]::${#container[@]}-1}" "$soon" "$readme"
  forget_names 1
  sentence 'cannot find readme-0.readme' \
    bash -c 'in_pod "$@"' pod 1 env "${container[@]::${#container[@]}-1}" "$soon" "$readme"
  expect 1 'not all ranks came to readme-0.readme:7777 within 1 s' \
    bash -c 'in_pod "$@"' pod 0 env "${container[@]::${#container[@]}-1}" "$soon" "$readme"
}

case $section in
  Slurm) slurm ;;
  PBS) in_own_mounts "$@" && pbs ;;
  'Plain ssh') in_own_mounts "$@" && plain_ssh ;;
  Kubernetes) kubernetes ;;
  *) echo "FAILED: there is no test of the section $section" && exit 1 ;;
esac
exit $failed
