/* A buffer for one frame to be sent. */
#ifndef RN_TXBUF_H
#define RN_TXBUF_H

#include <stdbool.h>
#include <stdint.h>

/* A place for one frame. The core fills data[0..len), len <= cap, and sets `loop`, which is false when it is offered. */
struct rn_txbuf {
	uint8_t *data;
	uint32_t cap;
	uint32_t len;
	bool loop; /* to a group that has members on this NIC: to be received here as well as sent */
};
#endif
