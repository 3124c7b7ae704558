#include "taskrt/ompc/omp_library.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <thread>

#include "lwt/thread.h"
#include "taskrt/ompc/begun.h"
#include "taskrt/ompc/omp_calls.h"
#include "taskrt/ompc/omp_task.h"

namespace {

std::atomic_ref<int> StateOf(omp_lock_t* lock) { return std::atomic_ref<int>(lock->ompc_is_set); }

}  // namespace

int omp_get_thread_num(void) {
  return taskrt::CurrentTask() == nullptr ? 0 : lwt::WorkerIndex() + 1;
}
int omp_get_num_threads(void) {
  return taskrt::CurrentTask() == nullptr ? 1 : omp_get_max_threads();
}
int omp_in_parallel(void) { return 0; }
void omp_set_num_threads(int) {}
int omp_get_level(void) { return 0; }
void omp_set_dynamic(int) {}
int omp_get_dynamic(void) { return 0; }
void omp_set_nested(int) {}
int omp_get_nested(void) { return 0; }

int omp_get_max_threads(void) {
  const taskrt::PointerRuntime* const runtime = taskrt::BegunRuntime();
  return 1 + (runtime == nullptr ? omp_get_num_procs() : runtime->workers());
}
int omp_get_num_procs(void) {
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

int omp_in_final(void) { return ompc_in_final(); }
int omp_get_max_task_priority(void) { return std::numeric_limits<int>::max(); }

double omp_get_wtime(void) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
double omp_get_wtick(void) { return 1e-9; }

int omp_get_num_devices(void) {
  const taskrt::PointerRuntime* const runtime = taskrt::BegunRuntime();
  return runtime == nullptr ? 0 : runtime->device_count();
}
int omp_get_initial_device(void) { return omp_get_num_devices(); }
int omp_get_default_device(void) { return 0; }
void omp_set_default_device(int) {}
int omp_is_initial_device(void) { return 1; }

void omp_init_lock(omp_lock_t* lock) { StateOf(lock).store(0); }
void omp_destroy_lock(omp_lock_t*) {}
int omp_test_lock(omp_lock_t* lock) {
  return StateOf(lock).exchange(1, std::memory_order_acquire) == 0 ? 1 : 0;
}
void omp_set_lock(omp_lock_t* lock) {
  const taskrt::KeepsTask keeps;
  while (omp_test_lock(lock) == 0) {
    if (!lwt::IsLightweightThread() || !lwt::Yield()) std::this_thread::yield();
  }
}
void omp_unset_lock(omp_lock_t* lock) { StateOf(lock).store(0, std::memory_order_release); }
