/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * lock.h - a mutex that is held until the scope ends, by any path.
 *
 *	LOCKED(&queue->lock);
 *	return queue->n;
 */
#ifndef SONDE_BASE_LOCK_H
#define SONDE_BASE_LOCK_H

#include "base/scope.h"

#include <pthread.h>

static inline pthread_mutex_t *lock_take(pthread_mutex_t *mutex)
{
	pthread_mutex_lock(mutex);
	return mutex;
}

static inline void lock_put(pthread_mutex_t *const *mutex)
{
	pthread_mutex_unlock(*mutex);
}

/* One for each scope. */
#define LOCKED(mutex) SCOPED(lock_put) pthread_mutex_t *held_lock_ = lock_take(mutex)

#endif
