#include "llcl/start/allocation.h"

#include <gtest/gtest.h>

#include <map>

namespace llcl {
namespace {

using Variables = std::map<std::string, std::string>;

absl::StatusOr<std::optional<Allocation>> Find(const Variables& variables,
                                               const Variables& files = {}) {
  return FindAllocation(
      [&](const char* name) -> const char* {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      [&](const std::string& path) -> absl::StatusOr<std::string> {
        const auto found = files.find(path);
        if (found == files.end()) return absl::NotFoundError(path + ": cannot be read");
        return found->second;
      });
}

std::vector<HostSlots> HostsOf(const Variables& variables, const Variables& files = {}) {
  const auto found = Find(variables, files);
  EXPECT_TRUE(found.ok()) << found.status();
  EXPECT_TRUE(found.ok() && found->has_value());
  return found.ok() && found->has_value() ? (*found)->hosts : std::vector<HostSlots>();
}

std::string ErrorOf(const Variables& variables, const Variables& files = {}) {
  return std::string(Find(variables, files).status().message());
}

// The examples of Slurm's manual (scontrol, hostlist expressions).
TEST(NodeList, IsExpandedAsScontrolDoes) {
  const std::vector<std::pair<const char*, std::vector<std::string>>> rows = {
      {"node1", {"node1"}},
      {"a,b", {"a", "b"}},
      {"node[1-3]", {"node1", "node2", "node3"}},
      {"node[01-03,7],gpu1", {"node01", "node02", "node03", "node7", "gpu1"}},
      {"lx[098-101]", {"lx098", "lx099", "lx100", "lx101"}},
      {"rack[0-1]node[1,3]", {"rack0node1", "rack0node3", "rack1node1", "rack1node3"}},
      {"n[2].cluster", {"n2.cluster"}},
  };
  for (const auto& [list, hosts] : rows) {
    const auto expanded = ExpandNodeList(list);
    ASSERT_TRUE(expanded.ok()) << expanded.status();
    EXPECT_EQ(*expanded, hosts) << list;
  }
}

TEST(NodeList, OfAnotherFormIsRefused) {
  for (const char* const wrong : {"", ",", "a,", "n[", "n[1", "n]", "n[3-1]", "n[a]",
                                  "n[1-99999999]", "-o", "n[]", "n[1-]", "a[0-99]b[0-99]c[0-99]"}) {
    EXPECT_FALSE(ExpandNodeList(wrong).ok()) << wrong;
  }
}

TEST(Counts, AreRepeated) {
  EXPECT_EQ(*ExpandCounts("2(x3),1"), (std::vector<int>{2, 2, 2, 1}));
  EXPECT_EQ(*ExpandCounts("4"), (std::vector<int>{4}));
  for (const char* const wrong : {"", "0", "2(x", "2(x3", "2(3)", "x", "1,,2", "2(x99999)"}) {
    EXPECT_FALSE(ExpandCounts(wrong).ok()) << wrong;
  }
}

TEST(Allocation, OfNoBatchSystemIsNone) {
  const auto found = Find({{"HOME", "/root"}});
  ASSERT_TRUE(found.ok());
  EXPECT_FALSE(found->has_value());
}

TEST(Allocation, OfSlurm) {
  EXPECT_EQ(HostsOf({{"SLURM_JOB_NODELIST", "n[1-3]"}, {"SLURM_TASKS_PER_NODE", "4(x2),1"}}),
            (std::vector<HostSlots>{{"n1", 4}, {"n2", 4}, {"n3", 1}}));
  EXPECT_EQ(HostsOf({{"SLURM_JOB_NODELIST", "n[1-2]"}}),
            (std::vector<HostSlots>{{"n1", 1}, {"n2", 1}}));
  EXPECT_TRUE((*Find({{"SLURM_JOB_NODELIST", "n1"}}))->is_slurms);
  EXPECT_EQ(ErrorOf({{"SLURM_JOB_NODELIST", "n["}}),
            "SLURM_JOB_NODELIST: 'n[' is no list of hosts");
  EXPECT_EQ(ErrorOf({{"SLURM_JOB_NODELIST", "n[1-2]"}, {"SLURM_TASKS_PER_NODE", "4"}}),
            "SLURM_JOB_NODELIST: SLURM_TASKS_PER_NODE is '4', but 2 hosts are allocated");
}

TEST(Allocation, OfPbsHasALineForEachSlot) {
  EXPECT_EQ(HostsOf({{"PBS_NODEFILE", "/nodes"}}, {{"/nodes", "n1\nn1\nn2\nn1\n"}}),
            (std::vector<HostSlots>{{"n1", 3}, {"n2", 1}}));
  EXPECT_EQ(ErrorOf({{"PBS_NODEFILE", "/nodes"}}), "PBS_NODEFILE: /nodes: cannot be read");
  EXPECT_EQ(ErrorOf({{"PBS_NODEFILE", "/nodes"}}, {{"/nodes", "\n"}}),
            "PBS_NODEFILE: there is no host in it");
}

TEST(Allocation, OfLsf) {
  EXPECT_EQ(HostsOf({{"LSB_MCPU_HOSTS", "n1 4 n2 2 "}}),
            (std::vector<HostSlots>{{"n1", 4}, {"n2", 2}}));
  EXPECT_EQ(HostsOf({{"LSB_DJOB_HOSTFILE", "/slots"}, {"LSB_MCPU_HOSTS", "n3 1"}},
                    {{"/slots", "n1\nn2\nn2\n"}}),
            (std::vector<HostSlots>{{"n1", 1}, {"n2", 2}}));
  EXPECT_EQ(ErrorOf({{"LSB_MCPU_HOSTS", "n1 4 n2"}}),
            "LSB_MCPU_HOSTS: 'n1 4 n2' is no list of hosts and slots");
}

TEST(Allocation, OfGridEngine) {
  EXPECT_EQ(HostsOf({{"PE_HOSTFILE", "/pe"}},
                    {{"/pe", "n1.cluster 4 all.q@n1.cluster UNDEFINED\nn2 2 all.q@n2 <NULL>\n"}}),
            (std::vector<HostSlots>{{"n1.cluster", 4}, {"n2", 2}}));
}

}  // namespace
}  // namespace llcl
