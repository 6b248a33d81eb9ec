/* Reads single keys from the terminal. */
#ifndef COMPAT_CONIO_H
#define COMPAT_CONIO_H

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/*
 * Returns one key, without showing it or waiting for Enter. If the input is no terminal, returns
 * its next byte, or EOF.
 */
int _getch(void);

/* Returns whether _getch would return at once. */
int _kbhit(void);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
