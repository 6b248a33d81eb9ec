/*
 * The basic types and macros of Windows: pointer types, TRUE and FALSE, and __declspec. The names
 * of calling conventions have no effect here. LONG and DWORD have 32 bits; `long` has 64 bits.
 */
#ifndef COMPAT_WINDEF_H
#define COMPAT_WINDEF_H

#include <limits.h>
#include <wchar.h>
#include "basetsd.h"
#include "sal.h"

/*
 * Each header of this folder puts its declarations between COMPAT_BEGIN and COMPAT_END. Functions
 * declared there are exported from the library, and have C linkage in C++.
 */
#ifdef __cplusplus
#define COMPAT_BEGIN                                       \
	_Pragma("GCC visibility push(default)") extern "C" \
	{
#define COMPAT_END \
	}          \
	_Pragma("GCC visibility pop")
#else
#define COMPAT_BEGIN _Pragma("GCC visibility push(default)")
#define COMPAT_END   _Pragma("GCC visibility pop")
#endif

/* ---- Keywords of Microsoft's compiler ----------------------------------------------------- */

#define __cdecl
#define __stdcall
#define __fastcall
#define __vectorcall
#define __thiscall
#define _cdecl
#define _stdcall
#define WINAPI
#define WINAPIV
#define APIENTRY
#define APIPRIVATE
#define CALLBACK
#define PASCAL
#define CDECL
#define NTAPI
#define WINBASEAPI
#define WINUSERAPI
#define NTSYSAPI
#define STDAPICALLTYPE

#define __int8 char
#define __int16 short
#define __int32 int
#define __int64 long /* the same type as LONG64; a `long` has 64 bits */

#define __forceinline inline __attribute__((__always_inline__))
#define FORCEINLINE  static inline __attribute__((__always_inline__, __unused__))
#define CFORCEINLINE FORCEINLINE
#define __w64
#define __ptr64
#define __ptr32
#define __unaligned
#define UNALIGNED
#define RESTRICTED_POINTER		   __restrict
#define __assume(e)			   ((e) ? (void)0 : __builtin_unreachable())
#define __noop(...)			   ((void)0)
#define UNREFERENCED_PARAMETER(p)	   ((void)(p))
#define DBG_UNREFERENCED_PARAMETER(p)	   ((void)(p))
#define DBG_UNREFERENCED_LOCAL_VARIABLE(v) ((void)(v))

/*
 * __declspec(NAME) expands to the macro COMPAT_DECLSPEC_NAME below. A NAME for which there is no
 * such macro does not compile.
 */
#define __declspec(attribute) COMPAT_DECLSPEC_##attribute
#define _declspec(attribute) COMPAT_DECLSPEC_##attribute
#define COMPAT_DECLSPEC_align(n) __attribute__((__aligned__(n)))
#define COMPAT_DECLSPEC_allocator
#define COMPAT_DECLSPEC_deprecated __attribute__((__deprecated__))
#define COMPAT_DECLSPEC_dllexport  __attribute__((__visibility__("default")))
#define COMPAT_DECLSPEC_dllimport  __attribute__((__visibility__("default")))
#define COMPAT_DECLSPEC_empty_bases
#define COMPAT_DECLSPEC_guard(x)
#define COMPAT_DECLSPEC_naked __attribute__((__naked__))
#define COMPAT_DECLSPEC_noalias
#define COMPAT_DECLSPEC_noinline __attribute__((__noinline__))
#define COMPAT_DECLSPEC_noreturn __attribute__((__noreturn__))
#define COMPAT_DECLSPEC_nothrow	 __attribute__((__nothrow__))
#define COMPAT_DECLSPEC_novtable
#define COMPAT_DECLSPEC_restrict
#define COMPAT_DECLSPEC_safebuffers
#define COMPAT_DECLSPEC_selectany __attribute__((__weak__))
#ifdef __cplusplus
#define COMPAT_DECLSPEC_thread thread_local
#else
#define COMPAT_DECLSPEC_thread _Thread_local
#endif
#define COMPAT_DECLSPEC_uuid(x)

