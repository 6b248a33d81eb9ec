/*
 * Makes a program call libsoftrnic-compat instead of the C library. Each redirection is a macro
 * with the native name, for example printf.
 * - Functions that format or scan text are redirected, because Windows reads formats differently.
 * - Functions for wide text (fputws and so on) are redirected, because those of Linux make a stream
 *   refuse narrow text.
 *
 * Inline functions in the headers of libstdc++ must call the native functions. Therefore this
 * header includes the libstdc++ headers before it defines the macros. It defines COMPAT_CXX_NESTED
 * meanwhile: then <stdio.h> and <wchar.h> of this folder include nothing but the native header.
 */
#ifndef COMPAT_REDIRECT_H
#define COMPAT_REDIRECT_H

#if defined(__cplusplus) && !defined(COMPAT_BUILD)
#define COMPAT_CXX_NESTED
extern "C++" {
#include <cstdarg>
#include <cstdio>
#include <cwchar>
#include <string>
}
#undef COMPAT_CXX_NESTED
#endif

#ifndef COMPAT_BUILD
#undef printf
#undef fprintf
#undef vprintf
#undef vfprintf
#undef sprintf
#undef snprintf
#undef vsprintf
#undef vsnprintf
#undef scanf
#undef fscanf
#undef sscanf
#undef vsscanf
#undef wprintf
#undef fwprintf
#undef vwprintf
#undef vfwprintf
#undef swprintf
#undef vswprintf
#undef swscanf
#undef fputws
#undef fputwc
#undef putwc
#undef putwchar
#undef fgetws
#undef fgetwc
#undef getwc
#undef getwchar

#define printf	  compat_printf
#define fprintf	  compat_fprintf
#define vprintf	  compat_vprintf
#define vfprintf  compat_vfprintf
#define sprintf	  compat_sprintf
#define snprintf  compat_snprintf
#define vsprintf  compat_vsprintf
#define vsnprintf compat_vsnprintf
#define scanf	  compat_scanf
#define fscanf	  compat_fscanf
#define sscanf	  compat_sscanf
#define vsscanf	  compat_vsscanf
#define wprintf	  compat_wprintf
#define fwprintf  compat_fwprintf
#define vwprintf  compat_vwprintf
#define vfwprintf compat_vfwprintf
#define swprintf  compat_swprintf
#define vswprintf compat_vswprintf
#define swscanf	  compat_swscanf
#define fputws	  compat_fputws
#define fputwc	  compat_fputwc
#define putwc	  compat_fputwc
#define putwchar  compat_putwchar
#define fgetws	  compat_fgetws
#define fgetwc	  compat_fgetwc
#define getwc	  compat_fgetwc
#define getwchar  compat_getwchar
#endif

#endif
