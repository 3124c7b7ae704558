#include "llcl/launch/launcher.h"

#include <charconv>
#include <string_view>

namespace llcl {
namespace {

constexpr const char* kBySlurm = "srun --mpi=pmi2 or srun --mpi=pmix";
constexpr const char* kByOthers = "llclrun, MPICH's mpiexec or Open MPI's mpirun";

// A variable above `most_of_one` shows one of several processes.
struct Sign {
  const char* variable;
  int most_of_one;
  const char* remedy;
};
constexpr Sign kSigns[] = {
    {"OMPI_COMM_WORLD_SIZE", 1, kByOthers},  // Open MPI
    {"PMI_SIZE", 1, kByOthers},              // MPICH and its kin
    {"MPI_LOCALNRANKS", 1, kByOthers},       // MPICH's Hydra
    {"MV2_COMM_WORLD_SIZE", 1, kByOthers},   // MVAPICH2
    {"PALS_SIZE", 1, kByOthers},             // HPE's PALS
    {"PALS_RANKID", 0, kByOthers},           // of versions that do not say how many there are
    {"FLUX_JOB_SIZE", 1, "flux run -o pmi=simple"},
    {"JSM_NAMESPACE_SIZE", 1, kByOthers},  // IBM's jsrun
    {"LLCL_SIZE", 1, "llclrun, or set LLCL_RENDEZVOUS and LLCL_SECRET"},
};

int NumberOf(const char* text) {
  const std::string_view digits(text == nullptr ? "" : text);
  int number = 0;
  const auto [end, error] = std::from_chars(digits.begin(), digits.end(), number);
  return error == std::errc() && end == digits.end() ? number : 0;
}

LauncherFound Refuse(const Sign& sign, const char* value) {
  return {Launcher::kUnknown,
          std::string(sign.variable) + " is " + value +
              ", so this process is one of several, but neither PMI_FD nor PMIX_RANK says how they "
              "find each other: start the job by " +
              sign.remedy + ", or set LLCL_LAUNCH=none to make each process a job of its own"};
}

}  // namespace

LauncherFound FindLauncher(const std::function<const char*(const char*)>& environment) {
  const auto is_set = [&](const char* variable) { return environment(variable) != nullptr; };
  const std::string_view chosen = is_set("LLCL_LAUNCH") ? environment("LLCL_LAUNCH") : "";
  if (chosen == "none") return {Launcher::kNone};
  if (!chosen.empty()) {
    return {Launcher::kUnknown, "LLCL_LAUNCH is " + std::string(chosen) +
                                    ", but there is only none: each process is a job of its own"};
  }
  if (is_set("LLCL_RENDEZVOUS")) return {Launcher::kRendezvous};
  if (is_set("PMI_FD")) return {Launcher::kPmi};
  if (is_set("PMIX_NAMESPACE") || is_set("PMIX_RANK")) return {Launcher::kPmix};
  // Slurm's tasks are the processes of a step. SLURM_NTASKS counts the tasks of the whole
  // allocation: the shell of salloc has the variable, and so has the script of a batch job, with
  // SLURM_PROCID=0. A program started there directly is alone. A step has a number and says how
  // many tasks are in it; a shell in an interactive step is one of one.
  constexpr Sign kSlurm = {"SLURM_STEP_NUM_TASKS", 1, kBySlurm};
  if (is_set("SLURM_STEP_ID") && NumberOf(environment(kSlurm.variable)) > kSlurm.most_of_one) {
    return Refuse(kSlurm, environment(kSlurm.variable));
  }
  for (const Sign& sign : kSigns) {
    const char* const value = environment(sign.variable);
    if (NumberOf(value) > sign.most_of_one) return Refuse(sign, value);
  }
  return {Launcher::kNone};
}

}  // namespace llcl
