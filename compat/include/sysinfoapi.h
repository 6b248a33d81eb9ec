/* What time is it, and what machine is this? */
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
	DWORD_PTR dwActiveProcessorMask; /* of the first 64 */
	DWORD dwNumberOfProcessors;	 /* all that are online, also those this process may not use */
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

#define MAX_COMPUTERNAME_LENGTH	 15
#define PROCESSOR_INTEL_PENTIUM	 586
#define PROCESSOR_AMD_X8664	 8664

COMPAT_BEGIN

/* Milliseconds since the machine started. */
DWORD GetTickCount(void);

/* As GetTickCount, which starts anew after 49 days. */
ULONGLONG GetTickCount64(void);

/* The same clock for both: the precise one. */
void GetSystemTimeAsFileTime(FILETIME *time);

/* As GetSystemTimeAsFileTime. */
void GetSystemTimePreciseAsFileTime(FILETIME *time);

/* UTC, and the time of this machine's zone. */
void GetSystemTime(SYSTEMTIME *time);

/* As GetSystemTime, in the zone of this machine. */
void GetLocalTime(SYSTEMTIME *time);

/* The same for both. */
void GetSystemInfo(SYSTEM_INFO *info);

/* As GetSystemInfo. */
void GetNativeSystemInfo(SYSTEM_INFO *info);

/* FALSE, ERROR_INVALID_PARAMETER: dwLength is not the size of the structure. */
BOOL GlobalMemoryStatusEx(MEMORYSTATUSEX *status);

/* The host name in capitals, at most 15; *size counts the zero going in, not coming out. ERROR_BUFFER_OVERFLOW tells what is needed. */
BOOL GetComputerNameA(LPSTR buffer, DWORD *size);

/* As GetComputerNameA. */
BOOL GetComputerNameW(LPWSTR buffer, DWORD *size);

/* ERROR_MORE_DATA tells what is needed, with the zero. The domain is what follows the first dot of the host name. */
BOOL GetComputerNameExA(COMPUTER_NAME_FORMAT kind, LPSTR buffer, DWORD *size);

/* As GetComputerNameExA. */
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
