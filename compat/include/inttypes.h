/*
 * <inttypes.h> for the printf and scanf formats of Windows, where `l` means 32 bits. The macros for
 * 64-bit numbers use `ll`, which the C library of Linux accepts too.
 */
#include_next <inttypes.h>

#ifndef COMPAT_INTTYPES_H
#define COMPAT_INTTYPES_H

#undef PRId64
#undef PRIi64
#undef PRIu64
#undef PRIo64
#undef PRIx64
#undef PRIX64
#define PRId64 "lld"
#define PRIi64 "lli"
#define PRIu64 "llu"
#define PRIo64 "llo"
#define PRIx64 "llx"
#define PRIX64 "llX"

#undef PRIdLEAST64
#undef PRIiLEAST64
#undef PRIuLEAST64
#undef PRIoLEAST64
#undef PRIxLEAST64
#undef PRIXLEAST64
#define PRIdLEAST64 PRId64
#define PRIiLEAST64 PRIi64
#define PRIuLEAST64 PRIu64
#define PRIoLEAST64 PRIo64
#define PRIxLEAST64 PRIx64
#define PRIXLEAST64 PRIX64

/*
 * int_fast16_t and int_fast32_t have 64 bits on Linux, so their formats are those of 64-bit
 * numbers.
 */
#undef PRIdFAST16
#undef PRIiFAST16
#undef PRIuFAST16
#undef PRIxFAST16
#undef PRIdFAST32
#undef PRIiFAST32
#undef PRIuFAST32
#undef PRIxFAST32
#undef PRIdFAST64
#undef PRIiFAST64
#undef PRIuFAST64
#undef PRIxFAST64
#define PRIdFAST16 PRId64
#define PRIiFAST16 PRIi64
#define PRIuFAST16 PRIu64
#define PRIxFAST16 PRIx64
#define PRIdFAST32 PRId64
#define PRIiFAST32 PRIi64
#define PRIuFAST32 PRIu64
#define PRIxFAST32 PRIx64
#define PRIdFAST64 PRId64
#define PRIiFAST64 PRIi64
#define PRIuFAST64 PRIu64
#define PRIxFAST64 PRIx64

#undef PRIdMAX
#undef PRIiMAX
#undef PRIuMAX
#undef PRIxMAX
#undef PRIXMAX
#undef PRIdPTR
#undef PRIiPTR
#undef PRIuPTR
#undef PRIxPTR
#undef PRIXPTR
#define PRIdMAX PRId64
#define PRIiMAX PRIi64
#define PRIuMAX PRIu64
#define PRIxMAX PRIx64
#define PRIXMAX PRIX64
#define PRIdPTR PRId64
#define PRIiPTR PRIi64
#define PRIuPTR PRIu64
#define PRIxPTR PRIx64
#define PRIXPTR PRIX64

#undef SCNd64
#undef SCNi64
#undef SCNu64
#undef SCNo64
#undef SCNx64
#undef SCNdPTR
#undef SCNuPTR
#undef SCNxPTR
#undef SCNdMAX
#undef SCNuMAX
#undef SCNxMAX
#define SCNd64	"lld"
#define SCNi64	"lli"
#define SCNu64	"llu"
#define SCNo64	"llo"
#define SCNx64	"llx"
#define SCNdPTR SCNd64
#define SCNuPTR SCNu64
#define SCNxPTR SCNx64
#define SCNdMAX SCNd64
#define SCNuMAX SCNu64
#define SCNxMAX SCNx64

#endif
