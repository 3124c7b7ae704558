#include "llcl/launch/launcher.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace llcl {
namespace {

using Environment = std::map<std::string, std::string>;

LauncherFound FindIn(const Environment& environment) {
  return FindLauncher([&](const char* variable) {
    const auto found = environment.find(variable);
    return found == environment.end() ? nullptr : found->second.c_str();
  });
}

// The variables of Slurm 22.05.
const Environment kSalloc = {{"SLURM_JOB_ID", "1"}, {"SLURM_NPROCS", "4"}, {"SLURM_NTASKS", "4"}};
const Environment kBatch = {{"SLURM_JOB_ID", "1"}, {"SLURM_LOCALID", "0"},    {"SLURM_NPROCS", "4"},
                            {"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"},     {"SLURM_NODEID", "0"},
                            {"SLURM_GTIDS", "0"},  {"SLURM_TASK_PID", "4321"}};
Environment Step(int tasks, Environment more = {}) {
  more.insert({{"SLURM_JOB_ID", "1"},
               {"SLURM_LOCALID", "0"},
               {"SLURM_NTASKS", std::to_string(tasks)},
               {"SLURM_PROCID", "0"},
               {"SLURM_STEP_ID", "0"},
               {"SLURM_STEP_NUM_TASKS", std::to_string(tasks)}});
  return more;
}

TEST(Launcher, IsTheFirstThatCanBeAsked) {
  const struct {
    Environment environment;
    Launcher launcher;
  } table[] = {
      {{}, Launcher::kNone},
      {{{"PMI_FD", "7"}, {"PMI_SIZE", "2"}}, Launcher::kPmi},
      {{{"PMIX_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "2"}}, Launcher::kPmix},
      {{{"PMIX_NAMESPACE", "job"}}, Launcher::kPmix},
      {{{"PMI_FD", "7"}, {"PMIX_RANK", "0"}}, Launcher::kPmi},
      {{{"LLCL_RENDEZVOUS", "h:1"}, {"PMI_FD", "7"}}, Launcher::kRendezvous},
      {Step(4, {{"PMI_FD", "7"}}), Launcher::kPmi},
      {Step(4, {{"PMIX_RANK", "0"}}), Launcher::kPmix},
      {Step(4, {{"LLCL_RENDEZVOUS", "h:1"}}), Launcher::kRendezvous},
  };
  for (const auto& row : table) {
    const LauncherFound found = FindIn(row.environment);
    EXPECT_EQ(found.launcher, row.launcher) << &row - table << ": " << found.refusal;
    EXPECT_EQ(found.refusal, "");
  }
}

TEST(Launcher, AProcessThatIsAloneIsAJobOfOneRank) {
  const std::vector<Environment> table = {
      kSalloc,
      kBatch,
      Step(1),
      // A shell in an allocation of four tasks.
      {{"SLURM_NTASKS", "4"}, {"SLURM_STEP_ID", "4294967290"}, {"SLURM_STEP_NUM_TASKS", "1"}},
      {{"OMPI_COMM_WORLD_SIZE", "1"}},
      {{"PMI_SIZE", "1"}, {"PMI_RANK", "0"}},
      {{"MPI_LOCALNRANKS", "1"}},
      {{"PALS_RANKID", "0"}},
      {{"FLUX_JOB_SIZE", "1"}},
      {{"PMI_SIZE", "many"}},
      {{"PMI_SIZE", ""}},
  };
  for (std::size_t i = 0; i < table.size(); ++i) {
    EXPECT_EQ(FindIn(table[i]).launcher, Launcher::kNone) << i;
  }
}

TEST(Launcher, OneOfSeveralProcessesThatCannotFindTheOthersIsRefused) {
  const struct {
    Environment environment;
    const char* begin;
    const char* remedy;
  } table[] = {
      {Step(4), "SLURM_STEP_NUM_TASKS is 4, ", "srun --mpi=pmi2"},
      {{{"OMPI_COMM_WORLD_SIZE", "2"}}, "OMPI_COMM_WORLD_SIZE is 2, ", "mpirun"},
      {{{"PMI_SIZE", "3"}, {"PMI_RANK", "0"}}, "PMI_SIZE is 3, ", "llclrun"},
      {{{"MPI_LOCALNRANKS", "2"}}, "MPI_LOCALNRANKS is 2, ", "mpiexec"},
      {{{"MV2_COMM_WORLD_SIZE", "2"}}, "MV2_COMM_WORLD_SIZE is 2, ", "mpiexec"},
      {{{"PALS_SIZE", "2"}}, "PALS_SIZE is 2, ", "mpiexec"},
      {{{"PALS_RANKID", "1"}}, "PALS_RANKID is 1, ", "mpiexec"},
      {{{"FLUX_JOB_SIZE", "2"}}, "FLUX_JOB_SIZE is 2, ", "flux run"},
      {{{"JSM_NAMESPACE_SIZE", "2"}}, "JSM_NAMESPACE_SIZE is 2, ", "llclrun"},
  };
  for (const auto& row : table) {
    const LauncherFound found = FindIn(row.environment);
    EXPECT_EQ(found.launcher, Launcher::kUnknown) << row.begin;
    EXPECT_EQ(found.refusal.rfind(row.begin, 0), 0u) << found.refusal;
    EXPECT_NE(found.refusal.find(row.remedy), std::string::npos) << found.refusal;
    EXPECT_NE(found.refusal.find("LLCL_LAUNCH=none"), std::string::npos) << found.refusal;
    // A user who wants so many jobs of one rank each says so.
    Environment alone = row.environment;
    alone["LLCL_LAUNCH"] = "none";
    EXPECT_EQ(FindIn(alone).launcher, Launcher::kNone) << row.begin;
  }
}

TEST(Launcher, IsNotToBeChosenOtherwise) {
  EXPECT_EQ(FindIn({{"LLCL_LAUNCH", ""}}).launcher, Launcher::kNone);
  EXPECT_EQ(FindIn({{"LLCL_LAUNCH", "none"}, {"PMI_FD", "7"}}).launcher, Launcher::kNone);
  const LauncherFound found = FindIn({{"LLCL_LAUNCH", "pmi"}});
  EXPECT_EQ(found.launcher, Launcher::kUnknown);
  EXPECT_NE(found.refusal.find("LLCL_LAUNCH is pmi"), std::string::npos) << found.refusal;
}

}  // namespace
}  // namespace llcl
