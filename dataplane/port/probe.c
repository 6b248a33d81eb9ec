/* May this buffer be registered? Touching its pages could raise a signal, which the calling thread
 * may have blocked. So this file asks the kernel in one of two ways. Owns nothing. Runs in the
 * calling thread.
 *
 * - madvise(MADV_POPULATE_*), for small buffers: faults the pages in or fails. Takes 0.2 us for a
 *   page and 0.8 us for 64 KB (measured), however many mappings the process has. Success means that
 *   the buffer is accessible. Failure means nothing, because madvise() also fails for some valid
 *   memory (device mappings) and on older kernels.
 * - The list of the process's mappings, for large buffers and after a failed madvise(). The list is
 *   read up to the end of the buffer. This takes 7 us with 30 mappings and 100 us with 1000
 *   (measured). Reading the list makes no page resident, so a large sparse buffer stays sparse. */
#include "port/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/types.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ  22
#define MADV_POPULATE_WRITE 23
#endif

#define PAGE 4096u /* the smallest page size of x86-64, of which larger sizes are multiples */

/* The state of parsing one line of /proc/self/maps: "7f12a000-7f12b000 rw-p ...". */
struct reader {
	enum { START, END, RIGHTS, REST } at;
	uint64_t start, end;
	unsigned column; /* while `at` is RIGHTS: index of the next letter of "rw-p" */
	bool readable, writable;
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Parses the next character. Returns true as soon as the range and the access rights of a line are
 * complete. */
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

/* Checks the buffer against one mapping. Mappings come in ascending order. *next is the first byte
 * of the buffer that is not covered yet. Returns:
 * - 1 if the buffer continues after this mapping
 * - 0 if the buffer ends in this mapping
 * - -EFAULT if there is a gap or an access right is missing */
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
	char text[4096]; /* a read() of /proc/self/maps returns at most 4096 bytes */

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

static bool populate(uint64_t addr, uint64_t length, bool write)
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
	/* Refuse a buffer at the end of the 64-bit address space; no process has memory there. */
	if (rn_range_wraps(addr, length) || addr + length > UINT64_MAX - PAGE)
		return -EFAULT;
	if (length <= RN_PROBE_SMALL && populate(addr, length, write))
		return 0;
	fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -ENOMEM : rn_probe_list(fd, addr, length, write);
}
