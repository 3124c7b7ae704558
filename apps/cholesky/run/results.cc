#include "apps/cholesky/run/results.h"

#include "absl/strings/str_cat.h"
#include "apps/program/spread.h"
#include "apps/program/table.h"
#include "taskrt/trace/copy_report.h"
#include "taskrt/trace/timeline_svg.h"

namespace cholesky {

program::Json ToJson(const Resolved& resolved, const Row& row) {
  const Flags& flags = resolved.flags;
  program::Json json = {{"n", flags.n},
                        {"block", flags.block},
                        {"precision", flags.precision},
                        {"devices", flags.devices},
                        {"missing_devices", row.missing},
                        {"threads", resolved.setup.threads},
                        {"offload", flags.offload},
                        {"scheduler", flags.scheduler},
                        {"source", flags.source},
                        {"d2d", flags.d2d},
                        {"sim_free", flags.sim_free},
                        {"sim_copies", flags.sim_copies},
                        {"sim_queues", flags.sim_queues},
                        {"far_path", flags.far_path},
                        {"call_us", flags.call_us},
                        {"optimized", !flags.no_optimize},
                        {"tasks", row.tasks},
                        {"gemm_tasks", row.gemm_tasks},
                        {"copies_h2d", row.copies.h2d.copies},
                        {"copies_d2h", row.copies.d2h.copies},
                        {"copies_d2d", row.copies.d2d.copies},
                        {"copies_minimum", row.least.copies},
                        {"bytes_h2d", row.copies.h2d.bytes},
                        {"bytes_d2h", row.copies.d2h.bytes},
                        {"bytes_d2d", row.copies.d2d.bytes},
                        {"bytes_minimum", row.least.bytes}};
  if (resolved.setup.devices.is_virtual()) {
    json["simulated"] = true;
    json["virtual_seconds"] = row.seconds;
    json["assumed_device_gflop_per_s"] = flags.device_gflop_per_s;
    json["assumed_host_gflop_per_s"] = flags.host_gflop_per_s;
    json["assumed_link_gb_per_s"] = flags.link_gb_per_s;
    json["assumed_alloc_us"] = flags.alloc_us;
  } else {
    json["seconds"] = row.seconds;
  }
  json["gflop_per_s"] = row.gflop_per_s;
  json["repetitions"] = flags.repetitions;
  if (row.gflop_per_s_spread) {
    json["gflop_per_s_q1"] = row.gflop_per_s_spread->q1;
    json["gflop_per_s_q3"] = row.gflop_per_s_spread->q3;
    json["disturbed"] = program::IsDisturbed(*row.gflop_per_s_spread);
  }
  if (!flags.dry) json["residual"] = row.residual;
  return json;
}

std::string ToText(const Resolved& resolved, const Row& row, program::Color color) {
  const bool is_simulated = resolved.setup.devices.is_virtual();
  program::Table table({{"devices", program::Table::Align::kLeft},
                        {"threads"},
                        {"tasks"},
                        {"gemm"},
                        {"to device"},
                        {"to host"},
                        {"across"},
                        {"least"},
                        {is_simulated ? "virtual s" : "seconds"},
                        {"GFLOP/s"},
                        {"", program::Table::Align::kLeft},
                        {"quartiles"},
                        {"residual"}});
  const bool is_disturbed = row.gflop_per_s_spread && program::IsDisturbed(*row.gflop_per_s_spread);
  table.AddRow({resolved.flags.devices, std::to_string(resolved.setup.threads),
                std::to_string(row.tasks), std::to_string(row.gemm_tasks),
                std::to_string(row.copies.h2d.copies), std::to_string(row.copies.d2h.copies),
                std::to_string(row.copies.d2d.copies), std::to_string(row.least.copies),
                program::Fixed(row.seconds, 4), program::Fixed(row.gflop_per_s, 1),
                std::string(is_disturbed ? program::kDagger : ""),
                row.gflop_per_s_spread ? program::ToText(*row.gflop_per_s_spread, 1) : "",
                resolved.flags.dry ? "not computed" : absl::StrCat(row.residual)});
  return table.Render(color) + (is_disturbed ? std::string(program::kFootnote) + "\n" : "");
}

std::string CopiesToText(const Row& row, const std::optional<taskrt::CopyPlan>& plan) {
  taskrt::CopyReport report = {.copies = row.copies, .least = row.least, .planned = {}};
  if (plan) report.planned = plan->copies;
  return taskrt::ToText(report);
}

std::string TimelineOf(const Resolved& resolved, const Row& row) {
  const Flags& flags = resolved.flags;
  std::string title =
      absl::StrCat("Cholesky factorization, n = ", flags.n, " in blocks of ", flags.block, ", ",
                   flags.devices, ", ", resolved.setup.threads, " threads");
  if (flags.no_optimize) title += ", copies not optimized";
  if (flags.sim_free != "none") absl::StrAppend(&title, ", free: ", flags.sim_free);
  const bool is_simulated = resolved.setup.devices.is_virtual();
  // As wide as the report's page, where it is then shown at its own size.
  return taskrt::ToSvg(
      row.trace,
      {.title = title, .time = is_simulated ? "virtual time (simulated)" : "time", .width = 940});
}

}  // namespace cholesky
