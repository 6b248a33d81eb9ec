/*
 * Makes a program call functions of libsoftrnic-compat instead of two groups of functions of the C
 * library. The first group formats or scans text (printf, scanf and so on); Windows reads the
 * formats differently. The second group writes or reads wide text (fputws and so on). On Linux
 * these functions make a stream refuse narrow text afterwards; with the functions of
 * libsoftrnic-compat, narrow and wide text may go to the same stream. Each redirection is a macro
 * with the native name, for example printf.
 *
 * The headers of libstdc++ undefine these macros, and the inline functions in those headers must
 * call the native functions. Therefore this header includes the libstdc++ headers first, and
 * defines the macros afterwards. While it includes them, COMPAT_CXX_NESTED is defined. The
 * <stdio.h> and <wchar.h> of this folder then only include the native header.
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
