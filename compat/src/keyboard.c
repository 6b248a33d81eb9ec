/*
 * Which key was pressed? Each call puts the terminal into a mode that delivers single keys, and at
 * the end restores the former mode. This file keeps no state. Only one thread at a time may call
 * the functions.
 */
#include <conio.h>

#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <termios.h>
#include <unistd.h>

static bool key_by_key(struct termios *old)
{
	struct termios mode;

	if (tcgetattr(STDIN_FILENO, old) != 0)
		return false;
	mode = *old;
	mode.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	mode.c_cc[VMIN] = 1;
	mode.c_cc[VTIME] = 0;
	return tcsetattr(STDIN_FILENO, TCSANOW, &mode) == 0;
}

int _getch(void)
{
	struct termios old;
	unsigned char key;
	bool terminal = key_by_key(&old);
	ssize_t n = read(STDIN_FILENO, &key, 1);

	if (terminal)
		tcsetattr(STDIN_FILENO, TCSANOW, &old);
	return n == 1 ? key : EOF;
}

int _kbhit(void)
{
	struct termios old;
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	bool terminal = key_by_key(&old);
	int ready = poll(&input, 1, 0);

	if (terminal)
		tcsetattr(STDIN_FILENO, TCSANOW, &old);
	return ready > 0;
}
