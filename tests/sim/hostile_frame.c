/* Builds frames with errors in the layers below the transport; see hostile_frame.h. */
#include "hostile_frame.h"

#include <string.h>

#include "wire/hdr.h"

static void reseal_ipv4(uint8_t *ip)
{
	uint32_t sum = 0;
	rn_store16(ip + 10, 0);
	for (unsigned i = 0; i < 20; i += 2)
		sum += rn_load16(ip + i);
	sum = (sum & 0xFFFF) + (sum >> 16);
	sum = (sum & 0xFFFF) + (sum >> 16);
	rn_store16(ip + 10, (uint16_t)~sum);
}

void hostile_frame_flip(struct hostile *h, uint8_t *data, uint32_t len, uint32_t within)
{
	for (unsigned n = 1 + below(h, 3); n && len; n--) {
		uint32_t at = below(h, RN_MIN(len, within));
		data[at] = one_in(h, 2) ? (uint8_t)below(h, 256)
					: data[at] ^ (uint8_t)(1u << below(h, 8));
	}
}

uint32_t hostile_frame_neighbour(struct hostile *h, unsigned node, uint8_t *f)
{
	const struct rn_port_attr *port[SIM_NODES] = {&h->sim.node[0].port, &h->sim.node[1].port};
	unsigned kind = below(h, 3);
	uint32_t len = kind == 0 ? 42 : kind == 1 ? 14 + 40 + 32 : 14 + 20 + 16;
	memset(f, 0, len);
	memcpy(f, port[node]->mac, 6);
	if (one_in(h, 3))
		memset(f, 0xFF, 6);
	memcpy(f + 6, port[below(h, 2)]->mac, 6);
	rn_store16(f + 12, kind == 0 ? 0x0806 : kind == 1 ? 0x86DD : 0x0800);
	if (kind == 0) {
		static const uint8_t head[] = {0, 1, 8, 0, 6, 4, 0};
		memcpy(f + 14, head, sizeof(head));
		f[21] = (uint8_t)(1 + below(h, 2));
		memcpy(f + 22, f + 6, 6);
		memcpy(f + 28, port[below(h, 2)]->gids[0].b + 12, 4);
		memcpy(f + 38, port[below(h, 2)]->gids[0].b + 12, 4);
	} else if (kind == 1) {
		f[14] = 0x60;
		f[19] = 32;
		f[20] = 58;
		f[21] = 255;
		memcpy(f + 22, port[below(h, 2)]->gids[1].b, 16);
		memcpy(f + 38, port[below(h, 2)]->gids[1].b, 16);
		f[54] = (uint8_t)(128 + below(h, 10));
		memcpy(f + 62, port[below(h, 2)]->gids[1].b, 16);
		f[78] = (uint8_t)below(h, 3);
		f[79] = 1;
	} else {
		static const uint8_t head[] = {0x45, 0, 0, 36, 0, 0, 0x40, 0, 64, 1};
		memcpy(f + 14, head, sizeof(head));
		memcpy(f + 26, port[1 - node]->gids[0].b + 12, 4);
		memcpy(f + 30, port[node]->gids[0].b + 12, 4);
		f[34] = (uint8_t)(one_in(h, 2) ? 8 : below(h, 256));
		reseal_ipv4(f + 14);
	}
	if (one_in(h, 2))
		hostile_frame_flip(h, f + 12, len - 12, len - 12);
	return one_in(h, 8) ? below(h, len) : len;
}

void hostile_frame_twist(struct hostile *h, uint8_t *f, bool ipv4)
{
	static const uint16_t types[] = {0x8915, 0x0806, 0x86DD, 0x0800, 0x88CC, 0x8100};
	uint8_t *ip = f + 14, *udp = ip + (ipv4 ? 20 : 40);
	switch (below(h, 8)) {
	case 0:
		rn_store16(f + 12, types[below(h, RN_ARRAY_SIZE(types))]);
		break;
	/* changes flags and fragment offset (IPv4) or the payload length (IPv6) */
	case 1:
		ip[ipv4 ? 6 : 4] = (uint8_t)below(h, 256);
		break;
	case 2:
		ip[0] = (uint8_t)(ip[0] ^ 1u << below(h, 8));
		break;
	case 3:
		ip[ipv4 ? 9 : 6] = (uint8_t)(one_in(h, 2) ? 44 : below(h, 256));
		break;
	case 4:
		rn_store16(ip + (ipv4 ? 2 : 4), (uint16_t)below(h, 2000));
		break;
	case 5:
		rn_store16(udp + 4, (uint16_t)below(h, 2000));
		break;
	case 6:
		rn_store16(udp + 2, (uint16_t)below(h, 1 << 16));
		break;
	/* changes the BTH byte with SE, M, pad count and transport version */
	case 7:
		udp[8 + 1] = (uint8_t)below(h, 256);
		break;
	}
	if (ipv4)
		reseal_ipv4(ip);
}

uint32_t hostile_frame_noise(struct hostile *h, unsigned node, uint8_t *f)
{
	static const uint16_t types[] = {0x0800, 0x0806, 0x86DD, 0x8100, 0x8915};
	uint32_t len = below(h, 200);
	for (uint32_t i = 0; i < len; i++)
		f[i] = (uint8_t)below(h, 256);
	if (one_in(h, 2))
		memcpy(f, h->sim.node[node].port.mac, RN_MIN(len, 6u));
	if (len > 14 && one_in(h, 2))
		rn_store16(f + 12, types[below(h, RN_ARRAY_SIZE(types))]);
	return len;
}
