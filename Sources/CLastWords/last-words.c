// What a program says while it crashes. In C because a signal handler may call next to nothing
// (signal-safety(7)), and Swift code may allocate, lock or count references anywhere.
#include "last-words.h"

#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// The line, ready but for the time and the signal's name.
static struct {
  char before[8];    // {"ts":"
  char after[256];   // ","level":"fault",…"signal":"
  char end[8];       // "}}
  int status;        // the exit status
  volatile int told; // whether a thread is writing it already
} words;

// The last decimal digits of a number, zeros in front.
static char *put_digits(char *at, long value, int digits) {
  for (int place = digits - 1; place >= 0; place--) {
    at[place] = (char)('0' + value % 10);
    value /= 10;
  }
  return at + digits;
}

static char *put_text(char *at, const char *text) {
  while (*text) *at++ = *text++;
  return at;
}

// RFC 3339, UTC, milliseconds; gmtime_r(3) may take a lock. The calendar is Howard Hinnant's
// `civil_from_days`, for days since 1970.
static char *put_time(char *at, struct timespec now) {
  long days = now.tv_sec / 86400, second = now.tv_sec % 86400;
  long shifted = days + 719468, era = shifted / 146097, day_of_era = shifted % 146097;
  long year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  long day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  long month_from_march = (5 * day_of_year + 2) / 153;
  long month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  at = put_digits(at, year_of_era + era * 400 + (month <= 2), 4);
  *at++ = '-';
  at = put_digits(at, month, 2);
  *at++ = '-';
  at = put_digits(at, day_of_year - (153 * month_from_march + 2) / 5 + 1, 2);
  *at++ = 'T';
  at = put_digits(at, second / 3600, 2);
  *at++ = ':';
  at = put_digits(at, second / 60 % 60, 2);
  *at++ = ':';
  at = put_digits(at, second % 60, 2);
  *at++ = '.';
  at = put_digits(at, now.tv_nsec / 1000000, 3);
  *at++ = 'Z';
  return at;
}

static const char *signal_name(int signal) {
  switch (signal) {
    case SIGILL: return "SIGILL";
    case SIGTRAP: return "SIGTRAP";
    case SIGABRT: return "SIGABRT";
    case SIGBUS: return "SIGBUS";
    case SIGFPE: return "SIGFPE";
    case SIGSEGV: return "SIGSEGV";
    default: return "another";
  }
}

// Writes the line in one piece, if standard error has room for it, and ends the process.
static void on_crash(int signal) {
  // A second thread that crashes meanwhile waits for the end the first one brings.
  while (__atomic_exchange_n(&words.told, 1, __ATOMIC_SEQ_CST)) pause();
  char line[512];
  struct timespec now = {0, 0};
  clock_gettime(CLOCK_REALTIME, &now);
  char *end = put_text(line, words.before);
  end = put_time(end, now);
  end = put_text(end, words.after);
  end = put_text(end, signal_name(signal));
  end = put_text(end, words.end);
  *end++ = '\n';
  // A pipe nobody reads must not keep a dead program.
  struct pollfd room = {STDERR_FILENO, POLLOUT, 0};
  if (poll(&room, 1, 0) == 1 && (room.revents & POLLOUT)) {
    ssize_t written = write(STDERR_FILENO, line, (size_t)(end - line));
    (void)written;
  }
  _exit(words.status);
}

int grain_prepare_last_words(const char *fields, int status) {
  if (strlen(fields) >= sizeof words.after) return -1;
  strcpy(words.before, "{\"ts\":\"");
  strcpy(words.after, fields);
  strcpy(words.end, "\"}}");
  words.status = status;
  stack_t stack = {0};
  stack.ss_size = 64 * 1024;
  stack.ss_sp = malloc(stack.ss_size);
  if (!stack.ss_sp || sigaltstack(&stack, NULL) != 0) return -1;
  struct sigaction action = {0};
  action.sa_handler = on_crash;
  action.sa_flags = SA_ONSTACK;
  // A crash within the handler finds its signal blocked, and the system ends the process.
  sigemptyset(&action.sa_mask);
  int crashes[] = {SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV};
  for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) {
    sigaddset(&action.sa_mask, crashes[i]);
  }
  for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) {
    if (sigaction(crashes[i], &action, NULL) != 0) return -1;
  }
  return 0;
}