#define DECLSPEC_ALIGN(n)   __attribute__((__aligned__(n)))
#define DECLSPEC_CACHEALIGN DECLSPEC_ALIGN(64)
#define DECLSPEC_IMPORT	    COMPAT_DECLSPEC_dllimport
#define DECLSPEC_EXPORT	    COMPAT_DECLSPEC_dllexport
#define DECLSPEC_NOINLINE   COMPAT_DECLSPEC_noinline
#define DECLSPEC_NORETURN   COMPAT_DECLSPEC_noreturn
#define DECLSPEC_NOVTABLE
#define DECLSPEC_SELECTANY  COMPAT_DECLSPEC_selectany
#define DECLSPEC_THREAD	    COMPAT_DECLSPEC_thread
#define DECLSPEC_DEPRECATED COMPAT_DECLSPEC_deprecated
#define DECLSPEC_RESTRICT
#define DECLSPEC_UUID(x)

/* ---- Types -------------------------------------------------------------------------------- */

#define VOID  void
#define CONST const
#define FAR
#define NEAR

#ifndef TRUE
#define TRUE 1
#endif
#ifndef FALSE
#define FALSE 0
#endif
#ifndef IN
#define IN
#endif
#ifndef OUT
#define OUT
#endif
#ifndef OPTIONAL
#define OPTIONAL
#endif

#define MAX_PATH 260

typedef char CHAR;
typedef unsigned char UCHAR;
typedef signed char SCHAR;
typedef char CCHAR;
typedef wchar_t WCHAR; /* has 32 bits here, 16 bits on Windows */
typedef int16_t SHORT;
typedef unsigned int UINT;
typedef float FLOAT;
typedef double DOUBLE;
typedef BYTE BOOLEAN;
typedef int64_t LONGLONG;
typedef uint64_t DWORDLONG;
typedef int64_t USN;
typedef LONG NTSTATUS;
typedef uintptr_t WPARAM;
typedef intptr_t LPARAM;
typedef intptr_t LRESULT;
typedef WORD ATOM;
typedef DWORD LCID;
typedef WORD LANGID;
typedef DWORD ACCESS_MASK;

typedef void *LPVOID;
typedef const void *LPCVOID;
typedef const void *PCVOID;
typedef CHAR *PCHAR;
typedef CHAR *LPCH;
typedef UCHAR *PUCHAR;
typedef SHORT *PSHORT;
typedef USHORT *PUSHORT;
typedef INT *PINT;
typedef INT *LPINT;
typedef UINT *PUINT;
typedef LONG *PLONG;
typedef LONG *LPLONG;
typedef ULONG *PULONG;
typedef LONGLONG *PLONGLONG;
typedef ULONGLONG *PULONGLONG;
typedef DWORDLONG *PDWORDLONG;
typedef BYTE *PBYTE;
typedef BYTE *LPBYTE;
typedef WORD *PWORD;
typedef WORD *LPWORD;
typedef DWORD *PDWORD;
typedef DWORD *LPDWORD;
typedef BOOL *PBOOL;
typedef BOOL *LPBOOL;
typedef BOOLEAN *PBOOLEAN;
typedef FLOAT *PFLOAT;
typedef HANDLE *PHANDLE;
typedef HANDLE *LPHANDLE;
typedef NTSTATUS *PNTSTATUS;

typedef CHAR *PSTR;
typedef CHAR *LPSTR;
typedef CHAR *NPSTR;
typedef const CHAR *PCSTR;
typedef const CHAR *LPCSTR;
typedef const CHAR *LPCCH;
typedef CHAR *PZZSTR;
typedef WCHAR *PWCHAR;
typedef WCHAR *PWCH;
typedef WCHAR *LPWCH;
typedef WCHAR *PWSTR;
typedef WCHAR *LPWSTR;
typedef const WCHAR *PCWCH;
typedef const WCHAR *LPCWCH;
typedef const WCHAR *PCWSTR;
typedef const WCHAR *LPCWSTR;
typedef WCHAR *PZZWSTR;
typedef WCHAR OLECHAR;
typedef OLECHAR *LPOLESTR;
typedef const OLECHAR *LPCOLESTR;

