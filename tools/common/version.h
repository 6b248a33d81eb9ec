#ifndef TOOLS_VERSION_H
#define TOOLS_VERSION_H

/* Prints the name of the program and softrnic's version. */
void version_print(const char *program);

/* When --version is among the words: prints it and ends the process with status 0. Call it first in
 * main(). */
void version_if_asked(int argc, char **argv);

#endif
