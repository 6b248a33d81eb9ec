/*
 * Intrinsics of Microsoft's compiler for bits, bytes and counters. The intrinsics named
 * Interlocked... are in interlockedapi.h.
 */
#ifndef COMPAT_INTRIN_H
#define COMPAT_INTRIN_H

#include <stdint.h>
#include <stdlib.h>

/*
 * On x86 <x86intrin.h> provides the intrinsics that are not defined below: __rdtsc, _mm_pause and
 * the memory fences.
 */
#if defined(__x86_64__) || defined(__i386__)
#include <x86intrin.h>
#endif

#include "windef.h"

/*
 * Stores the number of the lowest set bit of `mask` in *index and returns a nonzero value. If
 * `mask` is 0, returns 0 and does not change *index.
 */
FORCEINLINE unsigned char _BitScanForward(ULONG *index, ULONG mask)
{
	if (mask)
		*index = (ULONG)__builtin_ctz(mask);
	return mask != 0;
}

FORCEINLINE unsigned char _BitScanForward64(ULONG *index, uint64_t mask)
{
	if (mask)
		*index = (ULONG)__builtin_ctzll(mask);
	return mask != 0;
}

/*
 * Stores the number of the highest set bit of `mask` in *index and returns a nonzero value. If
 * `mask` is 0, returns 0 and does not change *index.
 */
FORCEINLINE unsigned char _BitScanReverse(ULONG *index, ULONG mask)
{
	if (mask)
		*index = 31 - (ULONG)__builtin_clz(mask);
	return mask != 0;
}

FORCEINLINE unsigned char _BitScanReverse64(ULONG *index, uint64_t mask)
{
	if (mask)
		*index = 63 - (ULONG)__builtin_clzll(mask);
	return mask != 0;
}

FORCEINLINE unsigned __popcnt(unsigned value)
{
	return (unsigned)__builtin_popcount(value);
}

FORCEINLINE uint64_t __popcnt64(uint64_t value)
{
	return (uint64_t)__builtin_popcountll(value);
}

FORCEINLINE uint64_t __umulh(uint64_t a, uint64_t b)
{
	__extension__ typedef unsigned __int128 wide;

	return (uint64_t)((wide)a * b >> 64);
}

/* On x86 <x86intrin.h> has already defined _rotl and _rotr. */
#ifndef _rotl
FORCEINLINE unsigned _rotl(unsigned value, int shift)
{
	shift &= 31;
	return shift ? value << shift | value >> (32 - shift) : value;
}

FORCEINLINE unsigned _rotr(unsigned value, int shift)
{
	return _rotl(value, 32 - (shift & 31));
}
#endif

FORCEINLINE uint64_t _rotl64(uint64_t value, int shift)
{
	shift &= 63;
	return shift ? value << shift | value >> (64 - shift) : value;
}

FORCEINLINE uint64_t _rotr64(uint64_t value, int shift)
{
	return _rotl64(value, 64 - (shift & 63));
}

#define __debugbreak() __builtin_trap()
#define __nop()	       __asm__ volatile("nop")

#endif
