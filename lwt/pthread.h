/* Pthread programs on lightweight threads, unchanged: section 2.2 of the paper.
 *
 *   gcc -include lwt/pthread.h -fexceptions program.c ...     (pthread_program of pthread.bzl does)
 *
 * This header is the first that the compiler reads, before the program. It renames the symbols of
 * functions, and makes errno that of the lightweight thread: pthread_create of the program's
 * objects is lwt_pthread_create. Types, sizes and static initializers are the system's, and so is
 * what other libraries in the program do with threads of theirs. Objects that are compiled already:
 * objcopy --redefine-sym, but for errno, whose address they keep.
 *
 * Covered: all of pthread.h and semaphore.h, of signal.h what threads need (masks, signals to
 * threads, waits for signals), sleep and sched_yield, blocking I/O on descriptors, and the start of
 * processes. pthread/functions.md has each function with its difference or its error. C11's
 * threads.h is not covered: an undefined symbol names the function when the program is linked.
 *
 * Refused by an error: priorities that lwt's threads cannot have, processors of a thread,
 * robust mutexes and those with a priority ceiling, and objects that processes share. A program
 * that is one process may be built with -DLWT_PROCESS_SHARED_IS_PRIVATE: its process-shared objects
 * are ordinary ones then. A program that shares them with another process would wait for ever.
 *
 * What is different:
 *  - A thread that computes is not interrupted. One that waits for a variable in a loop without a
 * call of a function above keeps its worker; main is no worker, and may.
 *  - The environment's MYTH_DEF_STKSIZE is the size of stacks; else they have that of the system's
 *    threads (`ulimit -s`, most often 8 MiB). MYTH_NUM_WORKERS is the number of workers.
 *  - The program's own __thread variables (_Thread_local, thread_local) belong to the worker: after
 *    a call that waits they may be another's, and nothing tells. pthread_setspecific's values are
 *    the thread's.
 *  - errno is the thread's, and libraries' too where the program reads it as <errno.h>'s macro. In
 *    C that gcc compiles for x86-64, &errno and typeof(errno) are errors (another address space):
 * by -DLWT_PTHREAD_ERRNO_HAS_ADDRESS they are not, but `errno = f();` is then not to be used where
 * f waits, as gcc asks for errno's place first. It does in C that is not gnu's (-std=c11), on other
 *    processors and with sanitizers, too.
 *  - Calls that block and are not covered hold up the worker.
 *  - A handler of a signal to a thread runs on an OS thread beside it, also while the thread
 *    computes; pthread_self() in it is the thread. Workers block most signals (functions.md).
 *  - A thread that only computes is not cancelled, whatever its cancellation type.
 *  - What POSIX leaves undefined ends the program with a sentence where it is found: a thread that
 * is joined by two at once, a normal mutex locked twice by a thread, a free one unlocked, mutexes
 *    awaited in a cycle. A second join or detach is ESRCH, unless a new thread has the same id.
 *
 * C++: what libstdc++ has compiled calls the system's threads, and what its headers inline would
 * call lwt's. A program that uses pthread functions and nothing of <thread>, <mutex>,
 * <condition_variable> and <future> says so by -DLWT_PTHREAD_IN_CXX.
 *
 * Nothing of it needs the program's main to do anything. main waits alone, and as it returns the
 * program ends with all threads.
 */
#ifndef LWT_PTHREAD_H_
#define LWT_PTHREAD_H_

/* As <errno.h>: its macro gives no warnings by -pedantic. */
#pragma GCC system_header

#if defined(__cplusplus) && !defined(LWT_PTHREAD_IN_CXX)
#error \
    "lwt/pthread.h is for C: define LWT_PTHREAD_IN_CXX where the program uses nothing of <thread>"
#endif
#ifdef _PTHREAD_H
#error "lwt/pthread.h comes before all other headers: give it to the compiler by -include"
#endif

