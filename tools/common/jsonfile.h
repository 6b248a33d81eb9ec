/* JSON output of the tools, beside their tables: the file is opened before a test and written
 * after it. Any thread. */
#ifndef TOOLS_JSONFILE_H
#define TOOLS_JSONFILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Opens the file for writing, empty; NULL after a message on stderr that begins with `program`. */
FILE *jsonfile_open(const char *program, const char *path);
/* Writes the value on lines of its own and closes the file; takes the reference. False: it could
 * not be written. */
bool jsonfile_finish(FILE *f, json_t *value);
/* Any text as a JSON string. Text that is not valid UTF-8 is converted as Latin-1. */
json_t *jsonfile_text(const char *text);
/* A number with as many decimals as in the table; with 0 decimals a whole number. NAN becomes
 * null. */
json_t *jsonfile_number(double value, int decimals);

#endif
