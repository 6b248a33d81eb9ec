/* The multimedia functions of Windows. Only the functions of the millisecond clock exist here. */
#ifndef COMPAT_MMSYSTEM_H
#define COMPAT_MMSYSTEM_H

#include "timeapi.h"

#endif
