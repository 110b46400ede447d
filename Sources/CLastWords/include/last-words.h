// Declarations for Swift; see last-words.c.
#pragma once

// From now on a crash writes one line of the log to standard error and ends the process with `status`.
//
// `fields` is the line between its time and the name of its signal. The calling thread, the main one, gets a
// stack of its own for the handler: the usual one may be what has run out. Returns 0, or -1 when `fields` is
// too long or memory is short.
int grain_prepare_last_words(const char *fields, int status);
