// Calls that Swift cannot reach: `syscall` and `prctl` are variadic, `fork` is unavailable.
#pragma once
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/prctl.h>
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
