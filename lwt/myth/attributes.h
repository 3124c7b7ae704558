/* What workers and threads are made with. Results: 0, or an errno value. */
#ifndef LWT_MYTH_ATTRIBUTES_H_
#define LWT_MYTH_ATTRIBUTES_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct lwt_thread* myth_thread_t;

/* The workers' attributes. NULL in place of a pointer to one: those of the workers that the first
 * call starts which needs them. */
typedef struct myth_globalattr {
  size_t stacksize; /* 0: as myth.h says */
  size_t guardsize; /* kept and not used: guards are lwt's */
  int n_workers;    /* 0: as myth.h says */
  int bind_workers; /* 1: each to a processor of its own */
  int child_first;  /* of threads without attributes; 1 unless set */
  int initialized;  /* 1 */
} myth_globalattr_t;

int myth_globalattr_init(myth_globalattr_t* attr);
int myth_globalattr_destroy(myth_globalattr_t* attr);
int myth_globalattr_get_stacksize(myth_globalattr_t* attr, size_t* stacksize);
int myth_globalattr_set_stacksize(myth_globalattr_t* attr, size_t stacksize);
int myth_globalattr_get_guardsize(myth_globalattr_t* attr, size_t* guardsize);
int myth_globalattr_set_guardsize(myth_globalattr_t* attr, size_t guardsize);
int myth_globalattr_get_n_workers(myth_globalattr_t* attr, size_t* n_workers);
int myth_globalattr_set_n_workers(myth_globalattr_t* attr, size_t n_workers);
int myth_globalattr_get_bind_workers(myth_globalattr_t* attr, int* bind_workers);
int myth_globalattr_set_bind_workers(myth_globalattr_t* attr, int bind_workers);
int myth_globalattr_get_child_first(myth_globalattr_t* attr, int* child_first);
int myth_globalattr_set_child_first(myth_globalattr_t* attr, int child_first);

/* A thread's attributes. */
typedef struct myth_thread_attr {
  void* stackaddr;         /* NULL: stacks are lwt's, and a thread with another address is not made
                              (ENOTSUP) */
  size_t stacksize;        /* at least so many bytes; 0: the workers' */
  size_t guardsize;        /* kept and not used: guards are lwt's, of 64 KiB */
  int detachstate;         /* 1: it is not joined */
  int child_first;         /* 1: the child runs at once, the parent may be stolen (default) */
  size_t custom_data_size; /* the thread's hint is a copy of these bytes */
  void* custom_data;
} myth_thread_attr_t;

/* As pthreads name them. */
#define MYTH_CREATE_JOINABLE 0
#define MYTH_CREATE_DETACHED 1

int myth_thread_attr_init(myth_thread_attr_t* attr);
int myth_thread_attr_destroy(myth_thread_attr_t* attr);
int myth_thread_attr_getdetachstate(const myth_thread_attr_t* attr, int* detachstate);
int myth_thread_attr_setdetachstate(myth_thread_attr_t* attr, int detachstate);
int myth_thread_attr_getguardsize(const myth_thread_attr_t* attr, size_t* guardsize);
int myth_thread_attr_setguardsize(myth_thread_attr_t* attr, size_t guardsize);
/* The workers' size where none was set. */
int myth_thread_attr_getstacksize(const myth_thread_attr_t* attr, size_t* stacksize);
/* A thread that asks for more than the workers' threads have gets a stack of its own, which costs
 * it some system calls. EINVAL: 0, or more than 64 GiB. */
int myth_thread_attr_setstacksize(myth_thread_attr_t* attr, size_t stacksize);
int myth_thread_attr_getstack(const myth_thread_attr_t* attr, void** stackaddr, size_t* stacksize);
/* ENOTSUP: stacks are lwt's. */
int myth_thread_attr_setstack(myth_thread_attr_t* attr, void* stackaddr, size_t stacksize);
/* Of a thread that is made without attributes. */
int myth_getattr_default_np(myth_thread_attr_t* attr);
/* Of a thread that has not ended: where its stack begins, and its size. ESRCH for NULL, and for a
 * thread that has no stack any more. */
int myth_getattr_np(myth_thread_t thread, myth_thread_attr_t* attr);

#ifdef __cplusplus
}
#endif

#endif /* LWT_MYTH_ATTRIBUTES_H_ */
