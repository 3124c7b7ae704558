#include "apps/predict/machine/fair_shares.h"

#include <algorithm>

namespace predict {

std::vector<double> FairShares(const std::vector<std::vector<Use>>& flows,
                               const std::vector<double>& capacities) {
  std::vector<double> shares(flows.size(), 0);
  std::vector<bool> rises(flows.size(), true);
  std::vector<double> left = capacities;
  double level = 0;
  while (level < 1) {
    std::vector<double> wanted(capacities.size(), 0);  // by those that still rise, at full speed
    for (std::size_t flow = 0; flow < flows.size(); ++flow) {
      if (!rises[flow]) continue;
      for (const Use& use : flows[flow]) wanted[use.resource] += use.amount;
    }
    double step = 1 - level;
    for (std::size_t resource = 0; resource < capacities.size(); ++resource) {
      if (wanted[resource] > 0) step = std::min(step, left[resource] / wanted[resource]);
    }
    level += step;
    constexpr double kRounding = 1e-12;  // of a capacity: it is used up
    std::vector<bool> used_up(capacities.size());
    for (std::size_t resource = 0; resource < capacities.size(); ++resource) {
      left[resource] = std::max(0.0, left[resource] - step * wanted[resource]);
      used_up[resource] = left[resource] <= kRounding * capacities[resource];
    }
    bool any = false;
    for (std::size_t flow = 0; flow < flows.size(); ++flow) {
      if (!rises[flow]) continue;
      shares[flow] = level;
      rises[flow] = std::none_of(flows[flow].begin(), flows[flow].end(), [&](const Use& use) {
        return use.amount > 0 && used_up[use.resource];
      });
      any = any || rises[flow];
    }
    if (!any) break;
  }
  return shares;
}

}  // namespace predict