/* Programs use wide text (UNICODE) unless the macro _MBCS is defined. */
#if !defined(UNICODE) && !defined(_MBCS)
#define UNICODE
#endif
#if defined(UNICODE) && !defined(_UNICODE)
#define _UNICODE
#endif

/*
 * UNICODE decides whether TCHAR is wide, and whether the name of a function means its ...W (wide)
 * or its ...A (narrow) form.
 */
#ifdef UNICODE
typedef WCHAR TCHAR;
#define __TEXT(s) L##s
#else
typedef char TCHAR;
#define __TEXT(s) s
#endif
#define TEXT(s) __TEXT(s)
typedef TCHAR *PTCHAR;
typedef TCHAR *PTSTR;
typedef TCHAR *LPTSTR;
typedef const TCHAR *PCTSTR;
typedef const TCHAR *LPCTSTR;
typedef TCHAR TBYTE;
#define _TCHAR_DEFINED

#define DECLARE_HANDLE(name) \
	struct name##__ {    \
		int unused;  \
	};                   \
	typedef struct name##__ *name

DECLARE_HANDLE(HINSTANCE);
DECLARE_HANDLE(HKEY);
DECLARE_HANDLE(HWND);
typedef HINSTANCE HMODULE;
typedef HANDLE HGLOBAL;
typedef HANDLE HLOCAL;
typedef int HFILE;

/* The type of the pointer that GetProcAddress returns; cast it to the type of the function. */
typedef intptr_t (*FARPROC)(void);
typedef intptr_t (*NEARPROC)(void);
typedef intptr_t (*PROC)(void);

/* ---- Parts of a number, sizes of arrays, min and max -------------------------------------- */

#define MAKEWORD(a, b) \
	((WORD)(((BYTE)((DWORD_PTR)(a)&0xff)) | ((WORD)((BYTE)((DWORD_PTR)(b)&0xff))) << 8))
#define MAKELONG(a, b) \
	((LONG)(((WORD)((DWORD_PTR)(a)&0xffff)) | ((DWORD)((WORD)((DWORD_PTR)(b)&0xffff))) << 16))
#define LOWORD(l) ((WORD)((DWORD_PTR)(l)&0xffff))
#define HIWORD(l) ((WORD)(((DWORD_PTR)(l) >> 16) & 0xffff))
#define LOBYTE(w) ((BYTE)((DWORD_PTR)(w)&0xff))
#define HIBYTE(w) ((BYTE)(((DWORD_PTR)(w) >> 8) & 0xff))

/*
 * min and max are macros in C and functions in C++. In C++, macros with these names would break
 * std::min and numeric_limits<T>::max. The functions work whether this header stands before or
 * after the headers of the C++ library.
 */
#ifndef NOMINMAX
#ifdef __cplusplus
extern "C++" {
template <class A, class B>
constexpr auto min(const A &a, const B &b) -> decltype(true ? A(a) : B(b))
{
	typedef decltype(true ? A(a) : B(b)) both;
	return static_cast<both>(a) < static_cast<both>(b) ? static_cast<both>(a)
							   : static_cast<both>(b);
}
template <class A, class B>
constexpr auto max(const A &a, const B &b) -> decltype(true ? A(a) : B(b))
{
	typedef decltype(true ? A(a) : B(b)) both;
	return static_cast<both>(a) > static_cast<both>(b) ? static_cast<both>(a)
							   : static_cast<both>(b);
}
}
#else
#ifndef min
#define min(a, b) (((a) < (b)) ? (a) : (b))
#endif
#ifndef max
#define max(a, b) (((a) > (b)) ? (a) : (b))
#endif
#endif
#endif

#ifdef __cplusplus
extern "C++" template <class T, size_t N> char (&compat_countof(T (&)[N]))[N];
#define _countof(array)	 (sizeof(compat_countof(array)))
#define ARRAYSIZE(array) (sizeof(compat_countof(array)))
#else
#define _countof(array)	 (sizeof(array) / sizeof((array)[0]))
#define ARRAYSIZE(array) (sizeof(array) / sizeof((array)[0]))
#endif
#define RTL_NUMBER_OF(array) ARRAYSIZE(array)

#endif
