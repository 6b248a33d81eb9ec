/* The multimedia functions of Windows. Only those for the clock exist here. */
#ifndef COMPAT_MMSYSTEM_H
#define COMPAT_MMSYSTEM_H

#include "timeapi.h"

#endif
