#include "lwt/c/key_values.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <new>
#include <utility>

#include "topo/mutex.h"

namespace lwt::c {
namespace {

struct Key {
  std::atomic<std::uint32_t> generation{0};  // odd: in use; never the same twice
  std::atomic<KeyDestructor> destructor{nullptr};
  std::atomic<NullValues> nulls{NullValues::kUnset};
};

topo::Mutex keys_mutex;  // held to make and delete
std::array<Key, kMostKeys> keys;

bool IsKey(int key) { return key >= 0 && key < kMostKeys; }
Key& KeyOf(int key) { return keys[static_cast<std::size_t>(key)]; }

// 0: not in use.
std::uint32_t GenerationOf(int key) {
  if (!IsKey(key)) return 0;
  const std::uint32_t generation = KeyOf(key).generation.load(std::memory_order_acquire);
  return generation % 2 == 1 ? generation : 0;
}

}  // namespace

int CreateKey(int& key, KeyDestructor destructor, NullValues nulls) {
  const topo::Lock lock(keys_mutex);
  for (int i = 0; i < kMostKeys; ++i) {
    Key& found = KeyOf(i);
    const std::uint32_t generation = found.generation.load(std::memory_order_relaxed);
    if (generation % 2 == 1) continue;
    found.destructor.store(destructor, std::memory_order_relaxed);
    found.nulls.store(nulls, std::memory_order_relaxed);
    found.generation.store(generation + 1, std::memory_order_release);
    key = i;
    return 0;
  }
  return EAGAIN;
}

int DeleteKey(int key) {
  const topo::Lock lock(keys_mutex);
  const std::uint32_t generation = GenerationOf(key);
  if (generation == 0) return EINVAL;
  KeyOf(key).generation.store(generation + 1, std::memory_order_release);
  return 0;
}

void* KeyValues::Get(int key) const {
  const std::uint32_t generation = GenerationOf(key);
  const auto i = static_cast<std::size_t>(key);
  if (generation == 0 || i >= values_.size()) return nullptr;
  return values_[i].generation == generation ? values_[i].value : nullptr;
}

int KeyValues::Set(int key, const void* value) {
  const std::uint32_t generation = GenerationOf(key);
  if (generation == 0) return EINVAL;
  const auto i = static_cast<std::size_t>(key);
  if (i >= values_.size()) {
    try {
      values_.resize(i + 1);
    } catch (const std::bad_alloc&) {
      return ENOMEM;
    }
  }
  values_[i] = {generation, const_cast<void*>(value)};
  return 0;
}

void KeyValues::DestroyValues() {
  constexpr int kRounds = 4;  // PTHREAD_DESTRUCTOR_ITERATIONS
  bool is_done = false;
  for (int round = 0; round < kRounds && !is_done; ++round) {
    is_done = true;
    for (std::size_t i = 0; i < values_.size(); ++i) {  // A destructor may add values.
      const auto [generation, value] = std::exchange(values_[i], {});
      if (generation == 0 || generation != GenerationOf(static_cast<int>(i))) continue;
      if (value == nullptr && keys[i].nulls.load(std::memory_order_relaxed) == NullValues::kUnset) {
        continue;
      }
      const KeyDestructor destructor = keys[i].destructor.load(std::memory_order_relaxed);
      if (destructor == nullptr) continue;
      is_done = false;
      destructor(value);
    }
  }
  values_.clear();
}

}  // namespace lwt::c
