#ifndef RN_PERF_PUMP_FRAME_H
#define RN_PERF_PUMP_FRAME_H
/* The frames of the bare pump. A frame is as long as the RoCEv2 frame of the same message, but
 * there is no protocol: each side makes one copy and computes one CRC. So the pump's frame rate is
 * the upper bound for a software RoCE NIC on the same DPDK port. The functions are inline because
 * they are the measured code. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <isa-l.h>

#define PUMP_BASE 54 /* header bytes: Ethernet 14, IPv4 20, UDP 8, BTH 12 */
#define PUMP_RETH 16
#define PUMP_ICRC 4

enum pump_kind { PUMP_FIRST, PUMP_MIDDLE, PUMP_LAST, PUMP_ONLY, PUMP_KINDS };

/* One direction of messages, as one of the two ends sees it. Each end has its own buffer for the
 * messages. Both buffers have the same size, and both ends step through them in the same order. */
struct pump_flow {
	struct pump_shape {
		uint8_t head[PUMP_BASE + PUMP_RETH];
		uint16_t head_len, payload, pad, frame;
	} shape[PUMP_KINDS];
	bool work;     /* true: copy the payload and compute a CRC; false: do neither */
	uint32_t size; /* bytes of a message */
	uint32_t mtu;
	uint32_t frames; /* frames of a message */
	uint32_t part;	 /* number of the next frame within the message */
	uint8_t *buf;
	/* in bytes: length of buf; distance between two consecutive messages in buf; offset of the
	 * current message in buf */
	size_t bytes, stride, at;
	uint64_t messages, bad;
};

/* Prepares a flow. `buf` has `bytes` bytes, which must be at least `size` rounded up to a multiple
 * of 64. With `write`, first and only frames have a RETH. */
void rn_pump_flow_init(struct pump_flow *f, bool write, bool work, uint32_t size, uint32_t mtu,
		       uint8_t *buf, size_t bytes);

/* Goes back to the first frame of the current message. To be called before a measurement, because
 * the previous measurement may have ended within the message. */
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

/* Takes a received frame. Counts the frame as bad unless it has the length and opcode of the flow's
 * next frame. If f->work is set, also checks the CRC, and copies the payload of a good frame to the
 * buffer. */
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
