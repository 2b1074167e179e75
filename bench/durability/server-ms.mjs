import { readdirSync, readFileSync } from 'node:fs'

const TICK_MS = 10

/**
 * Processor time of a server's processes so far, in milliseconds, in steps of 10; those that have ended count with the
 * first.
 *
 * @param {number} first the process that the others hang from
 */
export function serverMs(first) {
  let ticks = 0
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      const fields = stat
        .replace(/^.*\) /s, '')
        .split(' ')
        .map(Number)
      const own = fields[11] + fields[12]
      if (Number(name) === first) ticks += own + fields[13] + fields[14]
      else if (fields[1] === first) ticks += own
    } catch {
      // it has just ended
    }
  }
  return ticks * TICK_MS
}
