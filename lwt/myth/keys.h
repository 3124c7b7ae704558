/* Values that each thread, or each worker, has by keys. Results: 0, or an errno value. */
#ifndef LWT_MYTH_KEYS_H_
#define LWT_MYTH_KEYS_H_

#ifdef __cplusplus
extern "C" {
#endif

/* A thread's. EAGAIN: there are 1024 keys. EINVAL: no such key. The destructor (or NULL) is called
 * at a thread's end with its value, if one was set, NULL too; again where destructors set values,
 * four times at the most; not for a key that was deleted. OS threads have values too, which nothing
 * destroys. setspecific by a lightweight thread of a C++ library: ENOTSUP. */
typedef int myth_key_t;
int myth_key_create(myth_key_t* key, void (*destr_function)(void*));
int myth_key_delete(myth_key_t key);
int myth_setspecific(myth_key_t key, const void* data);
void* myth_getspecific(myth_key_t key); /* NULL: unset, or no such key */

/* A worker's, or another OS thread's: the system's pthread keys. Between a get and a set a thread
 * may move to another worker where it waits. */
typedef unsigned int myth_wls_key_t;
int myth_wls_key_create(myth_wls_key_t* key, void (*destr_function)(void*));
int myth_wls_key_delete(myth_wls_key_t key);
int myth_wls_setspecific(myth_wls_key_t key, const void* data);
void* myth_wls_getspecific(myth_wls_key_t key);

#ifdef __cplusplus
}
#endif

#endif /* LWT_MYTH_KEYS_H_ */