/* <errno.h> declares the function of its macro errno as one that always returns the same address,
 * so a compiler may keep it, and after a suspension it is that of the OS thread before. The
 * program includes <errno.h> after this header, so that its feature-test macros count: in it
 * `__errno_location (void)` becomes the declaration of a function that nobody calls, and in the
 * program `__errno_location ()`, of the macro, the place of errno now. */
#pragma redefine_extname __errno_location lwt_pthread_errno
#ifdef __cplusplus
extern "C" {
#endif
extern int* __errno_location(void) __attribute__((nothrow));
#ifdef __cplusplus
}
#endif
#define __errno_location(arguments) lwt_pthread_errno_##arguments
#define lwt_pthread_errno_void lwt_pthread_errno_of_header(void)
/* gcc asks for the place of the left side of `errno = f();` before it calls f, which may wait. So
 * the place is one that is the same on all OS threads: the distance from their pointers. Sanitizers
 * take that for an address. */
#if defined(__SEG_FS) && !defined(__clang__) && !defined(__cplusplus) && \
    !defined(__STRICT_ANSI__) && !defined(__SANITIZE_ADDRESS__) &&       \
    !defined(__SANITIZE_THREAD__) && !defined(LWT_PTHREAD_ERRNO_HAS_ADDRESS)
extern long lwt_pthread_errno_offset(void) __attribute__((nothrow, const));
#define lwt_pthread_errno_ ((int __seg_fs*)lwt_pthread_errno_offset())
#else
#define lwt_pthread_errno_ (__errno_location)()
#endif

/* The checked variants of read, poll, recv and others would call the system's. */
#undef _FORTIFY_SOURCE

