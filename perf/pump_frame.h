#ifndef RN_PERF_PUMP_FRAME_H
#define RN_PERF_PUMP_FRAME_H
/* Frames as long as RoCEv2's for the same message, with one copy and one CRC on each side and no
 * protocol: the upper bound for a RoCE NIC in software on the same port. Inline, since this is the
 * code that is measured. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <isa-l.h>

#define PUMP_BASE 54 /* Ethernet 14, IPv4 20, UDP 8, BTH 12 */
#define PUMP_RETH 16
#define PUMP_ICRC 4

enum pump_kind { PUMP_FIRST, PUMP_MIDDLE, PUMP_LAST, PUMP_ONLY, PUMP_KINDS };

/* One direction of messages and its buffer. Both ends walk through a buffer of the same size in
 * the same order. */
struct pump_flow {
	struct pump_shape {
		uint8_t head[PUMP_BASE + PUMP_RETH];
		uint16_t head_len, payload, pad, frame;
	} shape[PUMP_KINDS];
	bool work;     /* copy and CRC; else headers and lengths only */
	uint32_t size; /* of a message */
	uint32_t mtu;
	uint32_t frames; /* of a message */
	uint32_t part;	 /* the message's next frame */
	uint8_t *buf;
	size_t bytes, stride, at; /* `at`: offset of the current message in buf */
	uint64_t messages, bad;
};

/* `write`: RETH in first and only frames. bytes >= size rounded up to 64. */
void rn_pump_flow_init(struct pump_flow *f, bool write, bool work, uint32_t size, uint32_t mtu,
		       uint8_t *buf, size_t bytes);

/* Returns to a message boundary, after an epoch ended within a message. */
static inline void pump_flow_realign(struct pump_flow *f)
{
	f->part = 0;
}

static inline enum pump_kind pump_kind_next(const struct pump_flow *f)
{
	if (f->frames == 1)
		return PUMP_ONLY;
	return f->part == 0 ? PUMP_FIRST : f->part + 1 == f->frames ? PUMP_LAST : PUMP_MIDDLE;
}

static inline void pump_advance(struct pump_flow *f)
{
	if (++f->part < f->frames)
		return;
	f->part = 0;
	f->messages++;
	f->at += f->stride;
	if (f->at + f->stride > f->bytes)
		f->at = 0;
}

/* Writes the flow's next frame and returns its length. */
static inline uint16_t pump_frame_build(struct pump_flow *f, uint8_t *d)
{
	const struct pump_shape *s = &f->shape[pump_kind_next(f)];
	uint32_t crc;

	memcpy(d, s->head, sizeof(s->head));
	if (f->work) {
		memcpy(d + s->head_len, f->buf + f->at + (size_t)f->part * f->mtu, s->payload);
		memset(d + s->head_len + s->payload, 0, 4);
		crc = crc32_gzip_refl(0, d + 14, s->frame - 14 - PUMP_ICRC);
		memcpy(d + s->frame - PUMP_ICRC, &crc, PUMP_ICRC);
	}
	pump_advance(f);
	return s->frame;
}

/* Checks a frame against the flow's next one and copies its payload out. */
static inline void pump_frame_take(struct pump_flow *f, const uint8_t *d, uint16_t len)
{
	const struct pump_shape *s = &f->shape[pump_kind_next(f)];
	uint32_t crc;

	if (len != s->frame || d[42] != s->head[42])
		f->bad++;
	else if (f->work) {
		crc = crc32_gzip_refl(0, d + 14, len - 14 - PUMP_ICRC);
		if (memcmp(&crc, d + len - PUMP_ICRC, PUMP_ICRC) != 0)
			f->bad++;
		else
			memcpy(f->buf + f->at + (size_t)f->part * f->mtu, d + s->head_len,
			       s->payload);
	}
	pump_advance(f);
}

#endif
