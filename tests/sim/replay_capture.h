/* The records of a capture: read, and asked about. */
#ifndef RN_REPLAY_CAPTURE_H
#define RN_REPLAY_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

struct record;
struct replay;
struct rn_pkt;

/* Makes a record of a frame, which must be a sound one. */
void capture_fill(struct record *rec, const uint8_t *frame, uint32_t len);
/* Reads r->file; what the host with this last byte of its address sent is ours. */
void capture_load(struct replay *r, uint8_t host);
/* The type of the captured queue pairs. */
uint8_t capture_type(const struct replay *r);
/* Finds the queue pairs that talk to each other. */
void capture_pairs(struct replay *r);
/* The bytes of the message that begins with record i. *end: its last packet, which has the immediate data. */
uint32_t capture_gather(const struct replay *r, unsigned i, uint8_t *buf, const struct rn_pkt **end);
/* First PSN of the requests of one side. */
uint32_t capture_first_psn(const struct replay *r, unsigned pair, bool ours);

#endif
