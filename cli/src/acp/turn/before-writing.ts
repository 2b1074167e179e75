import { isUtf8 } from 'node:buffer'
import { readFileSync, realpathSync, statSync } from 'node:fs'
import { resolve, sep } from 'node:path'

/** A longer file is shown without what it was. */
const MOST_BYTES = 1_000_000

/**
 * What a file of the workspace holds that a call is about to write, for the difference that a person is shown.
 *
 * @param args of the call, unchecked
 * @returns null where there is no such file, undefined where it cannot be shown
 */
export function readBefore(workspace: string, args: unknown): string | null | undefined {
  const path = typeof args === 'object' && args !== null ? (args as { path?: unknown }).path : undefined
  if (typeof path !== 'string' || path.includes('\0')) return undefined
  const asked = resolve(workspace, path)
  if (!isWithin(workspace, asked)) return undefined
  try {
    const found = statSync(asked, { throwIfNoEntry: false })
    if (found === undefined) return null
    if (!found.isFile() || found.size > MOST_BYTES || !isWithin(workspace, realpathSync(asked))) return undefined
    const bytes = readFileSync(asked)
    return isUtf8(bytes) && !bytes.includes(0) ? bytes.toString('utf8') : undefined
  } catch {
    return undefined
  }
}

const isWithin = (folder: string, path: string): boolean =>
  path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
