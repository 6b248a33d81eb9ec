/* Checks the memory that a peer, or any host on the network, may read and write. Sanitizers check
 * every access. In addition each node has a block of memory. Bytes marked `fixed` must never
 * change, and bytes marked `secret` must never be sent. */
#include "hostile_memory.h"

#include <stdlib.h>
#include <string.h>

#define RIGHTS                                                                    \
	(RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE | RN_ACCESS_REMOTE_READ | \
	 RN_ACCESS_REMOTE_ATOMIC)

static const struct {
	uint32_t pd, access;
	bool fixed, secret;
} kinds[REGIONS] = {
	[WRITABLE] = {SIM_PD, RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_WRITE, false, true},
	[READABLE] = {SIM_PD, RN_ACCESS_REMOTE_READ, true, false},
	[LOCAL] = {SIM_PD, RN_ACCESS_LOCAL_WRITE, true, true},
	[FOREIGN] = {FOREIGN_PD, RIGHTS | RN_ACCESS_MW_BIND, true, true},
	[STALE] = {SIM_PD, RIGHTS, true, true},
	[GONE] = {SIM_PD, RIGHTS, true, true}, /* unmapped: every access fails */
	[ATOMIC] = {SIM_PD, RN_ACCESS_LOCAL_WRITE | RN_ACCESS_REMOTE_ATOMIC, false, false},
	/* memory windows are bound over the middle half of this region */
	[LENT] = {SIM_PD, RN_ACCESS_LOCAL_WRITE | RN_ACCESS_MW_BIND, false, false},
	/* read-only memory windows are bound over this region */
	[VIEW] = {SIM_PD, RN_ACCESS_LOCAL_WRITE | RN_ACCESS_MW_BIND, true, false},
	/* buffers of the bystander's client */
	[HOME] = {FOREIGN_PD, RN_ACCESS_LOCAL_WRITE, false, false},
};

static const uint8_t secret[8] = {0xC3, 0x5A, 0x96, 0x0F, 0xE1, 0x78, 0x2D, 0xB4};
static const uint8_t *gone[SIM_NODES]; /* address of each node's region GONE */

static bool is_there(const uint8_t *p, size_t n)
{
	for (unsigned i = 0; i < SIM_NODES; i++)
		if (p + n > gone[i] && p < gone[i] + PART)
			return false;
	return true;
}

static bool gather(void *dst, const void *ptr, size_t n)
{
	return is_there(ptr, n) && rn_mem_plain.gather(dst, ptr, n);
}

static bool gather_icrc(void *dst, const void *ptr, size_t n, uint32_t *icrc)
{
	return is_there(ptr, n) && rn_mem_plain.gather_icrc(dst, ptr, n, icrc);
}

static bool place(void *ptr, const void *src, size_t n)
{
	return is_there(ptr, n) && rn_mem_plain.place(ptr, src, n);
}

static bool cmp_swap(void *ptr, uint64_t compare, uint64_t swap, uint64_t *old)
{
	return is_there(ptr, 8) && rn_mem_plain.cmp_swap(ptr, compare, swap, old);
}

static bool fetch_add(void *ptr, uint64_t add, uint64_t *old)
{
	return is_there(ptr, 8) && rn_mem_plain.fetch_add(ptr, add, old);
}

const struct rn_mem_ops hostile_mem = {gather, place, cmp_swap, fetch_add, gather_icrc};

uint8_t *hostile_region(const struct hostile *h, unsigned node, unsigned kind)
{
	return h->block[node] + PART * (2 * kind + 1);
}

uint64_t hostile_offset(const struct hostile *h, unsigned node, const uint8_t *p)
{
	return (uint64_t)(uintptr_t)p - (uint64_t)(uintptr_t)h->sim.node[node].arena;
}

/* Byte i of the block must keep its value if is_fixed(i), and must not be sent if is_secret(i).
 * Memory windows expose the middle half of region LENT, so this half is neither fixed nor
 * secret. */
static bool is_fixed(uint32_t i)
{
	uint32_t part = i / PART, at = i % PART;
	if (part == 2 * LENT + 1)
		return at < PART / 4 || at >= PART - PART / 4;
	return part % 2 == 0 || kinds[part / 2].fixed;
}

static bool is_secret(uint32_t i)
{
	uint32_t part = i / PART;
	if (part == 2 * LENT + 1)
		return is_fixed(i);
	return part % 2 == 0 || kinds[part / 2].secret;
}

static uint8_t filling(uint32_t i)
{
	return is_secret(i) ? secret[i % sizeof(secret)] : (uint8_t)(i * 7 + i / 251);
}

void hostile_memory_make(struct hostile *h, unsigned node)
{
	uint32_t lkey;
	h->block[node] = aligned_alloc(64, PART * (2 * REGIONS + 1));
	if (h->block[node] == NULL)
		abort();
	for (uint32_t i = 0; i < PART * (2 * REGIONS + 1); i++)
		h->block[node][i] = filling(i);
	for (unsigned i = 0; i < REGIONS; i++) {
		uint8_t *at = hostile_region(h, node, i);
		struct rn_mr_attr a = {at, (uint64_t)(uintptr_t)at, PART, kinds[i].pd,
				       kinds[i].access};
		if (rn_mr_add(h->sim.node[node].mrs, &a, &lkey, &h->key[node][i]))
			abort();
	}
	rn_mr_remove(h->sim.node[node].mrs, h->key[node][STALE]);
	rn_mr_reclaim(h->sim.node[node].mrs, h->key[node][STALE]);
	gone[node] = hostile_region(h, node, GONE);
}

void hostile_memory_check(struct hostile *h, unsigned node)
{
	for (uint32_t i = 0; i < PART * (2 * REGIONS + 1); i++)
		if (is_fixed(i) && h->block[node][i] != filling(i)) {
			OBJECT(h, "node %u: byte %u of part %u was changed", node, i % PART,
			       i / PART);
			return;
		}
}

void hostile_memory_drop(struct hostile *h, unsigned node)
{
	for (unsigned i = 0; i < REGIONS; i++)
		if (i != STALE) {
			rn_mr_remove(h->sim.node[node].mrs, h->key[node][i]);
			rn_mr_reclaim(h->sim.node[node].mrs, h->key[node][i]);
		}
	free(h->block[node]);
}

void hostile_memory_leak(struct hostile *h, unsigned from, const struct rn_pkt *pkt)
{
	if (pkt->kind != RN_PKT_IB)
		return;
	for (uint32_t i = 0; i + sizeof(secret) <= pkt->payload_len; i++) {
		const uint8_t *p = memchr(pkt->payload + i, secret[0],
					  pkt->payload_len - i - (sizeof(secret) - 1));
		if (p == NULL)
			return;
		i = (uint32_t)(p - pkt->payload);
		if (memcmp(p, secret, sizeof(secret)) == 0) {
			OBJECT(h, "node %u: a %s carries secret memory", from, pkt->op->name);
			return;
		}
	}
}
