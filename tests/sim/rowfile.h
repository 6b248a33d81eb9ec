/* Reads files with rows of docs/spec/rocev2.md: a comment, then rows that begin with "== name". */
#ifndef SIM_ROWFILE_H
#define SIM_ROWFILE_H

#define ROWFILE_MAX 1024

struct rowfile {
	unsigned nrows;
	char *name[ROWFILE_MAX];
	char *script[ROWFILE_MAX];
};

/* Adds the rows of a file and returns the file's opening comment. Exits the process if the file is
 * malformed. The memory is never freed. */
const char *rowfile_read(struct rowfile *f, const char *path);

#endif
