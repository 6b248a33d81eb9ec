/* JSON output of the tools, in addition to their tables. The file is opened before a test and
 * written after it. May be used by any thread. */
#ifndef TOOLS_JSONFILE_H
#define TOOLS_JSONFILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Opens the file for writing and truncates it. If this fails, prints a message on stderr that
 * begins with `program`, and returns NULL. */
FILE *jsonfile_open(const char *program, const char *path);
/* Writes the value and a line break, closes the file, and releases the reference to `value`.
 * Returns false if the file could not be written. */
bool jsonfile_finish(FILE *f, json_t *value);
/* Makes a JSON string of any text. Text that is not valid UTF-8 is taken as Latin-1. */
json_t *jsonfile_text(const char *text);
/* Makes a JSON number with as many decimals as the table prints; with 0 decimals a whole number. A
 * value that is not finite becomes null. */
json_t *jsonfile_number(double value, int decimals);

#endif
