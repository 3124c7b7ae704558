// How much CPU time the process's cgroup gives it.
//
// A container with `--cpus=2` on a machine of 64 sees all 64 PUs and may use
// two PUs' worth of time; a program that starts 64 threads there is throttled.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "topo/language.h"

namespace topo {

// The limit of one cgroup v2 `cpu.max` ("200000 100000", "max 100000") in
// CPUs; nullopt for no limit or text that is not of this form.
std::optional<double> ParseCpuMax(std::string_view text);

// The limit of cgroup v1's pair cpu.cfs_quota_us and cpu.cfs_period_us; a
// quota of -1 is no limit.
std::optional<double> ParseCfsQuota(std::string_view quota, std::string_view period);

// The path of this process in the given hierarchy, from /proc/self/cgroup's
// text: the line "0::/path" for v2 (controller ""), "4:cpu,cpuacct:/path" for
// v1's "cpu". nullopt where the controller is not listed.
std::optional<std::string_view> CgroupPath(std::string_view proc_self_cgroup,
                                           std::string_view controller);

// The tightest limit from this process's cgroup up to the root, of both
// versions. `root` is "/" except in tests.
std::optional<double> ReadCpuQuota(const std::filesystem::path& root = "/");

}  // namespace topo
