/* How the user interrupts a tool with SIGINT or SIGTERM. Any thread may call these functions.
 * The first signal asks the tool to stop. The tool then prints its results so far, disconnects and
 * ends with status 128 + the signal's number. A second signal within 250 ms is ignored as a
 * repetition. A later signal ends the tool at once with 128 + the later signal's number. */
#ifndef TOOLS_STOP_H
#define TOOLS_STOP_H

#include <stdbool.h>

/* STOP_LOOK_MS: interval at which a waiting thread checks whether a signal came.
 * STOP_PATIENCE_MS: longest time for an orderly end after the signal. */
enum { STOP_LOOK_MS = 50, STOP_PATIENCE_MS = 1500 };

/* Installs the handlers for both signals. Must be called before the adapter is opened. A signal
 * that was ignored when the program started, as under nohup, stays ignored. */
void stop_catch(void);
/* Returns true after a signal, unless this thread has called stop_leave(). All loops and waits must
 * end when stop_asked() returns true. */
bool stop_asked(void);
/* Returns true after a signal, even after stop_leave(). */
bool stop_came(void);
/* Returns true if the signal came more than STOP_PATIENCE_MS ago. */
bool stop_overdue(void);
/* Called by the thread that ends the program, before it disconnects. From then on stop_asked()
 * returns false in this thread, so that the thread can wait for an orderly disconnect. After a
 * signal stop_leave() prints once on stderr that `program` was interrupted. */
void stop_leave(const char *program);
/* Returns the exit status of the program. After a signal the status is 128 + the signal's number,
 * otherwise `status`. */
int stop_status(int status);

#endif
