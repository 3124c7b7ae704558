// The one JSON object that a program writes for --json.
//
//   {"app":…,"version":…,"machine":{…},"parameters":{…},"results":[{…},…],"verified":true}
//
// Each result is a flat object: numbers, words, and here and there a list of
// numbers, but no object within. Keys carry units. A program whose answer is wrong ends with an
// error and writes nothing; verified is false where it could not show that it is right.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "topo/topology.h"

namespace program {

// Keys stay in the order in which they were put.
using Json = nlohmann::ordered_json;

// A value: the machine that the figures were measured on.
struct Machine {
  std::string topology;  // as "1 package, 1 NUMA node, 2 cores, 2 PUs"
  int pus = 0;           // allowed ones
  int numa_nodes = 0;
  std::string cpu;       // the processor's own name for itself
  std::string compiler;  // as "gcc 12.2.0"
  std::string commit;
};

// Reads the processor's name from /proc/cpuinfo.
Machine DescribeMachine(const topo::Topology& topology, std::string_view commit);

// The name in the text of a /proc/cpuinfo; "unknown" where it has none.
std::string CpuName(std::string_view cpuinfo);

// A value.
class Record {
 public:
  Record(std::string app, std::string version, Machine machine);

  // parameters["policy"] = "compact". ToText adds "date", of today (UTC).
  Json& parameters() { return parameters_; }

  // A row; aborts where it is not a flat object, which is a bug of the program.
  void AddResult(Json row);

  const Json& results() const { return results_; }

  // Some result's answer was not verified.
  void SetUnverified() { is_verified_ = false; }

  // Two spaces a level, a newline at the end.
  std::string ToText() const;

 private:
  std::string app_;
  std::string version_;
  Machine machine_;
  Json parameters_ = Json::object();
  Json results_ = Json::array();
  bool is_verified_ = true;
};

}  // namespace program