#pragma redefine_extname pthread_create lwt_pthread_create
#pragma redefine_extname pthread_exit lwt_pthread_exit
#pragma redefine_extname pthread_join lwt_pthread_join
#pragma redefine_extname pthread_tryjoin_np lwt_pthread_tryjoin_np
#pragma redefine_extname pthread_timedjoin_np lwt_pthread_timedjoin_np
#pragma redefine_extname pthread_clockjoin_np lwt_pthread_clockjoin_np
#pragma redefine_extname pthread_detach lwt_pthread_detach
#pragma redefine_extname pthread_self lwt_pthread_self
#pragma redefine_extname pthread_equal lwt_pthread_equal
#pragma redefine_extname pthread_cancel lwt_pthread_cancel
#pragma redefine_extname pthread_setcancelstate lwt_pthread_setcancelstate
#pragma redefine_extname pthread_setcanceltype lwt_pthread_setcanceltype
#pragma redefine_extname pthread_testcancel lwt_pthread_testcancel
#pragma redefine_extname pthread_atfork lwt_pthread_atfork
#pragma redefine_extname pthread_getaffinity_np lwt_pthread_getaffinity_np
#pragma redefine_extname pthread_setaffinity_np lwt_pthread_setaffinity_np
#pragma redefine_extname pthread_getattr_default_np lwt_pthread_getattr_default_np
#pragma redefine_extname pthread_setattr_default_np lwt_pthread_setattr_default_np
#pragma redefine_extname pthread_getcpuclockid lwt_pthread_getcpuclockid
#pragma redefine_extname pthread_getname_np lwt_pthread_getname_np
#pragma redefine_extname pthread_setname_np lwt_pthread_setname_np
#pragma redefine_extname pthread_getschedparam lwt_pthread_getschedparam
#pragma redefine_extname pthread_setschedparam lwt_pthread_setschedparam
#pragma redefine_extname pthread_setschedprio lwt_pthread_setschedprio
#pragma redefine_extname pthread_kill lwt_pthread_kill
#pragma redefine_extname pthread_sigmask lwt_pthread_sigmask
#pragma redefine_extname pthread_sigqueue lwt_pthread_sigqueue
#pragma redefine_extname pthread_attr_init lwt_pthread_attr_init
#pragma redefine_extname pthread_attr_destroy lwt_pthread_attr_destroy
#pragma redefine_extname pthread_attr_getdetachstate lwt_pthread_attr_getdetachstate
#pragma redefine_extname pthread_attr_setdetachstate lwt_pthread_attr_setdetachstate
#pragma redefine_extname pthread_attr_getstacksize lwt_pthread_attr_getstacksize
#pragma redefine_extname pthread_attr_setstacksize lwt_pthread_attr_setstacksize
#pragma redefine_extname pthread_attr_getguardsize lwt_pthread_attr_getguardsize
#pragma redefine_extname pthread_attr_setguardsize lwt_pthread_attr_setguardsize
#pragma redefine_extname pthread_attr_getstack lwt_pthread_attr_getstack
#pragma redefine_extname pthread_attr_setstack lwt_pthread_attr_setstack
#pragma redefine_extname pthread_attr_getstackaddr lwt_pthread_attr_getstackaddr
#pragma redefine_extname pthread_attr_setstackaddr lwt_pthread_attr_setstackaddr
#pragma redefine_extname pthread_attr_getscope lwt_pthread_attr_getscope
#pragma redefine_extname pthread_attr_setscope lwt_pthread_attr_setscope
#pragma redefine_extname pthread_attr_getinheritsched lwt_pthread_attr_getinheritsched
#pragma redefine_extname pthread_attr_setinheritsched lwt_pthread_attr_setinheritsched
#pragma redefine_extname pthread_attr_getschedpolicy lwt_pthread_attr_getschedpolicy
#pragma redefine_extname pthread_attr_setschedpolicy lwt_pthread_attr_setschedpolicy
#pragma redefine_extname pthread_attr_getschedparam lwt_pthread_attr_getschedparam
#pragma redefine_extname pthread_attr_setschedparam lwt_pthread_attr_setschedparam
#pragma redefine_extname pthread_attr_getaffinity_np lwt_pthread_attr_getaffinity_np
#pragma redefine_extname pthread_attr_setaffinity_np lwt_pthread_attr_setaffinity_np
#pragma redefine_extname pthread_attr_getsigmask_np lwt_pthread_attr_getsigmask_np
#pragma redefine_extname pthread_attr_setsigmask_np lwt_pthread_attr_setsigmask_np
#pragma redefine_extname pthread_getattr_np lwt_pthread_getattr_np
#pragma redefine_extname pthread_getconcurrency lwt_pthread_getconcurrency
#pragma redefine_extname pthread_setconcurrency lwt_pthread_setconcurrency
#pragma redefine_extname pthread_mutex_init lwt_pthread_mutex_init
#pragma redefine_extname pthread_mutex_destroy lwt_pthread_mutex_destroy
#pragma redefine_extname pthread_mutex_lock lwt_pthread_mutex_lock
#pragma redefine_extname pthread_mutex_trylock lwt_pthread_mutex_trylock
#pragma redefine_extname pthread_mutex_timedlock lwt_pthread_mutex_timedlock
#pragma redefine_extname pthread_mutex_clocklock lwt_pthread_mutex_clocklock
#pragma redefine_extname pthread_mutex_unlock lwt_pthread_mutex_unlock
#pragma redefine_extname pthread_mutex_getprioceiling lwt_pthread_mutex_getprioceiling
#pragma redefine_extname pthread_mutex_setprioceiling lwt_pthread_mutex_setprioceiling
#pragma redefine_extname pthread_mutex_consistent lwt_pthread_mutex_consistent
#pragma redefine_extname pthread_mutexattr_init lwt_pthread_mutexattr_init
#pragma redefine_extname pthread_mutexattr_destroy lwt_pthread_mutexattr_destroy
#pragma redefine_extname pthread_mutexattr_gettype lwt_pthread_mutexattr_gettype
#pragma redefine_extname pthread_mutexattr_settype lwt_pthread_mutexattr_settype
#pragma redefine_extname pthread_mutexattr_getkind_np lwt_pthread_mutexattr_getkind_np
#pragma redefine_extname pthread_mutexattr_setkind_np lwt_pthread_mutexattr_setkind_np
#pragma redefine_extname pthread_mutexattr_getpshared lwt_pthread_mutexattr_getpshared
#pragma redefine_extname pthread_mutexattr_getrobust lwt_pthread_mutexattr_getrobust
#pragma redefine_extname pthread_mutexattr_setrobust lwt_pthread_mutexattr_setrobust
#pragma redefine_extname pthread_mutexattr_getprotocol lwt_pthread_mutexattr_getprotocol
#pragma redefine_extname pthread_mutexattr_setprotocol lwt_pthread_mutexattr_setprotocol
#pragma redefine_extname pthread_mutexattr_getprioceiling lwt_pthread_mutexattr_getprioceiling
#pragma redefine_extname pthread_mutexattr_setprioceiling lwt_pthread_mutexattr_setprioceiling
#pragma redefine_extname pthread_cond_init lwt_pthread_cond_init
#pragma redefine_extname pthread_cond_destroy lwt_pthread_cond_destroy
#pragma redefine_extname pthread_cond_signal lwt_pthread_cond_signal
#pragma redefine_extname pthread_cond_broadcast lwt_pthread_cond_broadcast
#pragma redefine_extname pthread_cond_wait lwt_pthread_cond_wait
#pragma redefine_extname pthread_cond_timedwait lwt_pthread_cond_timedwait
#pragma redefine_extname pthread_cond_clockwait lwt_pthread_cond_clockwait
#pragma redefine_extname pthread_condattr_init lwt_pthread_condattr_init
#pragma redefine_extname pthread_condattr_destroy lwt_pthread_condattr_destroy
#pragma redefine_extname pthread_condattr_getclock lwt_pthread_condattr_getclock
#pragma redefine_extname pthread_condattr_setclock lwt_pthread_condattr_setclock
#pragma redefine_extname pthread_condattr_getpshared lwt_pthread_condattr_getpshared
#pragma redefine_extname pthread_rwlock_init lwt_pthread_rwlock_init
#pragma redefine_extname pthread_rwlock_destroy lwt_pthread_rwlock_destroy
#pragma redefine_extname pthread_rwlock_rdlock lwt_pthread_rwlock_rdlock
#pragma redefine_extname pthread_rwlock_tryrdlock lwt_pthread_rwlock_tryrdlock
#pragma redefine_extname pthread_rwlock_timedrdlock lwt_pthread_rwlock_timedrdlock
#pragma redefine_extname pthread_rwlock_clockrdlock lwt_pthread_rwlock_clockrdlock
#pragma redefine_extname pthread_rwlock_wrlock lwt_pthread_rwlock_wrlock
#pragma redefine_extname pthread_rwlock_trywrlock lwt_pthread_rwlock_trywrlock
#pragma redefine_extname pthread_rwlock_timedwrlock lwt_pthread_rwlock_timedwrlock
#pragma redefine_extname pthread_rwlock_clockwrlock lwt_pthread_rwlock_clockwrlock
#pragma redefine_extname pthread_rwlock_unlock lwt_pthread_rwlock_unlock
#pragma redefine_extname pthread_rwlockattr_init lwt_pthread_rwlockattr_init
#pragma redefine_extname pthread_rwlockattr_destroy lwt_pthread_rwlockattr_destroy
#pragma redefine_extname pthread_rwlockattr_getkind_np lwt_pthread_rwlockattr_getkind_np
#pragma redefine_extname pthread_rwlockattr_setkind_np lwt_pthread_rwlockattr_setkind_np
#pragma redefine_extname pthread_rwlockattr_getpshared lwt_pthread_rwlockattr_getpshared
#pragma redefine_extname pthread_spin_destroy lwt_pthread_spin_destroy
#pragma redefine_extname pthread_spin_lock lwt_pthread_spin_lock
#pragma redefine_extname pthread_spin_trylock lwt_pthread_spin_trylock
#pragma redefine_extname pthread_spin_unlock lwt_pthread_spin_unlock
#pragma redefine_extname pthread_barrier_init lwt_pthread_barrier_init
#pragma redefine_extname pthread_barrier_destroy lwt_pthread_barrier_destroy
#pragma redefine_extname pthread_barrier_wait lwt_pthread_barrier_wait
#pragma redefine_extname pthread_barrierattr_init lwt_pthread_barrierattr_init
#pragma redefine_extname pthread_barrierattr_destroy lwt_pthread_barrierattr_destroy
#pragma redefine_extname pthread_barrierattr_getpshared lwt_pthread_barrierattr_getpshared
#pragma redefine_extname pthread_once lwt_pthread_once
#pragma redefine_extname pthread_key_create lwt_pthread_key_create
#pragma redefine_extname pthread_key_delete lwt_pthread_key_delete
#pragma redefine_extname pthread_getspecific lwt_pthread_getspecific
#pragma redefine_extname pthread_setspecific lwt_pthread_setspecific
#pragma redefine_extname sem_destroy lwt_sem_destroy
#pragma redefine_extname sem_wait lwt_sem_wait
#pragma redefine_extname sem_trywait lwt_sem_trywait
#pragma redefine_extname sem_timedwait lwt_sem_timedwait
#pragma redefine_extname sem_clockwait lwt_sem_clockwait
#pragma redefine_extname sem_post lwt_sem_post
#pragma redefine_extname sem_getvalue lwt_sem_getvalue
#pragma redefine_extname sem_open lwt_sem_open
#pragma redefine_extname sem_close lwt_sem_close
#pragma redefine_extname sem_unlink lwt_sem_unlink
#pragma redefine_extname sched_yield lwt_sched_yield
#pragma redefine_extname sleep lwt_sleep
#pragma redefine_extname usleep lwt_usleep
#pragma redefine_extname nanosleep lwt_nanosleep
#pragma redefine_extname clock_nanosleep lwt_clock_nanosleep
#pragma redefine_extname raise lwt_raise
#pragma redefine_extname sigprocmask lwt_sigprocmask
#pragma redefine_extname sigpending lwt_sigpending
#pragma redefine_extname sigwait lwt_sigwait
#pragma redefine_extname sigwaitinfo lwt_sigwaitinfo
#pragma redefine_extname sigtimedwait lwt_sigtimedwait
#pragma redefine_extname sigsuspend lwt_sigsuspend
#pragma redefine_extname pause lwt_pause
#pragma redefine_extname vfork lwt_vfork
#pragma redefine_extname system lwt_system
#pragma redefine_extname popen lwt_popen
#pragma redefine_extname posix_spawn lwt_posix_spawn
#pragma redefine_extname posix_spawnp lwt_posix_spawnp
#pragma redefine_extname read lwt_read
#pragma redefine_extname write lwt_write
#pragma redefine_extname readv lwt_readv
#pragma redefine_extname writev lwt_writev
#pragma redefine_extname recv lwt_recv
#pragma redefine_extname recvfrom lwt_recvfrom
#pragma redefine_extname recvmsg lwt_recvmsg
#pragma redefine_extname send lwt_send
#pragma redefine_extname sendto lwt_sendto
#pragma redefine_extname sendmsg lwt_sendmsg
#pragma redefine_extname accept lwt_accept
#pragma redefine_extname accept4 lwt_accept4
#pragma redefine_extname connect lwt_connect
#pragma redefine_extname poll lwt_poll
#pragma redefine_extname select lwt_select

