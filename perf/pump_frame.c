/* Prepares the frame headers of a flow (one direction of messages) before the measurement, for each
 * of the four kinds of frames: first, middle, last, only. */
#include "pump_frame.h"

static void put16(uint8_t *d, unsigned v)
{
	d[0] = (uint8_t)(v >> 8);
	d[1] = (uint8_t)v;
}

static void shape_fill(struct pump_shape *s, enum pump_kind kind, bool write, uint32_t payload)
{
	static const uint8_t send_op[] = {0, 1, 2, 4}, write_op[] = {6, 7, 8, 10};
	static const uint8_t eth_ip[] = {2, 0, 0,    0, 0, 2, 2,  0, 0,	   0, 0,  1,
					 8, 0, 0x45, 2, 0, 0, 0,  0, 0x40, 0, 64, 17,
					 0, 0, 10,   9, 0, 1, 10, 9, 0,	   2};
	bool reth = write && (kind == PUMP_FIRST || kind == PUMP_ONLY);

	s->payload = (uint16_t)payload;
	s->pad = (uint16_t)(-payload & 3);
	s->head_len = PUMP_BASE + (reth ? PUMP_RETH : 0);
	s->frame = (uint16_t)(s->head_len + payload + s->pad + PUMP_ICRC);
	memset(s->head, 0, sizeof(s->head));
	memcpy(s->head, eth_ip, sizeof(eth_ip));
	put16(s->head + 16, s->frame - 14u);
	put16(s->head + 34, 0xc000);
	put16(s->head + 36, 4791);
	put16(s->head + 38, s->frame - 34u);
	s->head[42] = write ? write_op[kind] : send_op[kind];
	s->head[43] = (uint8_t)(0x40 | s->pad << 4);
	put16(s->head + 44, 0xffff);
}

void rn_pump_flow_init(struct pump_flow *f, bool write, bool work, uint32_t size, uint32_t mtu,
		       uint8_t *buf, size_t bytes)
{
	uint32_t frames = size == 0 ? 1 : (size + mtu - 1) / mtu;
	uint32_t tail = size - (frames - 1) * mtu;

	*f = (struct pump_flow){.work = work, .size = size, .mtu = mtu, .frames = frames};
	f->buf = buf;
	f->bytes = bytes;
	f->stride = size == 0 ? 64 : ((size_t)size + 63) & ~(size_t)63;
	shape_fill(&f->shape[PUMP_FIRST], PUMP_FIRST, write, mtu);
	shape_fill(&f->shape[PUMP_MIDDLE], PUMP_MIDDLE, write, mtu);
	shape_fill(&f->shape[PUMP_LAST], PUMP_LAST, write, tail);
	shape_fill(&f->shape[PUMP_ONLY], PUMP_ONLY, write, tail);
}
