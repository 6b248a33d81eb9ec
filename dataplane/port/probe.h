/* Checks that all of a buffer is mapped and accessible, once, when a memory region is registered.
 * If the application unmaps the buffer later, the copy routines of mem.h handle the fault. */
#ifndef RN_PROBE_H
#define RN_PROBE_H

#include <stdbool.h>
#include <stdint.h>

/* Every page of [addr, addr + length) must be mapped and readable; if `write` is set, also
 * writable. Raises no signal and changes no byte. Pages of a buffer of up to RN_PROBE_SMALL bytes
 * may become resident, as with hardware that pins them. May take 100 us or more in a process with
 * thousands of mappings, and blocks while the kernel reads a page from disk: the caller must hold
 * no lock. Any thread may call this function. Returns 0 (also for length 0), -EFAULT when a part is
 * not accessible, or -ENOMEM when the process's list of mappings cannot be read. */
int rn_probe(uint64_t addr, uint64_t length, bool write);

#define RN_PROBE_SMALL 65536u

/* Checks the buffer only against a list of mappings, which is read from fd in the format of
 * /proc/self/maps. Closes fd. The return value is that of rn_probe(). */
int rn_probe_list(int fd, uint64_t addr, uint64_t length, bool write);

#endif
