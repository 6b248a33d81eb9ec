/* Prints the version of softrnic to which a tool belongs. Keeps no state. One thread calls these
 * functions. */
#include "version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void version_print(const char *program)
{
	const char *slash = strrchr(program, '/');

	printf("%s (softrnic) %s\n", slash != NULL ? slash + 1 : program, SOFTRNIC_VERSION);
}

void version_if_asked(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--version") == 0) {
			version_print(argv[0]);
			exit(0);
		}
	}
}
