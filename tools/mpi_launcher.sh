# Sourced by tests of programs that have MPI, after tools/expect.sh.

# mpi_launcher_or_skip MPI PROGRAM: `launcher` is what starts the ranks, in a scratch folder. Ends the test where there is no
# program, as that MPI is not installed, or no launcher.
mpi_launcher_or_skip() {
  local headers command package
  case $1 in
    mpich) headers=libmpich-dev command=mpiexec.hydra package=mpich ;;
    openmpi) headers=libopenmpi-dev command=mpirun.openmpi package=openmpi-bin ;;
  esac
  if [[ -z $2 ]]; then
    echo "SKIPPED: there is no MPI of that kind; install the Debian package $headers."
    exit 0
  fi
  if ! command -v $command > /dev/null; then
    echo "SKIPPED: there is no $command; install the Debian package $package."
    exit 0
  fi
  # Launchers keep sockets in files, whose paths must be short.
  scratch=$(mktemp -d /tmp/XXXXXX)
  trap 'rm -rf "$scratch"' EXIT
  export HOME=$scratch TMPDIR=$scratch OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  case $1 in
    mpich) launcher=(mpiexec.hydra -launcher fork) ;;
    openmpi) launcher=(mpirun.openmpi --oversubscribe --mca plm isolated) ;;
  esac
}

# all_right N ARGUMENT...: a program of N ranks, each of which prints `right`. Hydra kills ranks without a word in its own exit
# code, where one of them ends without one to it.
all_right() {
  local n=$1
  shift
  # shellcheck disable=SC2016  # The inner shell's.
  expect 0 "$n ranks are right." bash -c 'output=$("$@") || exit; echo "$output"; echo "$(grep -o right <<< "$output" | wc -l) ranks are right."' \
    count "${launcher[@]}" -n "$n" "$@"
}
