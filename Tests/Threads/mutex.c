// Tells the thread sanitizer of locks that were waited for.
//
// A `Mutex` of Swift is taken and let go of by an atomic exchange in the code that uses it, which the sanitizer sees, or, where
// another thread waits, by the kernel and the library, which it does not. Without this, all that a contended lock protects is
// reported as a race.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

void __tsan_acquire(void *address);
void __tsan_release(void *address);

SWIFT void lock_slow(uint32_t thread, SELF void *self) __asm__(LOCK);
SWIFT _Bool try_lock_slow(SELF void *self) __asm__(TRY_LOCK);
SWIFT void unlock_slow(SELF void *self) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF void *self) {
  SWIFT void (*next)(uint32_t, SELF void *) = dlsym(RTLD_NEXT, LOCK);
  next(thread, self);
  __tsan_acquire(self);
}

SWIFT _Bool try_lock_slow(SELF void *self) {
  SWIFT _Bool (*next)(SELF void *) = dlsym(RTLD_NEXT, TRY_LOCK);
  _Bool taken = next(self);
  if (taken) __tsan_acquire(self);
  return taken;
}

SWIFT void unlock_slow(SELF void *self) {
  SWIFT void (*next)(SELF void *) = dlsym(RTLD_NEXT, UNLOCK);
  __tsan_release(self);
  next(self);
}
