// topo's values as text for people and as JSON for programs.
#pragma once

#include <span>
#include <string>

#include "topo/mapping.h"
#include "topo/topology.h"
#include "topo/verify.h"

namespace topo::cli {

// An array of {"thread":0,"pu":0,"package":0,"numa_node":0,"core":0,"smt":0,
// "ordinal":0} in thread order.
std::string MappingAsJson(const Mapping& mapping);
std::string MappingAsTable(const Mapping& mapping);

// The paper's table 4, a column for each entry.
std::string UsageAsJson(std::span<const Usage> columns);
std::string UsageAsTable(std::span<const Usage> columns);

std::string TopologyAsJson(const Topology& topology);

std::string ReportAsJson(const VerifyReport& report);
std::string ReportAsTable(const VerifyReport& report);

}  // namespace topo::cli
