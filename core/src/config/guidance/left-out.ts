import { readdirSync } from 'node:fs'
import type { Warning } from '../../contracts/warning.ts'
import { shown } from '../read/shown.ts'

/** A file that cannot be used, and why. */
export interface LeftOut {
  file: string
  why: string
}

const MOST_NAMED = 10

/** The names in a folder, in order; none where it cannot be listed. Those that begin with a dot are no skill and no command. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith('.'))
      .sort()
  } catch {
    return []
  }
}

/** All that were left out, in one warning; none where there is nothing to say. */
export function warnOf(code: Warning['code'], what: string, left: readonly LeftOut[]): Warning[] {
  if (left.length === 0) return []
  const named = left.slice(0, MOST_NAMED).map(({ file, why }) => (why.includes(shown(file)) ? why : `${file}: ${why}`))
  const more = left.length > MOST_NAMED ? `; and ${left.length - MOST_NAMED} more` : ''
  return [{ code, message: `${left.length} ${what} left out: ${named.join('; ')}${more}` }]
}
