/* The other name by which programs of MassiveThreads include lwt/myth.h: for //lwt:massivethreads.
 */
#ifndef LWT_MYTH_INCLUDE_MYTH_H_
#define LWT_MYTH_INCLUDE_MYTH_H_

#include "lwt/myth/include/myth/myth.h"

#endif /* LWT_MYTH_INCLUDE_MYTH_H_ */
