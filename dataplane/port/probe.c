/* May this buffer be registered? Touching each page would need a signal handler, and a signal that the calling thread
 * may have blocked, so the kernel is asked, in one of two ways. Owns nothing; the calling thread.
 *
 * Small buffers: madvise(MADV_POPULATE_*) faults the pages in, or says that it cannot; the time does not depend on how
 * many mappings the process has (measured: 0.2 us a page, 0.8 us for 64 KB). What it refuses may still be good (a device
 * mapping, an older kernel), so only its yes counts.
 * Others: the process's list of mappings, read until the buffer's end (7 us with 30 mappings, 100 us with 1000), which
 * leaves a large sparse buffer as sparse as it is. */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "types.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ  22
#define MADV_POPULATE_WRITE 23
#endif

#define PAGE 4096u /* x86-64; a larger one of the file system's is a multiple */

/* One line of the list at a time: "7f12a000-7f12b000 rw-p ...". */
struct reader {
	enum { START, END, RIGHTS, REST } at;
	uint64_t start, end;
	unsigned column; /* of the rights */
	bool readable, writable;
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* True when the line's range and rights are complete. */
static bool take_char(struct reader *r, char c)
{
	switch (r->at) {
	case START:
		if (c == '-')
			r->at = END;
		else
			r->start = r->start << 4 | (unsigned)hex_digit(c);
		return false;
	case END:
		if (c == ' ')
			r->at = RIGHTS;
		else
			r->end = r->end << 4 | (unsigned)hex_digit(c);
		return false;
	case RIGHTS:
		if (r->column == 0)
			r->readable = c == 'r';
		else
			r->writable = c == 'w';
		if (r->column++ == 0)
			return false;
		r->at = REST;
		return true;
	default:
		if (c == '\n')
			*r = (struct reader){.at = START};
		return false;
	}
}

/* Lines come in ascending order. 1: the buffer reaches beyond this line; 0: it ends in it; -EFAULT: it does not qualify.
 * *next: the first byte not yet vouched for. */
static int take_line(const struct reader *r, uint64_t *next, uint64_t end, bool write)
{
	if (r->end <= *next)
		return 1;
	if (r->start > *next || !r->readable || (write && !r->writable))
		return -EFAULT;
	*next = r->end;
	return r->end < end;
}

int rn_probe_list(int fd, uint64_t addr, uint64_t length, bool write)
{
	struct reader r = {.at = START};
	uint64_t next = addr, end = addr + length;
	int rc = length == 0 ? 0 : 1;
	char text[4096]; /* the kernel gives no more at once */

	while (rc == 1) {
		ssize_t n = read(fd, text, sizeof(text));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			rc = n < 0 ? -ENOMEM : -EFAULT;
		for (ssize_t i = 0; rc == 1 && i < n; i++)
			if (take_char(&r, text[i]))
				rc = take_line(&r, &next, end, write);
	}
	close(fd);
	return rc;
}

static bool kernel_says_yes(uint64_t addr, uint64_t length, bool write)
{
	uint64_t first = addr & ~(uint64_t)(PAGE - 1);
	uint64_t end = addr + length;

	return madvise((void *)(uintptr_t)first, (size_t)(RN_ALIGN_UP(end, (uint64_t)PAGE) - first),
		       write ? MADV_POPULATE_WRITE : MADV_POPULATE_READ) == 0;
}

int rn_probe(uint64_t addr, uint64_t length, bool write)
{
	int fd;

	if (length == 0)
		return 0;
	/* The last page has no end that fits 64 bits; nobody has memory there. */
	if (rn_range_wraps(addr, length) || addr + length > UINT64_MAX - PAGE)
		return -EFAULT;
	if (length <= RN_PROBE_SMALL && kernel_says_yes(addr, length, write))
		return 0;
	fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -ENOMEM : rn_probe_list(fd, addr, length, write);
}
