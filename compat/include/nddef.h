/* nddef.h, structures and flags of ND2, after what Windows' own includes. */
#ifndef COMPAT_NDDEF_H
#define COMPAT_NDDEF_H

#include <winsock2.h>
#include_next <nddef.h>

#endif
