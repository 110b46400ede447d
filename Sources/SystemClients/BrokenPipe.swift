import Glibc

/// Makes writing to a closed pipe or past a file-size limit an error (`EPIPE`, `EFBIG`) instead of
/// the end of the process. For the start of a program.
package func ignoreWriteSignals() {
  signal(SIGPIPE, SIG_IGN)
  signal(SIGXFSZ, SIG_IGN)
}

/// The same, for pipes and sockets, for one thread of ours, whatever the rest of the process has
/// decided.
package func blockBrokenPipeSignal() {
  var set = sigset_t()
  sigemptyset(&set)
  sigaddset(&set, SIGPIPE)
  pthread_sigmask(SIG_BLOCK, &set, nil)
}
