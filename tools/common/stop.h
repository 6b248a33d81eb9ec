/* The user interrupts a tool with SIGINT or SIGTERM. The first signal asks the tool to stop: it
 * prints its results so far, disconnects and ends with status 128 + the signal's number. A second
 * signal ends it at once with the same status, unless it follows so soon that it repeats the
 * first. Any thread. */
#ifndef TOOLS_STOP_H
#define TOOLS_STOP_H

#include <stdbool.h>

/* How often a waiting thread checks for a stop, and how long an orderly end may take. */
enum { STOP_LOOK_MS = 50, STOP_PATIENCE_MS = 1500 };

/* Installs the handlers for both signals; called before the adapter is opened. A signal that was
 * ignored when the program started, as under nohup, stays ignored. */
void stop_catch(void);
/* True after a signal, unless this thread has called stop_leave(). Loops and waits end then. */
bool stop_asked(void);
/* True after a signal, even after stop_leave(). */
bool stop_came(void);
/* True if the signal came more than STOP_PATIENCE_MS ago. */
bool stop_overdue(void);
/* The thread begins to end the program: its further waits, for an orderly disconnect, are not cut
 * short. Prints once on stderr that `program` was interrupted, if it was. */
void stop_leave(const char *program);
/* 128 + the signal's number after a signal, else `status`. */
int stop_status(int status);

#endif
