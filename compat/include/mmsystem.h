/* Of the multimedia calls only the clock. */
#ifndef COMPAT_MMSYSTEM_H
#define COMPAT_MMSYSTEM_H

#include "timeapi.h"

#endif
