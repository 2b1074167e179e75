/** A name of a lock that nobody else has. */
export const newLockName = (of: string): string =>
  `svc-${of}-${Array.from(crypto.getRandomValues(new Uint32Array(4))).join('-')}`

/** Holds a lock until the signal is aborted, or for as long as the page or the worker lives. @param onHeld called once it is held */
export async function holdLock(name: string, onHeld: () => void, signal?: AbortSignal): Promise<void> {
  // A page that came over plain HTTP from another machine has none.
  await navigator.locks?.request(name, () => {
    onHeld()
    return new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()))
  })
}

/** Resolves once nobody holds a lock any more: its holder is gone, however it went. */
export const whenFree = (name: string): Promise<void> => navigator.locks.request(name, () => {})
