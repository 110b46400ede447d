// Calls that Swift cannot reach: most are variadic, the rest say why.
#pragma once
#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// Opens a handle on a process that becomes readable when the process ends (Linux 5.3, pidfd_open(2)).
static inline int grain_pidfd_open(int pid) {
  return (int)syscall(SYS_pidfd_open, pid, 0);
}

// Forbids core dumps and ptrace by other processes of the user (prctl(2), PR_SET_DUMPABLE).
static inline int grain_forbid_core_dumps(void) {
  return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

// Close-on-exec duplicate at or above `minimum` (fcntl(2) is variadic).
static inline int grain_duplicate_cloexec(int fd, int minimum) {
  return fcntl(fd, F_DUPFD_CLOEXEC, minimum);
}

// Lets a started program inherit no descriptor at or above `lowest` (glibc 2.34). Glibc shows the
// call only under _GNU_SOURCE, which Swift's own view of <spawn.h> lacks.
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);
static inline int grain_spawn_close_from(posix_spawn_file_actions_t *actions, int lowest) {
  return posix_spawn_file_actions_addclosefrom_np(actions, lowest);
}

// Starts a program in a folder of its own (glibc 2.29); hidden from Swift for the same reason.
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *, const char *);
static inline int grain_spawn_in_folder(posix_spawn_file_actions_t *actions, const char *folder) {
  return posix_spawn_file_actions_addchdir_np(actions, folder);
}

// A pipe whose ends no started program inherits; glibc shows pipe2(2) only under _GNU_SOURCE.
extern int pipe2(int ends[2], int flags);
static inline int grain_pipe_cloexec(int *ends) {
  return pipe2(ends, O_CLOEXEC);
}

// Who is at the other end of a local socket; `struct ucred` is shown only under _GNU_SOURCE
// (unix(7), SO_PEERCRED).
static inline int grain_peer_user(int fd, unsigned int *user) {
  struct { int process; unsigned int user; unsigned int group; } peer;
  socklen_t length = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return -1;
  *user = peer.user;
  return 0;
}
