/* Prints any packet as one line of text, for tests, transcripts, tracing and tools. Pure functions,
 * which any thread may call. They are too slow for the packet path. */
#ifndef RN_DUMP_H
#define RN_DUMP_H

#include <stddef.h>

#include "wire/pkt.h"
#include "wire/verdict.h"

#define RN_DUMP_BYTES 256 /* size in bytes of a buffer that fits every line */

/* Prints a packet, or a management datagram with its attribute. Examples:
 * "RC WRITE_FIRST psn=5 qp=0x11 ack va=0x1000 rkey=0x77 dma=8192 len=1024"
 * "UD SEND_ONLY psn=0 qp=0x1 CM REQ tid=0x1000000a7 local=0x6b8b4567 len=256"
 *
 * `text` has room for cap (> 0) bytes. A longer line is cut, and the text always ends with a NUL.
 * Returns the length of the text. `text`, `cap` and the result have the same meaning in the
 * functions below. */
size_t rn_dump_pkt(char *text, size_t cap, const struct rn_pkt *pkt);

/* Prints the source and destination address, for example "192.0.2.1 > 192.0.2.2" or
 * "2001:db8:0:0:0:0:0:1 > ...". */
size_t rn_dump_addresses(char *text, size_t cap, const struct rn_pkt *pkt);

/* Parses a frame, and prints the addresses and the packet. For a refused frame prints the verdict
 * instead of the packet: "192.0.2.1 > 192.0.2.2 dropped: bad ICRC". */
size_t rn_dump_frame(char *text, size_t cap, const uint8_t *frame, size_t len);

#endif
