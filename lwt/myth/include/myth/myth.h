/* The name by which programs of MassiveThreads include lwt/myth.h: for //lwt:massivethreads. */
#ifndef LWT_MYTH_INCLUDE_MYTH_MYTH_H_
#define LWT_MYTH_INCLUDE_MYTH_MYTH_H_

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "lwt/myth.h"

#endif /* LWT_MYTH_INCLUDE_MYTH_MYTH_H_ */
