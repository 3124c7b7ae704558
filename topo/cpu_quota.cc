#include "topo/cpu_quota.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <string>

namespace topo {
namespace {

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  return text;
}

std::optional<double> Number(std::string_view text) {
  text = Trim(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> Ratio(std::optional<double> quota, std::optional<double> period) {
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return *quota / *period;
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::optional<double> Tighter(std::optional<double> a, std::optional<double> b) {
  if (!a) return b;
  if (!b) return a;
  return std::min(*a, *b);
}

// Applies `limit` to each folder from root/mount/path up to root/mount.
template <typename Limit>
std::optional<double> TightestUpwards(const std::filesystem::path& mount, std::string_view path,
                                      Limit limit) {
  std::optional<double> tightest;
  std::filesystem::path relative = std::filesystem::path(path).relative_path();
  while (true) {
    tightest = Tighter(tightest, limit(mount / relative));
    if (relative.empty()) return tightest;
    relative = relative.parent_path();
  }
}

}  // namespace

std::optional<double> ParseCpuMax(std::string_view text) {
  text = Trim(text);
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos) return std::nullopt;
  return Ratio(Number(text.substr(0, space)), Number(text.substr(space + 1)));
}

std::optional<double> ParseCfsQuota(std::string_view quota, std::string_view period) {
  return Ratio(Number(quota), Number(period));
}

std::optional<std::string_view> CgroupPath(std::string_view proc_self_cgroup,
                                           std::string_view controller) {
  while (!proc_self_cgroup.empty()) {
    const std::string_view line = proc_self_cgroup.substr(0, proc_self_cgroup.find('\n'));
    proc_self_cgroup.remove_prefix(std::min(line.size() + 1, proc_self_cgroup.size()));
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    std::string_view controllers = line.substr(first + 1, second - first - 1);
    if (controllers.empty() && controller.empty()) return line.substr(second + 1);
    while (!controllers.empty()) {
      const std::string_view one = controllers.substr(0, controllers.find(','));
      if (one == controller) return line.substr(second + 1);
      controllers.remove_prefix(std::min(one.size() + 1, controllers.size()));
    }
  }
  return std::nullopt;
}

std::optional<double> ReadCpuQuota(const std::filesystem::path& root) {
  const std::string cgroup = ReadFile(root / "proc/self/cgroup");
  std::optional<double> quota;
  if (const auto path = CgroupPath(cgroup, "")) {
    quota = TightestUpwards(root / "sys/fs/cgroup", *path, [](const std::filesystem::path& group) {
      return ParseCpuMax(ReadFile(group / "cpu.max"));
    });
  }
  if (const auto path = CgroupPath(cgroup, "cpu")) {
    const auto limit = [](const std::filesystem::path& group) {
      return ParseCfsQuota(ReadFile(group / "cpu.cfs_quota_us"),
                           ReadFile(group / "cpu.cfs_period_us"));
    };
    quota = Tighter(quota, TightestUpwards(root / "sys/fs/cgroup/cpu", *path, limit));
  }
  return quota;
}

}  // namespace topo
