/* The catalogue of NetworkDirect providers: a folder of small text files, one per provider.
 *
 *   # comment
 *   guid = {01234567-89ab-cdef-0123-456789abcdef}
 *   library = /usr/lib/libsomething.so
 *
 * Files are read in the order of their names. A GUID that came before, and a file whose name
 * begins with a dot, are skipped silently; a file in another format is skipped with a message on
 * stderr. Any thread. */
#ifndef UTIL_CATALOGUE_H
#define UTIL_CATALOGUE_H

#include "ndtypes.h"

#include <stdbool.h>
#include <stdint.h>

struct util_entry {
	GUID guid;
	char library[512];
};

/* $SOFTRNIC_ND_CATALOG, else the folder configured at build time. */
const char *util_catalogue_folder(void);

/* Reads up to n entries and returns their number, 0 if the folder does not exist. -EMFILE, -ENFILE
 * or -ENOMEM: the folder or a file could not be read for lack of descriptors or memory. */
int util_catalogue_read(const char *folder, struct util_entry *entries, unsigned n);
/* Computes a number that changes whenever reading may give another result. 0, or an error as
 * above. */
int util_catalogue_mark(const char *folder, uint64_t *mark);
/* True if this errno, positive or negative, means a shortage of descriptors or memory. */
bool util_is_shortage(int error);

/* Accepts a GUID with or without braces and nothing else. */
bool util_guid_parse(const char *text, GUID *guid);

#endif
