import { readFileSync } from 'node:fs'

/** What is left to the store, to tools and to providers: of what the process may open, a quarter. */
const SHARE = 0.75
const MOST = 8_192

/** How many clients may be connected at once: who opens sockets alone must not take what runs need. */
export function mostSockets(streams: number): number {
  const most = Math.max(MOST, 2 * streams)
  try {
    const open = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return open === undefined ? most : Math.min(most, Math.floor(Number(open) * SHARE))
  } catch {
    return most // not Linux
  }
}
