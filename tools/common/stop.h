/* The user interrupts a tool with SIGINT or SIGTERM. The first signal asks the tool to stop: the
 * tool prints its results so far, disconnects and ends with status 128 + the signal's number. A
 * second signal ends the tool at once with 128 + the second signal's number, unless it comes so
 * soon that it is a repetition of the first. May be used by any thread. */
#ifndef TOOLS_STOP_H
#define TOOLS_STOP_H

#include <stdbool.h>

/* STOP_LOOK_MS: a waiting thread checks at this interval whether a signal came. STOP_PATIENCE_MS:
 * how long an orderly end may take after the signal. */
enum { STOP_LOOK_MS = 50, STOP_PATIENCE_MS = 1500 };

/* Installs the handlers for both signals; called before the adapter is opened. A signal that was
 * ignored when the program started, as under nohup, stays ignored. */
void stop_catch(void);
/* Returns true after a signal, unless this thread has called stop_leave(). All loops and waits must
 * end when it returns true. */
bool stop_asked(void);
/* Returns true after a signal, even after stop_leave(). */
bool stop_came(void);
/* Returns true if the signal came more than STOP_PATIENCE_MS ago. */
bool stop_overdue(void);
/* Called by a thread that begins to end the program. From then on stop_asked() is false for this
 * thread, so that its waits for an orderly disconnect are not cut short. After a signal
 * stop_leave() prints once on stderr that `program` was interrupted. */
void stop_leave(const char *program);
/* Returns the exit status of the program: 128 + the signal's number after a signal, else
 * `status`. */
int stop_status(int status);

#endif
