/* Single keys from the terminal. */
#ifndef COMPAT_CONIO_H
#define COMPAT_CONIO_H

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* One key, not shown, without waiting for the end of the line; the next byte when input is no terminal. EOF: the end. */
int _getch(void);

/* Whether _getch would return at once. */
int _kbhit(void);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
