// How long something takes.
#pragma once

#include <chrono>

namespace stencil {

// Adds the time of its life.
class Clocked {
 public:
  explicit Clocked(double& seconds) : seconds_(seconds) {}
  ~Clocked() {
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  Clocked(const Clocked&) = delete;
  Clocked& operator=(const Clocked&) = delete;

 private:
  double& seconds_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace stencil
