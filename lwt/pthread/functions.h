// The functions of lwt/pthread.h, each with the type of the system's function whose place it takes.
//
// Threads: any.
#pragma once

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

extern "C" {

decltype(pthread_create) lwt_pthread_create;
decltype(pthread_exit) lwt_pthread_exit;
decltype(pthread_join) lwt_pthread_join;
decltype(pthread_tryjoin_np) lwt_pthread_tryjoin_np;
decltype(pthread_timedjoin_np) lwt_pthread_timedjoin_np;
decltype(pthread_clockjoin_np) lwt_pthread_clockjoin_np;
decltype(pthread_detach) lwt_pthread_detach;
decltype(pthread_self) lwt_pthread_self;
decltype(pthread_cancel) lwt_pthread_cancel;
decltype(pthread_setcancelstate) lwt_pthread_setcancelstate;
decltype(pthread_setcanceltype) lwt_pthread_setcanceltype;
decltype(pthread_testcancel) lwt_pthread_testcancel;
decltype(pthread_atfork) lwt_pthread_atfork;
decltype(pthread_getaffinity_np) lwt_pthread_getaffinity_np;
decltype(pthread_setaffinity_np) lwt_pthread_setaffinity_np;
decltype(pthread_getattr_default_np) lwt_pthread_getattr_default_np;
decltype(pthread_setattr_default_np) lwt_pthread_setattr_default_np;
decltype(pthread_getcpuclockid) lwt_pthread_getcpuclockid;
decltype(pthread_getname_np) lwt_pthread_getname_np;
decltype(pthread_setname_np) lwt_pthread_setname_np;
decltype(pthread_getschedparam) lwt_pthread_getschedparam;
decltype(pthread_setschedparam) lwt_pthread_setschedparam;
decltype(pthread_setschedprio) lwt_pthread_setschedprio;
decltype(pthread_kill) lwt_pthread_kill;
decltype(pthread_sigmask) lwt_pthread_sigmask;
decltype(pthread_sigqueue) lwt_pthread_sigqueue;
decltype(pthread_attr_init) lwt_pthread_attr_init;
decltype(pthread_attr_destroy) lwt_pthread_attr_destroy;
decltype(pthread_attr_getdetachstate) lwt_pthread_attr_getdetachstate;
decltype(pthread_attr_setdetachstate) lwt_pthread_attr_setdetachstate;
decltype(pthread_attr_getstacksize) lwt_pthread_attr_getstacksize;
decltype(pthread_attr_setstacksize) lwt_pthread_attr_setstacksize;
decltype(pthread_attr_getguardsize) lwt_pthread_attr_getguardsize;
decltype(pthread_attr_setguardsize) lwt_pthread_attr_setguardsize;
decltype(pthread_attr_getstack) lwt_pthread_attr_getstack;
decltype(pthread_attr_setstack) lwt_pthread_attr_setstack;
decltype(pthread_attr_getscope) lwt_pthread_attr_getscope;
decltype(pthread_attr_setscope) lwt_pthread_attr_setscope;
decltype(pthread_attr_getinheritsched) lwt_pthread_attr_getinheritsched;
decltype(pthread_attr_setinheritsched) lwt_pthread_attr_setinheritsched;
decltype(pthread_attr_getschedpolicy) lwt_pthread_attr_getschedpolicy;
decltype(pthread_attr_setschedpolicy) lwt_pthread_attr_setschedpolicy;
decltype(pthread_attr_getschedparam) lwt_pthread_attr_getschedparam;
decltype(pthread_attr_setschedparam) lwt_pthread_attr_setschedparam;
decltype(pthread_attr_getaffinity_np) lwt_pthread_attr_getaffinity_np;
decltype(pthread_attr_setaffinity_np) lwt_pthread_attr_setaffinity_np;
decltype(pthread_attr_getsigmask_np) lwt_pthread_attr_getsigmask_np;
decltype(pthread_attr_setsigmask_np) lwt_pthread_attr_setsigmask_np;
decltype(pthread_getattr_np) lwt_pthread_getattr_np;
decltype(pthread_getconcurrency) lwt_pthread_getconcurrency;
decltype(pthread_setconcurrency) lwt_pthread_setconcurrency;
decltype(pthread_mutex_init) lwt_pthread_mutex_init;
decltype(pthread_mutex_destroy) lwt_pthread_mutex_destroy;
decltype(pthread_mutex_lock) lwt_pthread_mutex_lock;
decltype(pthread_mutex_trylock) lwt_pthread_mutex_trylock;
decltype(pthread_mutex_timedlock) lwt_pthread_mutex_timedlock;
decltype(pthread_mutex_clocklock) lwt_pthread_mutex_clocklock;
decltype(pthread_mutex_unlock) lwt_pthread_mutex_unlock;
decltype(pthread_mutex_getprioceiling) lwt_pthread_mutex_getprioceiling;
decltype(pthread_mutex_setprioceiling) lwt_pthread_mutex_setprioceiling;
decltype(pthread_mutex_consistent) lwt_pthread_mutex_consistent;
decltype(pthread_mutexattr_init) lwt_pthread_mutexattr_init;
decltype(pthread_mutexattr_destroy) lwt_pthread_mutexattr_destroy;
decltype(pthread_mutexattr_gettype) lwt_pthread_mutexattr_gettype;
decltype(pthread_mutexattr_settype) lwt_pthread_mutexattr_settype;
decltype(pthread_mutexattr_getpshared) lwt_pthread_mutexattr_getpshared;
decltype(pthread_mutexattr_setpshared) lwt_pthread_mutexattr_setpshared;
decltype(pthread_mutexattr_getrobust) lwt_pthread_mutexattr_getrobust;
decltype(pthread_mutexattr_setrobust) lwt_pthread_mutexattr_setrobust;
decltype(pthread_mutexattr_getprotocol) lwt_pthread_mutexattr_getprotocol;
decltype(pthread_mutexattr_setprotocol) lwt_pthread_mutexattr_setprotocol;
decltype(pthread_mutexattr_getprioceiling) lwt_pthread_mutexattr_getprioceiling;
decltype(pthread_mutexattr_setprioceiling) lwt_pthread_mutexattr_setprioceiling;
decltype(pthread_cond_init) lwt_pthread_cond_init;
decltype(pthread_cond_destroy) lwt_pthread_cond_destroy;
decltype(pthread_cond_signal) lwt_pthread_cond_signal;
decltype(pthread_cond_broadcast) lwt_pthread_cond_broadcast;
decltype(pthread_cond_wait) lwt_pthread_cond_wait;
decltype(pthread_cond_timedwait) lwt_pthread_cond_timedwait;
decltype(pthread_cond_clockwait) lwt_pthread_cond_clockwait;
decltype(pthread_condattr_init) lwt_pthread_condattr_init;
decltype(pthread_condattr_destroy) lwt_pthread_condattr_destroy;
decltype(pthread_condattr_getclock) lwt_pthread_condattr_getclock;
decltype(pthread_condattr_setclock) lwt_pthread_condattr_setclock;
decltype(pthread_condattr_getpshared) lwt_pthread_condattr_getpshared;
decltype(pthread_condattr_setpshared) lwt_pthread_condattr_setpshared;
decltype(pthread_rwlock_init) lwt_pthread_rwlock_init;
decltype(pthread_rwlock_destroy) lwt_pthread_rwlock_destroy;
decltype(pthread_rwlock_rdlock) lwt_pthread_rwlock_rdlock;
decltype(pthread_rwlock_tryrdlock) lwt_pthread_rwlock_tryrdlock;
decltype(pthread_rwlock_timedrdlock) lwt_pthread_rwlock_timedrdlock;
decltype(pthread_rwlock_clockrdlock) lwt_pthread_rwlock_clockrdlock;
decltype(pthread_rwlock_wrlock) lwt_pthread_rwlock_wrlock;
decltype(pthread_rwlock_trywrlock) lwt_pthread_rwlock_trywrlock;
decltype(pthread_rwlock_timedwrlock) lwt_pthread_rwlock_timedwrlock;
decltype(pthread_rwlock_clockwrlock) lwt_pthread_rwlock_clockwrlock;
decltype(pthread_rwlock_unlock) lwt_pthread_rwlock_unlock;
decltype(pthread_rwlockattr_init) lwt_pthread_rwlockattr_init;
decltype(pthread_rwlockattr_destroy) lwt_pthread_rwlockattr_destroy;
decltype(pthread_rwlockattr_getkind_np) lwt_pthread_rwlockattr_getkind_np;
decltype(pthread_rwlockattr_setkind_np) lwt_pthread_rwlockattr_setkind_np;
decltype(pthread_rwlockattr_getpshared) lwt_pthread_rwlockattr_getpshared;
decltype(pthread_rwlockattr_setpshared) lwt_pthread_rwlockattr_setpshared;
decltype(pthread_spin_init) lwt_pthread_spin_init;
decltype(pthread_spin_destroy) lwt_pthread_spin_destroy;
decltype(pthread_spin_lock) lwt_pthread_spin_lock;
decltype(pthread_spin_trylock) lwt_pthread_spin_trylock;
decltype(pthread_spin_unlock) lwt_pthread_spin_unlock;
decltype(pthread_barrier_init) lwt_pthread_barrier_init;
decltype(pthread_barrier_destroy) lwt_pthread_barrier_destroy;
decltype(pthread_barrier_wait) lwt_pthread_barrier_wait;
decltype(pthread_barrierattr_init) lwt_pthread_barrierattr_init;
decltype(pthread_barrierattr_destroy) lwt_pthread_barrierattr_destroy;
decltype(pthread_barrierattr_getpshared) lwt_pthread_barrierattr_getpshared;
decltype(pthread_barrierattr_setpshared) lwt_pthread_barrierattr_setpshared;
decltype(pthread_once) lwt_pthread_once;
decltype(pthread_key_create) lwt_pthread_key_create;
decltype(pthread_key_delete) lwt_pthread_key_delete;
decltype(pthread_getspecific) lwt_pthread_getspecific;
decltype(pthread_setspecific) lwt_pthread_setspecific;
decltype(sem_init) lwt_sem_init;
decltype(sem_destroy) lwt_sem_destroy;
decltype(sem_wait) lwt_sem_wait;
decltype(sem_trywait) lwt_sem_trywait;
decltype(sem_timedwait) lwt_sem_timedwait;
decltype(sem_clockwait) lwt_sem_clockwait;
decltype(sem_post) lwt_sem_post;
decltype(sem_getvalue) lwt_sem_getvalue;
decltype(sem_open) lwt_sem_open;
decltype(sem_close) lwt_sem_close;
decltype(sem_unlink) lwt_sem_unlink;
decltype(sched_yield) lwt_sched_yield;
decltype(sleep) lwt_sleep;
decltype(usleep) lwt_usleep;
decltype(nanosleep) lwt_nanosleep;
decltype(clock_nanosleep) lwt_clock_nanosleep;
decltype(raise) lwt_raise;
decltype(sigprocmask) lwt_sigprocmask;
decltype(sigpending) lwt_sigpending;
decltype(sigwait) lwt_sigwait;
decltype(sigwaitinfo) lwt_sigwaitinfo;
decltype(sigtimedwait) lwt_sigtimedwait;
decltype(sigsuspend) lwt_sigsuspend;
decltype(pause) lwt_pause;
decltype(vfork) lwt_vfork;
decltype(system) lwt_system;
decltype(popen) lwt_popen;
decltype(posix_spawn) lwt_posix_spawn;
decltype(posix_spawnp) lwt_posix_spawnp;
decltype(read) lwt_read;
decltype(write) lwt_write;
decltype(readv) lwt_readv;
decltype(writev) lwt_writev;
decltype(recv) lwt_recv;
decltype(recvfrom) lwt_recvfrom;
decltype(recvmsg) lwt_recvmsg;
decltype(send) lwt_send;
decltype(sendto) lwt_sendto;
decltype(sendmsg) lwt_sendmsg;
decltype(accept) lwt_accept;
decltype(accept4) lwt_accept4;
decltype(connect) lwt_connect;
decltype(poll) lwt_poll;
decltype(select) lwt_select;
int lwt_pthread_equal(pthread_t a, pthread_t b);
// The place of errno, and how far it is from the OS thread's pointer (x86-64: %fs).
int* lwt_pthread_errno(void) noexcept;
long lwt_pthread_errno_offset(void) noexcept;
// Older names, that <pthread.h> no longer declares.
int lwt_pthread_mutexattr_getkind_np(const pthread_mutexattr_t* attr, int* type);
int lwt_pthread_mutexattr_setkind_np(pthread_mutexattr_t* attr, int type);

int lwt_pthread_attr_getstackaddr(const pthread_attr_t* attr, void** end) noexcept;
int lwt_pthread_attr_setstackaddr(pthread_attr_t* attr, void* end) noexcept;

// In their places where LWT_PROCESS_SHARED_IS_PRIVATE is defined.
decltype(pthread_mutexattr_setpshared) lwt_private_pthread_mutexattr_setpshared;
decltype(pthread_condattr_setpshared) lwt_private_pthread_condattr_setpshared;
decltype(pthread_rwlockattr_setpshared) lwt_private_pthread_rwlockattr_setpshared;
decltype(pthread_barrierattr_setpshared) lwt_private_pthread_barrierattr_setpshared;
decltype(pthread_spin_init) lwt_private_pthread_spin_init;
decltype(sem_init) lwt_private_sem_init;

}  // extern "C"
