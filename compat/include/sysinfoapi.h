/* The time, and facts about the machine. */
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
	DWORD_PTR dwActiveProcessorMask; /* the first 64 processors */
	/* all that are online, also those this process may not use */
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

/* Returns the milliseconds since the machine started; starts again from 0 after 49 days. */
DWORD GetTickCount(void);

/* Same as GetTickCount, with 64 bits. */
ULONGLONG GetTickCount64(void);

/* Reads the same precise clock as GetSystemTimePreciseAsFileTime. */
void GetSystemTimeAsFileTime(FILETIME *time);

/* Same as GetSystemTimeAsFileTime. */
void GetSystemTimePreciseAsFileTime(FILETIME *time);

/* Returns the time in UTC. */
void GetSystemTime(SYSTEMTIME *time);

/* Same as GetSystemTime, in the time zone of this machine. */
void GetLocalTime(SYSTEMTIME *time);

/* Returns the same as GetNativeSystemInfo. */
void GetSystemInfo(SYSTEM_INFO *info);

/* Same as GetSystemInfo. */
void GetNativeSystemInfo(SYSTEM_INFO *info);

/* Fails with ERROR_INVALID_PARAMETER if dwLength is not the size of the structure. */
BOOL GlobalMemoryStatusEx(MEMORYSTATUSEX *status);

/*
 * Returns the host name in capitals, at most 15 characters. *size counts the zero before the call,
 * and not after it. If it is too small, sets it to the size needed and fails with
 * ERROR_BUFFER_OVERFLOW.
 */
BOOL GetComputerNameA(LPSTR buffer, DWORD *size);

/* Same as GetComputerNameA. */
BOOL GetComputerNameW(LPWSTR buffer, DWORD *size);

/*
 * The domain is what follows the first dot of the host name. If *size is too small, sets it to the
 * size needed, with the zero, and fails with ERROR_MORE_DATA.
 */
BOOL GetComputerNameExA(COMPUTER_NAME_FORMAT kind, LPSTR buffer, DWORD *size);

/* Same as GetComputerNameExA. */
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
