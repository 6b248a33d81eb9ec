/* Milliseconds. */
#ifndef COMPAT_TIMEAPI_H
#define COMPAT_TIMEAPI_H

#include "windef.h"

typedef UINT MMRESULT;
#define TIMERR_NOERROR 0

COMPAT_BEGIN

/* Since the machine started. */
DWORD timeGetTime(void);

/* Nothing to do: the timers are as fine as they get. TIMERR_NOERROR. */
MMRESULT timeBeginPeriod(UINT period);

/* As timeBeginPeriod. */
MMRESULT timeEndPeriod(UINT period);

COMPAT_END

#endif
