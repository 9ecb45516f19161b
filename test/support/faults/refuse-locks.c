// Preloaded, it makes each file system refuse locks of files as NFS or SMB may: with the error in
// REFUSE_LOCKS.
#include <errno.h>
#include <stdlib.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

static int control(int file, int command, void *argument) {
  if (command == F_SETLK) {
    errno = atoi(getenv("REFUSE_LOCKS"));
    return -1;
  }
  return syscall(SYS_fcntl, file, command, argument);
}

#define FORWARD(name)                                                                                                  \
  int name(int file, int command, ...) {                                                                               \
    va_list arguments;                                                                                                 \
    va_start(arguments, command);                                                                                      \
    void *argument = va_arg(arguments, void *);                                                                        \
    va_end(arguments);                                                                                                 \
    return control(file, command, argument);                                                                           \
  }

FORWARD(fcntl)
FORWARD(fcntl64)
