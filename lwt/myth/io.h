/* System calls that suspend the calling lightweight thread while they would block, and not its
 * worker.
 *
 * Each is as the system call of its name, errno included, but for these: no signal ends it (EINTR);
 * accept and connect make their socket non-blocking, for which the functions here make up. errno is
 * the OS thread's, and compilers keep its address for all of a function: read it in one that has
 * not suspended since. Ordinary files are always ready, so they hold up the worker. Descriptors
 * that the program made non-blocking stay so: EAGAIN. Outside of workers they are the system calls.
 * Close no descriptor that a thread waits for. */
#ifndef LWT_MYTH_IO_H_
#define LWT_MYTH_IO_H_

#include <poll.h>
#include <stddef.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#ifdef __cplusplus
extern "C" {
#endif

ssize_t myth_read(int fd, void* buffer, size_t bytes);
ssize_t myth_write(int fd, const void* buffer,
                   size_t bytes); /* all of them, unless an error comes */
ssize_t myth_readv(int fd, const struct iovec* pieces, int count);
ssize_t myth_writev(int fd, const struct iovec* pieces, int count);
ssize_t myth_recv(int socket, void* buffer, size_t bytes, int flags);
ssize_t myth_recvfrom(int socket, void* buffer, size_t bytes, int flags, struct sockaddr* address,
                      socklen_t* address_bytes);
ssize_t myth_recvmsg(int socket, struct msghdr* message, int flags);
ssize_t myth_send(int socket, const void* buffer, size_t bytes, int flags);
ssize_t myth_sendto(int socket, const void* buffer, size_t bytes, int flags,
                    const struct sockaddr* address, socklen_t address_bytes);
ssize_t myth_sendmsg(int socket, const struct msghdr* message, int flags);
int myth_accept(int socket, struct sockaddr* address, socklen_t* address_bytes);
int myth_accept4(int socket, struct sockaddr* address, socklen_t* address_bytes, int flags);
int myth_connect(int socket, const struct sockaddr* address, socklen_t address_bytes);
int myth_poll(struct pollfd* fds, nfds_t count, int timeout);
int myth_select(int count, fd_set* readable, fd_set* writable, fd_set* exceptional,
                struct timeval* timeout);

#ifdef __cplusplus
}
#endif

#endif /* LWT_MYTH_IO_H_ */
