/* Functions that return the time, and functions that return properties of the machine. */
#ifndef COMPAT_SYSINFOAPI_H
#define COMPAT_SYSINFOAPI_H

#include "minwinbase.h"

typedef struct _SYSTEM_INFO {
	__extension__ union {
		DWORD dwOemId;
		__extension__ struct {
			WORD wProcessorArchitecture;
			WORD wReserved;
		};
	};
	DWORD dwPageSize;
	LPVOID lpMinimumApplicationAddress;
	LPVOID lpMaximumApplicationAddress;
	DWORD_PTR dwActiveProcessorMask; /* bit i is set if processor i (0 to 63) is online */
	/* all processors that are online, including those that this process may not use */
	DWORD dwNumberOfProcessors;
	DWORD dwProcessorType;
	DWORD dwAllocationGranularity;
	WORD wProcessorLevel;
	WORD wProcessorRevision;
} SYSTEM_INFO, *LPSYSTEM_INFO;

typedef struct _MEMORYSTATUSEX {
	DWORD dwLength;
	DWORD dwMemoryLoad;
	DWORDLONG ullTotalPhys;
	DWORDLONG ullAvailPhys;
	DWORDLONG ullTotalPageFile;
	DWORDLONG ullAvailPageFile;
	DWORDLONG ullTotalVirtual;
	DWORDLONG ullAvailVirtual;
	DWORDLONG ullAvailExtendedVirtual;
} MEMORYSTATUSEX, *LPMEMORYSTATUSEX;

typedef enum _COMPUTER_NAME_FORMAT {
	ComputerNameNetBIOS,
	ComputerNameDnsHostname,
	ComputerNameDnsDomain,
	ComputerNameDnsFullyQualified,
	ComputerNamePhysicalNetBIOS,
	ComputerNamePhysicalDnsHostname,
	ComputerNamePhysicalDnsDomain,
	ComputerNamePhysicalDnsFullyQualified,
	ComputerNameMax
} COMPUTER_NAME_FORMAT;

#define MAX_COMPUTERNAME_LENGTH 15
#define PROCESSOR_INTEL_PENTIUM 586
#define PROCESSOR_AMD_X8664	8664

COMPAT_BEGIN

/* Returns the milliseconds since the machine started. The 32-bit count wraps to 0 after 49 days. */
DWORD GetTickCount(void);

/* Returns the milliseconds since the machine started, as a 64-bit count. */
ULONGLONG GetTickCount64(void);

/*
 * Stores the time since 1601-01-01 in UTC, in units of 100 ns. GetSystemTimePreciseAsFileTime reads
 * the same clock.
 */
void GetSystemTimeAsFileTime(FILETIME *time);

/* Stores the time since 1601-01-01 in UTC, in units of 100 ns. */
void GetSystemTimePreciseAsFileTime(FILETIME *time);

/* Stores the date and time in UTC. */
void GetSystemTime(SYSTEMTIME *time);

/* Stores the date and time in the time zone of this machine. */
void GetLocalTime(SYSTEMTIME *time);

/*
 * Stores the number and kind of the processors, the page size and the range of addresses that a
 * program may use.
 */
void GetSystemInfo(SYSTEM_INFO *info);

/*
 * GetSystemInfo under another name: stores the number and kind of the processors, the page size and
 * the range of addresses that a program may use.
 */
void GetNativeSystemInfo(SYSTEM_INFO *info);

/*
 * Stores the sizes of the machine's whole memory and of its free memory. Fails with
 * ERROR_INVALID_PARAMETER if dwLength is not the size of the structure.
 */
BOOL GlobalMemoryStatusEx(MEMORYSTATUSEX *status);

/*
 * Stores the host name in capitals, cut to 15 characters. On entry *size is the size of the buffer,
 * on return the length of the name without the terminating zero. If the buffer is too small, sets
 * *size to the size needed and fails with ERROR_BUFFER_OVERFLOW.
 */
BOOL GetComputerNameA(LPSTR buffer, DWORD *size);

/* GetComputerNameA for wide text: stores the host name in capitals, at most 15 characters. */
BOOL GetComputerNameW(LPWSTR buffer, DWORD *size);

/*
 * Stores the host name, the domain (the text after the first dot) or both; `kind` says which. If
 * the buffer is too small, sets *size to the size needed with the terminating zero, and fails with
 * ERROR_MORE_DATA.
 */
BOOL GetComputerNameExA(COMPUTER_NAME_FORMAT kind, LPSTR buffer, DWORD *size);

/* GetComputerNameExA for wide text: stores the host name, the domain or both; `kind` says which. */
BOOL GetComputerNameExW(COMPUTER_NAME_FORMAT kind, LPWSTR buffer, DWORD *size);

COMPAT_END

#ifdef UNICODE
#define GetComputerName	  GetComputerNameW
#define GetComputerNameEx GetComputerNameExW
#else
#define GetComputerName	  GetComputerNameA
#define GetComputerNameEx GetComputerNameExA
#endif

#endif
