/** Timers set to more fire at once. */
const LONGEST_MS = 2 ** 31 - 1

/**
 * Calls back once the clock has reached a time, however far off, and also where the clock was moved meanwhile. Keeps no
 * process alive.
 *
 * @param at milliseconds since the epoch
 * @returns how to stop it
 */
export function setLongTimer(at: number, clock: () => number, callback: () => void): () => void {
  let timer: NodeJS.Timeout
  const arm = (): void => {
    const left = at - clock()
    timer = setTimeout(() => (clock() >= at ? callback() : arm()), Math.min(Math.max(1, left), LONGEST_MS))
    timer.unref()
  }
  arm()
  return () => clearTimeout(timer)
}
