/* opendir() and what reads a folder. A program that opens a folder of softrnic's gets a stream of
 * libc's (of some folder of the kernel's), so that functions of libc can handle it; the names that
 * readdir() returns from it are in a table here. Functions that do not call readdir(), such as
 * scandir() and the deprecated readdir_r(), return the names of the kernel's folder. One thread at
 * a time reads a stream, and any thread may open and close others meanwhile. */
/* Checked forms of functions are off in this library, because the headers define open() with them.
 * This file defines none of the functions that have one. */
#define _FORTIFY_SOURCE 2
#include "preload/next.h"
#include "preload/paths.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>

#define STREAMS 16 /* that can be open at the same time */

static struct stream {
	DIR *_Atomic dir;	  /* NULL: free */
	const char *next;	  /* the name that is next, in `names` */
	char names[PRELOAD_TEXT]; /* each with a newline */
	struct dirent entry;	  /* what readdir() has returned last */
} streams[STREAMS];

static _Atomic unsigned open_streams; /* in nearly every process 0 at all times */

static struct stream *find(const DIR *dir)
{
	if (__builtin_expect(atomic_load_explicit(&open_streams, memory_order_relaxed) == 0, 1))
		return NULL;
	for (unsigned i = 0; i < STREAMS; i++)
		if (atomic_load(&streams[i].dir) == dir)
			return &streams[i];
	return NULL;
}

/* Puts a stream into the table. Returns false if the table is full. */
static bool enter(DIR *dir, const char *names)
{
	for (unsigned i = 0; i < STREAMS; i++) {
		struct stream *s = &streams[i];
		DIR *none = NULL;

		if (!atomic_compare_exchange_strong(&s->dir, &none, dir))
			continue;
		snprintf(s->names, sizeof(s->names), "%s", names);
		s->next = s->names;
		atomic_fetch_add(&open_streams, 1);
		return true;
	}
	return false;
}

PRELOAD_REPLACES DIR *opendir(const char *path)
{
	char names[PRELOAD_TEXT];
	DIR *dir;

	if (!preload_path_may_be_ours(path) || preload_path_look(path, names) != S_IFDIR)
		return NEXT(opendir)(path);
	dir = NEXT(opendir)("/sys/class");
	if (dir != NULL && !enter(dir, names)) {
		NEXT(closedir)(dir);
		errno = EMFILE;
		return NULL;
	}
	return dir;
}

PRELOAD_REPLACES int closedir(DIR *dir)
{
	struct stream *s = find(dir);

	if (s != NULL) {
		atomic_store(&s->dir, NULL);
		atomic_fetch_sub(&open_streams, 1);
	}
	return NEXT(closedir)(dir);
}

/* Returns the next entry, or NULL at the end. */
static struct dirent *next_entry(struct stream *s)
{
	size_t n = strcspn(s->next, "\n");

	if (*s->next == '\0')
		return NULL;
	s->entry = (struct dirent){.d_ino = 1,
				   .d_off = s->next + n + 1 - s->names,
				   .d_reclen = sizeof(s->entry),
				   .d_type = DT_UNKNOWN};
	snprintf(s->entry.d_name, sizeof(s->entry.d_name), "%.*s", (int)n, s->next);
	s->next += n + 1;
	return &s->entry;
}

static_assert(sizeof(struct dirent) == sizeof(struct dirent64), "one layout");

PRELOAD_REPLACES struct dirent *readdir(DIR *dir)
{
	struct stream *s = find(dir);

	return s != NULL ? next_entry(s) : NEXT(readdir)(dir);
}

PRELOAD_REPLACES struct dirent64 *readdir64(DIR *dir)
{
	struct stream *s = find(dir);

	return s != NULL ? (struct dirent64 *)next_entry(s) : NEXT(readdir64)(dir);
}

PRELOAD_REPLACES void rewinddir(DIR *dir)
{
	struct stream *s = find(dir);

	if (s != NULL)
		s->next = s->names;
	NEXT(rewinddir)(dir);
}

PRELOAD_REPLACES long telldir(DIR *dir)
{
	struct stream *s = find(dir);

	return s != NULL ? s->next - s->names : NEXT(telldir)(dir);
}

PRELOAD_REPLACES void seekdir(DIR *dir, long at)
{
	struct stream *s = find(dir);

	if (s == NULL)
		NEXT(seekdir)(dir, at);
	else if (at >= 0 && (size_t)at <= strlen(s->names))
		s->next = s->names + at;
}
