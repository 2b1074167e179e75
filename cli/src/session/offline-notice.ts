import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { personalDataDir } from '@svc/core/config'
import type { Io } from '../frame/io.ts'

const DAY_MS = 24 * 3_600_000

/** Whether the notice of the offline provider was not shown to this person within a day; it counts as shown then. */
export function isNoticeDue(env: Io['env'], now = Date.now()): boolean {
  const folder = personalDataDir(env)
  const file = join(folder, 'offline-notice')
  try {
    const shownMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
    if (now - shownMs < DAY_MS && shownMs <= now) return false
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(file, '')
  } catch {
    // Where nothing can be kept it is shown each time.
  }
  return true
}