/* Objects shared by processes: refused, or ordinary objects where the program's builder says that
 * it is one process. */
#ifdef LWT_PROCESS_SHARED_IS_PRIVATE
#pragma redefine_extname pthread_mutexattr_setpshared lwt_private_pthread_mutexattr_setpshared
#pragma redefine_extname pthread_condattr_setpshared lwt_private_pthread_condattr_setpshared
#pragma redefine_extname pthread_rwlockattr_setpshared lwt_private_pthread_rwlockattr_setpshared
#pragma redefine_extname pthread_barrierattr_setpshared lwt_private_pthread_barrierattr_setpshared
#pragma redefine_extname pthread_spin_init lwt_private_pthread_spin_init
#pragma redefine_extname sem_init lwt_private_sem_init
#else
#pragma redefine_extname pthread_mutexattr_setpshared lwt_pthread_mutexattr_setpshared
#pragma redefine_extname pthread_condattr_setpshared lwt_pthread_condattr_setpshared
#pragma redefine_extname pthread_rwlockattr_setpshared lwt_pthread_rwlockattr_setpshared
#pragma redefine_extname pthread_barrierattr_setpshared lwt_pthread_barrierattr_setpshared
#pragma redefine_extname pthread_spin_init lwt_pthread_spin_init
#pragma redefine_extname sem_init lwt_sem_init
#endif

