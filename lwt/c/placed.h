// lwt's objects in the structs of C programs.
//
// Threads: as the objects.
#pragma once

#include <new>

namespace lwt::c {

// The object in a struct. It was made there by Make, or the struct is all zeros, which is what a
// new object of those is that C programs initialize statically.
template <typename T, typename Struct>
T& In(Struct* holder) {
  static_assert(sizeof(T) <= sizeof(Struct) && alignof(T) <= alignof(Struct));
  return *std::launder(reinterpret_cast<T*>(holder));
}
template <typename T, typename Struct, typename... Args>
int Make(Struct* holder, Args... args) {
  static_assert(sizeof(T) <= sizeof(Struct) && alignof(T) <= alignof(Struct));
  new (static_cast<void*>(holder)) T(args...);
  return 0;
}
template <typename T, typename Struct>
int Destroy(Struct* holder) {
  In<T>(holder).~T();
  return 0;
}

}  // namespace lwt::c
