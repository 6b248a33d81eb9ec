/* Is a buffer memory that may be read or written, all of it? Asked once, when a region is registered; mem.h is what
 * keeps us safe from what the application does to the buffer later. */
#ifndef RN_PROBE_H
#define RN_PROBE_H

#include <stdbool.h>
#include <stdint.h>

/* Every page of [addr, addr + length) must be mapped and readable, and writable if `write`. Never raises a signal, never
 * changes a byte; pages of a buffer of up to RN_PROBE_SMALL bytes may become resident, as with hardware that pins them.
 * May take 100 us or more in a process with thousands of mappings, and waits with the kernel where a page is slow to
 * come: hold no lock. Any thread. 0 (also for length 0); -EFAULT: not all of it; -ENOMEM: the process's list of
 * mappings could not be read. */
int rn_probe(uint64_t addr, uint64_t length, bool write);

#define RN_PROBE_SMALL 65536u

/* The slow way alone, from a list of mappings as /proc/self/maps has it. Closes fd. */
int rn_probe_list(int fd, uint64_t addr, uint64_t length, bool write);

#endif
