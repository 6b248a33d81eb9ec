/* Types and constants that several C library headers share. */
#ifndef COMPAT_CORECRT_H
#define COMPAT_CORECRT_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

typedef int errno_t;
typedef size_t rsize_t;
typedef int64_t __time64_t;
typedef int32_t __time32_t;

/* returned by functions such as strncpy_s if the count is _TRUNCATE and the text was cut */
#define STRUNCATE				80
#define _CRT_SECURE_CPP_OVERLOAD_STANDARD_NAMES 0
#define _CRTIMP
#define _CRT_UNUSED(x) ((void)(x))
#define _ACRTIMP

#endif
