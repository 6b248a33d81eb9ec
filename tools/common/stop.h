/* The user interrupts a tool with SIGINT or SIGTERM. The first signal asks it to stop: it prints what it has, says goodbye to
 * its peer and ends with status 128 + the signal's number. A second one ends it at once with the same status, unless it comes
 * so soon that it repeats the first. Any thread. */
#ifndef TOOLS_STOP_H
#define TOOLS_STOP_H

#include <stdbool.h>

/* How often whoever waits should look, and how long an end that would rather finish in order may take. */
enum { STOP_LOOK_MS = 50, STOP_PATIENCE_MS = 1500 };

/* From now on both signals ask; one that was ignored when the program started, as by nohup, stays so. Before the adapter is
 * opened. */
void stop_catch(void);
/* A signal has come, and this thread has not called stop_leave(). For loops and waits: they end. */
bool stop_asked(void);
/* A signal has come, whatever was made of it since. */
bool stop_came(void);
/* It has come more than STOP_PATIENCE_MS ago. */
bool stop_overdue(void);
/* This thread is on its way out: its waits from here on are for the goodbye and are not cut short. Says on stderr that
 * `program` was interrupted, if it was and nobody has said so. */
void stop_leave(const char *program);
/* 128 + the number of the signal if one has come, else `status`. */
int stop_status(int status);

#endif
