/* Copies a client's buffer list into the slots of a work request, as SGEs or as inline data. A
 * buffer list is an array of 16-byte records {u64 or pointer address, u32 length, u32 key}; the
 * calling API chooses the names of these fields. Each record is copied before its fields are read.
 * Records of length 0 are left out, and their keys are never checked. */
#ifndef CLIENT_SGL_H
#define CLIENT_SGL_H

#include "rn/abi.h"

#include <string.h>

struct rn_sgl_slots {
	_Alignas(RN_SLOT_BYTES) union {
		struct rn_wqe head;
		uint8_t bytes[RN_WQE_MAX_SLOTS * RN_SLOT_BYTES];
	};
};

static inline struct rn_sge rn_sgl_at(const struct rn_sge *list, uint32_t i)
{
	struct rn_sge sge;

	memcpy(&sge, (const char *)list + (size_t)i * sizeof(sge), sizeof(sge));
	return sge;
}

/* Returns the sum of the lengths. The sum cannot overflow: there are fewer than 2^32 lengths, each
 * less than 2^32. */
static inline uint64_t rn_sgl_length(const struct rn_sge *list, uint32_t n)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < n; i++)
		total += rn_sgl_at(list, i).length;
	return total;
}

/* Stores the SGEs, but not the data, in the slots of the work request. Sets num_sge, slots and the
 * SGEs. n must be at most RN_WQE_MAX_SGE. */
static inline void rn_sgl_put_sges(struct rn_sgl_slots *out, const struct rn_sge *list, uint32_t n)
{
	size_t at = offsetof(struct rn_wqe, sge);
	uint16_t used = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct rn_sge sge = rn_sgl_at(list, i);

		if (sge.length == 0)
			continue;
		memcpy(out->bytes + at, &sge, sizeof(sge));
		at += sizeof(sge);
		used++;
	}
	out->head.num_sge = used;
	out->head.slots = (uint8_t)rn_wqe_slots_sge(used);
}

/* Copies the data of the SGEs into the slots as inline data. The caller has checked the length
 * against RN_WQE_MAX_INLINE. The keys of the SGEs are ignored. */
static inline void rn_sgl_put_inline(struct rn_sgl_slots *out, const struct rn_sge *list,
				     uint32_t n)
{
	size_t at = offsetof(struct rn_wqe, inl);
	size_t start = at;

	for (uint32_t i = 0; i < n; i++) {
		struct rn_sge sge = rn_sgl_at(list, i);

		if (sge.length == 0)
			continue;
		memcpy(out->bytes + at, (const void *)(uintptr_t)sge.addr, sge.length);
		at += sge.length;
	}
	out->head.num_sge = 0;
	out->head.slots = (uint8_t)rn_wqe_slots_inline((unsigned)(at - start));
}

#endif
