/* When a memory region is registered, checks that its whole buffer is mapped and accessible. If the
 * application unmaps the buffer later, the copy routines of mem.c handle the fault. */
#ifndef RN_PROBE_H
#define RN_PROBE_H

#include <stdbool.h>
#include <stdint.h>

/* Checks that every page of [addr, addr + length) is mapped and readable, and if `write` is set
 * also writable. Raises no signal and changes no byte. Pages of a buffer of up to RN_PROBE_SMALL
 * bytes may become resident.
 * Returns 0 (also for length 0), -EFAULT if a part is not accessible, or -ENOMEM if the process's
 * list of mappings cannot be read.
 * Any thread may call this function, but must hold no lock. The call may take 100 us or more in a
 * process with thousands of mappings, and blocks while the kernel reads a page from disk. */
int rn_probe(uint64_t addr, uint64_t length, bool write);

#define RN_PROBE_SMALL 65536u

/* Checks the buffer against a list of mappings, which is read from fd in the format of
 * /proc/self/maps. Closes fd. Return values are those of rn_probe(). */
int rn_probe_list(int fd, uint64_t addr, uint64_t length, bool write);

#endif
