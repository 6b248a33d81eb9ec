/* Functions that read single keys from the terminal. */
#ifndef COMPAT_CONIO_H
#define COMPAT_CONIO_H

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/*
 * Returns one key without echo and without waiting for Enter. If standard input is not a terminal,
 * returns the next byte of standard input, or EOF.
 */
int _getch(void);

/* Returns whether input is waiting, so that _getch would return at once. */
int _kbhit(void);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
