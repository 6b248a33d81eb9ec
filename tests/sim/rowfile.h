/* Files of rows of docs/spec/rocev2.md: a comment, then rows that begin with "== name". */
#ifndef SIM_ROWFILE_H
#define SIM_ROWFILE_H

#define ROWFILE_MAX 1024

struct rowfile {
	unsigned nrows;
	char *name[ROWFILE_MAX];
	char *script[ROWFILE_MAX];
};

/* Adds the rows of a file; ends the process when it is malformed. Returns the comment it opens with. Nothing is freed. */
const char *rowfile_read(struct rowfile *f, const char *path);

#endif