/* <pthread.h> sets this one's symbol itself, which only gcc changes once more. */
#ifdef __clang__
int pthread_yield(void) __attribute__((unavailable("not covered: sched_yield is")));
#else
#pragma redefine_extname pthread_yield lwt_sched_yield
#endif

/* Not covered. Of cleanup handlers, what a C compiler makes of them without -fexceptions. */
#pragma redefine_extname call_once lwt_does_not_cover_call_once
#pragma redefine_extname cnd_broadcast lwt_does_not_cover_cnd_broadcast
#pragma redefine_extname cnd_destroy lwt_does_not_cover_cnd_destroy
#pragma redefine_extname cnd_init lwt_does_not_cover_cnd_init
#pragma redefine_extname cnd_signal lwt_does_not_cover_cnd_signal
#pragma redefine_extname cnd_timedwait lwt_does_not_cover_cnd_timedwait
#pragma redefine_extname cnd_wait lwt_does_not_cover_cnd_wait
#pragma redefine_extname mtx_destroy lwt_does_not_cover_mtx_destroy
#pragma redefine_extname mtx_init lwt_does_not_cover_mtx_init
#pragma redefine_extname mtx_lock lwt_does_not_cover_mtx_lock
#pragma redefine_extname mtx_timedlock lwt_does_not_cover_mtx_timedlock
#pragma redefine_extname mtx_trylock lwt_does_not_cover_mtx_trylock
#pragma redefine_extname mtx_unlock lwt_does_not_cover_mtx_unlock
#pragma redefine_extname pthread_kill_other_threads_np \
    lwt_does_not_cover_pthread_kill_other_threads_np
