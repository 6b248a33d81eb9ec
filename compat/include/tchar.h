/*
 * Names such as _tprintf that stand for a function for wide text (with UNICODE defined) or for
 * narrow text. If UNICODE is defined, _tmain stands for wmain: the main() in
 * libsoftrnic-compat-main.a decodes the arguments from UTF-8 and calls wmain.
 */
#ifndef COMPAT_TCHAR_H
#define COMPAT_TCHAR_H

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>
#include <wctype.h>

#include "windef.h"

typedef TCHAR _TCHAR;
typedef TCHAR _TSCHAR;
typedef TCHAR _TUCHAR;
typedef TCHAR _TXCHAR;

#define _T(text)    __TEXT(text)
#define _TEXT(text) __TEXT(text)

#ifdef UNICODE
typedef wint_t _TINT;
#define _TEOF WEOF

/* ---- Wide text: program start ---- */
#define _tmain wmain

/* ---- Wide text: output to streams ---- */
#define _tprintf    wprintf
#define _ftprintf   fwprintf
#define _vtprintf   vwprintf
#define _vftprintf  vfwprintf
#define _tprintf_s  wprintf_s
#define _ftprintf_s fwprintf_s
#define _putts	    _putws
#define _fputts	    fputws
#define _fputtc	    fputwc
#define _puttc	    putwc
#define _puttchar   putwchar

/* ---- Wide text: input from streams ---- */
#define _fgetts	  fgetws
#define _fgettc	  fgetwc
#define _gettc	  getwc
#define _gettchar getwchar

/* ---- Wide text: formatting to memory and scanning of text ---- */
#define _stprintf     _swprintf
#define _vstprintf    _vswprintf
#define _stprintf_s   swprintf_s
#define _vstprintf_s  vswprintf_s
#define _sntprintf    _snwprintf
#define _vsntprintf   _vsnwprintf
#define _sntprintf_s  _snwprintf_s
#define _vsntprintf_s _vsnwprintf_s
#define _sctprintf    _scwprintf
#define _vsctprintf   _vscwprintf
#define _stscanf      swscanf
#define _stscanf_s    swscanf_s

/* ---- Wide text: strings ---- */
#define _tcslen	   wcslen
#define _tcsnlen   wcsnlen
#define _tcscpy	   wcscpy
#define _tcsncpy   wcsncpy
#define _tcscat	   wcscat
#define _tcsncat   wcsncat
#define _tcscpy_s  wcscpy_s
#define _tcsncpy_s wcsncpy_s
#define _tcscat_s  wcscat_s
#define _tcsncat_s wcsncat_s
#define _tcsdup	   _wcsdup
#define _tcscmp	   wcscmp
#define _tcsncmp   wcsncmp
#define _tcsicmp   _wcsicmp
#define _tcsnicmp  _wcsnicmp
#define _tcschr	   wcschr
#define _tcsrchr   wcsrchr
#define _tcsstr	   wcsstr
#define _tcspbrk   wcspbrk
#define _tcsspn	   wcsspn
#define _tcscspn   wcscspn
#define _tcstok_s  wcstok_s
#define _tcslwr	   _wcslwr
#define _tcsupr	   _wcsupr
#define _tcsrev	   _wcsrev
#define _tcsftime  wcsftime

/* ---- Wide text: kinds of characters ---- */
#define _istalpha  iswalpha
#define _istalnum  iswalnum
#define _istdigit  iswdigit
#define _istxdigit iswxdigit
#define _istspace  iswspace
#define _istupper  iswupper
#define _istlower  iswlower
#define _istprint  iswprint
#define _istpunct  iswpunct
#define _totlower  towlower
#define _totupper  towupper

/* ---- Wide text: conversion of numbers ---- */
#define _ttoi	   _wtoi
#define _tstoi	   _wtoi
#define _ttol	   _wtol
#define _tstol	   _wtol
#define _ttoi64	   _wtoi64
#define _tstoi64   _wtoi64
#define _ttof	   _wtof
#define _tstof	   _wtof
#define _tcstol	   wcstol
#define _tcstoul   wcstoul
#define _tcstoll   wcstoll
#define _tcstoull  wcstoull
#define _tcstoi64  _wcstoi64
#define _tcstoui64 _wcstoui64
#define _tcstod	   wcstod
#define _itot	   _itow
#define _itot_s	   _itow_s
#define _ultot_s   _ultow_s
#define _i64tot_s  _i64tow_s
#define _ui64tot_s _ui64tow_s

