/* A transmit buffer for one frame. */
#ifndef RN_TXBUF_H
#define RN_TXBUF_H

#include <stdbool.h>
#include <stdint.h>

/* The caller of the shard's tx function owns this struct and sets data, cap and loop = false. The
 * core writes the frame to data[0..len), with len <= cap, and may set loop. */
struct rn_txbuf {
	uint8_t *data;
	uint32_t cap;
	uint32_t len;
	bool loop; /* also loop the frame back: its multicast group has members on this NIC */
};
#endif
