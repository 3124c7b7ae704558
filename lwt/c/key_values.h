// Values that each thread has by keys: pthread_setspecific and myth_setspecific.
//
// Threads: keys are made and deleted by any; a thread's values belong to it.
// Order: a key is made before it is given to another thread.
#pragma once

#include <cstdint>
#include <vector>

namespace lwt::c {

inline constexpr int kMostKeys = 1024;
using KeyDestructor = void (*)(void*);

// Whether a destructor is called with a null that was set: pthreads' keys do not, and
// MassiveThreads' do.
enum class NullValues { kUnset, kDestroyed };

// 0; EAGAIN: there are kMostKeys.
int CreateKey(int& key, KeyDestructor destructor, NullValues nulls);
// 0; EINVAL: there is no such key. No destructor is called.
int DeleteKey(int key);

// A value. One thread's; those of keys that were deleted count as unset.
class KeyValues {
 public:
  // Null: unset, or null was set.
  void* Get(int key) const;
  // 0; EINVAL: there is no such key; ENOMEM.
  int Set(int key, const void* value);
  // Calls the keys' destructors with the values that are set, again while these set others, four
  // times at the most. The values are unset then.
  void Destroy() {
    if (!values_.empty()) DestroyValues();
  }

 private:
  void DestroyValues();

  struct Value {
    std::uint32_t generation = 0;  // of the key for which it was set; 0: of none
    void* value = nullptr;
  };
  std::vector<Value> values_;  // by key
};

}  // namespace lwt::c