#pragma redefine_extname pthread_mutexattr_getrobust_np \
    lwt_does_not_cover_pthread_mutexattr_getrobust_np
#pragma redefine_extname pthread_mutexattr_setrobust_np \
    lwt_does_not_cover_pthread_mutexattr_setrobust_np
#pragma redefine_extname thrd_create lwt_does_not_cover_thrd_create
#pragma redefine_extname thrd_current lwt_does_not_cover_thrd_current
#pragma redefine_extname thrd_detach lwt_does_not_cover_thrd_detach
#pragma redefine_extname thrd_equal lwt_does_not_cover_thrd_equal
#pragma redefine_extname thrd_exit lwt_does_not_cover_thrd_exit
#pragma redefine_extname thrd_join lwt_does_not_cover_thrd_join
#pragma redefine_extname thrd_sleep lwt_does_not_cover_thrd_sleep
#pragma redefine_extname thrd_yield lwt_does_not_cover_thrd_yield
#pragma redefine_extname tss_create lwt_does_not_cover_tss_create
#pragma redefine_extname tss_delete lwt_does_not_cover_tss_delete
#pragma redefine_extname tss_get lwt_does_not_cover_tss_get
#pragma redefine_extname tss_set lwt_does_not_cover_tss_set
#pragma redefine_extname __pthread_register_cancel lwt_needs_fexceptions_for_pthread_register_cancel
#pragma redefine_extname __pthread_unregister_cancel \
    lwt_needs_fexceptions_for_pthread_unregister_cancel
#pragma redefine_extname __pthread_register_cancel_defer \
    lwt_needs_fexceptions_for_pthread_register_cancel_defer
#pragma redefine_extname __pthread_unregister_cancel_restore \
    lwt_needs_fexceptions_for_pthread_unregister_cancel_restore
#pragma redefine_extname __pthread_unwind_next lwt_needs_fexceptions_for_pthread_unwind_next

#endif /* LWT_PTHREAD_H_ */