/* ---- Wide text: files and environment ---- */
#define _tfopen	    _wfopen
#define _tfopen_s   _wfopen_s
#define _tfreopen   _wfreopen
#define _tfreopen_s _wfreopen_s
#define _tfsopen    _wfsopen
#define _tremove    _wremove
#define _tperror    _wperror
#define _tgetenv    _wgetenv
#define _tsystem    _wsystem

#else
typedef int _TINT;
#define _TEOF	      EOF

/* ---- Narrow text: program start ---- */
#define _tmain	      main

/* ---- Narrow text: output to streams ---- */
#define _tprintf      printf
#define _ftprintf     fprintf
#define _vtprintf     vprintf
#define _vftprintf    vfprintf
#define _tprintf_s    printf_s
#define _ftprintf_s   fprintf_s
#define _putts	      puts
#define _fputts	      fputs
#define _fputtc	      fputc
#define _puttc	      putc
#define _puttchar     putchar

/* ---- Narrow text: input from streams ---- */
#define _fgetts	      fgets
#define _fgettc	      fgetc
#define _gettc	      getc
#define _gettchar     getchar

/* ---- Narrow text: formatting to memory and scanning of text ---- */
#define _stprintf     sprintf
#define _vstprintf    vsprintf
#define _stprintf_s   sprintf_s
#define _vstprintf_s  vsprintf_s
#define _sntprintf    _snprintf
#define _vsntprintf   _vsnprintf
#define _sntprintf_s  _snprintf_s
#define _vsntprintf_s _vsnprintf_s
#define _sctprintf    _scprintf
#define _vsctprintf   _vscprintf
#define _stscanf      sscanf
#define _stscanf_s    sscanf_s

/* ---- Narrow text: strings ---- */
#define _tcslen	      strlen
#define _tcsnlen      strnlen
#define _tcscpy	      strcpy
#define _tcsncpy      strncpy
#define _tcscat	      strcat
#define _tcsncat      strncat
#define _tcscpy_s     strcpy_s
#define _tcsncpy_s    strncpy_s
#define _tcscat_s     strcat_s
#define _tcsncat_s    strncat_s
#define _tcsdup	      _strdup
#define _tcscmp	      strcmp
#define _tcsncmp      strncmp
#define _tcsicmp      _stricmp
#define _tcsnicmp     _strnicmp
#define _tcschr	      strchr
#define _tcsrchr      strrchr
#define _tcsstr	      strstr
#define _tcspbrk      strpbrk
#define _tcsspn	      strspn
#define _tcscspn      strcspn
#define _tcstok_s     strtok_s
#define _tcslwr	      _strlwr
#define _tcsupr	      _strupr
#define _tcsrev	      _strrev
#define _tcsftime     strftime

/* ---- Narrow text: kinds of characters ---- */
#define _istalpha     isalpha
#define _istalnum     isalnum
#define _istdigit     isdigit
#define _istxdigit    isxdigit
#define _istspace     isspace
#define _istupper     isupper
#define _istlower     islower
#define _istprint     isprint
#define _istpunct     ispunct
#define _totlower     tolower
#define _totupper     toupper

/* ---- Narrow text: conversion of numbers ---- */
#define _ttoi	      atoi
#define _tstoi	      atoi
#define _ttol	      atol
#define _tstol	      atol
#define _ttoi64	      _atoi64
#define _tstoi64      _atoi64
#define _ttof	      atof
#define _tstof	      atof
#define _tcstol	      strtol
#define _tcstoul      strtoul
#define _tcstoll      strtoll
#define _tcstoull     strtoull
#define _tcstoi64     _strtoi64
#define _tcstoui64    _strtoui64
#define _tcstod	      strtod
#define _itot	      _itoa
#define _itot_s	      _itoa_s
#define _ultot_s      _ultoa_s
#define _i64tot_s     _i64toa_s
#define _ui64tot_s    _ui64toa_s

/* ---- Narrow text: files and environment ---- */
#define _tfopen	      fopen
#define _tfopen_s     fopen_s
#define _tfreopen     freopen
#define _tfreopen_s   freopen_s
#define _tfsopen      _fsopen
#define _tremove      remove
#define _tperror      perror
#define _tgetenv      getenv
#define _tsystem      system

#endif
#endif
