#include "apps/program/record.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <utility>

namespace program {
namespace {

std::string Counted(int count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string CompilerName() {
#if defined(__clang__)
  return "clang " + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__) + "." +
         std::to_string(__clang_patchlevel__);
#else
  return "gcc " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__) + "." +
         std::to_string(__GNUC_PATCHLEVEL__);
#endif
}

std::string Today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d", gmtime_r(&now, &parts));
  return text;
}

bool IsFlat(const Json& row) {
  if (!row.is_object()) return false;
  for (const auto& value : row) {
    if (value.is_object()) return false;
  }
  return true;
}

}  // namespace

std::string CpuName(std::string_view cpuinfo) {
  // x86 has "model name", POWER "cpu", Arm's newer kernels only numbers.
  for (const std::string_view key : {"model name", "cpu\t", "Processor"}) {
    std::size_t at = 0;
    while ((at = cpuinfo.find(key, at)) != std::string_view::npos) {
      const std::size_t end = std::min(cpuinfo.find('\n', at), cpuinfo.size());
      const std::string_view line = cpuinfo.substr(at, end - at);
      const std::size_t colon = line.find(": ");
      if ((at == 0 || cpuinfo[at - 1] == '\n') && colon != std::string_view::npos) {
        return std::string(line.substr(colon + 2));
      }
      at = end;
    }
  }
  return "unknown";
}

Machine DescribeMachine(const topo::Topology& topology, std::string_view commit) {
  std::stringstream cpuinfo;
  cpuinfo << std::ifstream("/proc/cpuinfo").rdbuf();
  Machine machine;
  machine.numa_nodes = static_cast<int>(topology.nodes().size());
  machine.pus = topology.allowed_pus();
  machine.topology = Counted(topology.packages(), "package") + ", " +
                     Counted(machine.numa_nodes, "NUMA node") + ", " +
                     Counted(topology.cores(), "core") + ", " +
                     Counted(static_cast<int>(topology.pus().size()), "PU");
  machine.cpu = CpuName(cpuinfo.str());
  machine.compiler = CompilerName();
  machine.commit = std::string(commit);
  return machine;
}

Record::Record(std::string app, std::string version, Machine machine)
    : app_(std::move(app)), version_(std::move(version)), machine_(std::move(machine)) {}

void Record::AddResult(Json row) {
  if (!IsFlat(row)) {
    std::fprintf(stderr, "%s:%d: a result must be a flat object: %s\n", __FILE__, __LINE__,
                 row.dump().c_str());
    std::abort();
  }
  results_.push_back(std::move(row));
}

std::string Record::ToText() const {
  Json object;
  object["app"] = app_;
  object["version"] = version_;
  object["machine"] = {{"topology", machine_.topology},     {"pus", machine_.pus},
                       {"numa_nodes", machine_.numa_nodes}, {"cpu", machine_.cpu},
                       {"compiler", machine_.compiler},     {"commit", machine_.commit}};
  object["parameters"] = parameters_;
  object["parameters"]["date"] = Today();
  object["results"] = results_;
  object["verified"] = is_verified_;
  // A file name may be any bytes; JSON is UTF-8.
  return object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace program
