#include "lwt/myth/keys.h"

#include <pthread.h>

#include <cerrno>

#include "lwt/c/body.h"
#include "lwt/c/key_values.h"

extern "C" {

int myth_key_create(myth_key_t* key, void (*destr_function)(void*)) {
  return lwt::c::CreateKey(*key, destr_function, lwt::c::NullValues::kDestroyed);
}
int myth_key_delete(myth_key_t key) { return lwt::c::DeleteKey(key); }
int myth_setspecific(myth_key_t key, const void* data) {
  lwt::c::KeyValues* const values = lwt::c::CurrentKeyValues();
  return values == nullptr ? ENOTSUP : values->Set(key, data);
}
void* myth_getspecific(myth_key_t key) {
  const lwt::c::KeyValues* const values = lwt::c::CurrentKeyValues();
  return values == nullptr ? nullptr : values->Get(key);
}

int myth_wls_key_create(myth_wls_key_t* key, void (*destr_function)(void*)) {
  return pthread_key_create(key, destr_function);
}
int myth_wls_key_delete(myth_wls_key_t key) { return pthread_key_delete(key); }
int myth_wls_setspecific(myth_wls_key_t key, const void* data) {
  return pthread_setspecific(key, data);
}
void* myth_wls_getspecific(myth_wls_key_t key) { return pthread_getspecific(key); }

}  // extern "C"
