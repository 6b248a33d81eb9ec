/* JSON for programs beside the tables for people: a file that is opened before a test and written after it. Any thread. */
#ifndef TOOLS_JSONFILE_H
#define TOOLS_JSONFILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* Empty, ready to be written; NULL after one sentence on stderr that begins with `program`. */
FILE *jsonfile_open(const char *program, const char *path);
/* Writes the value on lines of its own and closes the file; takes the reference. False: it could not be written. */
bool jsonfile_finish(FILE *f, json_t *value);
/* Any text as a string. Names may have bytes that are no UTF-8: such a text is taken for Latin-1. */
json_t *jsonfile_text(const char *text);
/* A figure with as many decimals as in the table; without decimals a whole number. Null: there is no such figure. */
json_t *jsonfile_number(double value, int decimals);

#endif
