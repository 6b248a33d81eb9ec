#ifndef TOOLS_VERSION_H
#define TOOLS_VERSION_H

/* Prints the name of the program and the version of softrnic. */
void version_print(const char *program);

/* If the command line has --version, prints the version and ends the process with status 0. main()
 * must call version_if_asked() first. */
void version_if_asked(int argc, char **argv);

#endif
