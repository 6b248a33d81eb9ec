/* The millisecond clock that Windows has among its multimedia functions. */
#ifndef COMPAT_TIMEAPI_H
#define COMPAT_TIMEAPI_H

#include "windef.h"

typedef UINT MMRESULT;
#define TIMERR_NOERROR 0

COMPAT_BEGIN

/* Returns the milliseconds since the machine started, as GetTickCount does. */
DWORD timeGetTime(void);

/* Changes nothing and returns TIMERR_NOERROR: timers always have their finest resolution. */
MMRESULT timeBeginPeriod(UINT period);

/* Changes nothing and returns TIMERR_NOERROR: timers always have their finest resolution. */
MMRESULT timeEndPeriod(UINT period);

COMPAT_END

#endif
