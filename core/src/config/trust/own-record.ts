import { randomBytes } from 'node:crypto'
import { closeSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ConfigError, SvcError } from '../../errors.ts'
import { assertOwn, codeOf } from '../find/paths.ts'
import { isRecord, MAX_CODE_BYTES, readBytes } from '../read/read-data.ts'

const LOCK_TIMEOUT_MS = 5_000
const LOCK_STALE_MS = 15_000

/** What svc has noted in a JSON file of the person's own folder; undefined where that is absent, damaged or somebody else's. */
export function readOwnRecord(userDir: string, name: string): Record<string, unknown> | undefined {
  try {
    const content: unknown = JSON.parse(readBytes(join(assertOwn(userDir), name), MAX_CODE_BYTES).toString('utf8'))
    return isRecord(content) ? content : undefined
  } catch {
    return undefined
  }
}

/**
 * Rewrites a JSON file of the person's own folder, whole and by one process at a time. Only the person can read it.
 *
 * @param make what it is to say, made of what it says once no other process can change it
 * @throws ConfigError `config_invalid` where it cannot be written; what `make` throws
 */
export const writeOwnRecord = (userDir: string, name: string, make: () => object | Promise<object>): Promise<void> =>
  changeOwnFile(userDir, name, async () => `${JSON.stringify(await make(), undefined, 2)}\n`)

/**
 * Rewrites a file of a folder of the person, whole and by one process at a time.
 *
 * @param make its new text; undefined: it stays as it is
 * @param mode of the new file. Default: only the person can read it
 * @throws as `writeOwnRecord`
 */
export async function changeOwnFile(
  userDir: string,
  name: string,
  make: () => Promise<string | undefined>,
  mode?: number,
): Promise<void> {
  const file = join(userDir, name)
  try {
    mkdirSync(assertOwn(userDir), { recursive: true, mode: 0o700 })
    const release = await lock(`${file}.lock`)
    try {
      const text = await make()
      if (text !== undefined) replaceOwnFile(file, text, mode)
    } finally {
      release()
    }
  } catch (thrown) {
    if (SvcError.isInstance(thrown)) throw thrown
    throw new ConfigError('config_invalid', `${file}: cannot be written (${codeOf(thrown)})`, { cause: thrown })
  }
}

/** Puts a text in the place of a file, whole or not at all. Only the person can read it, where no other mode is given. */
export function replaceOwnFile(file: string, text: string, mode = 0o600): void {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  try {
    writeFileSync(draft, text, { mode, flag: 'wx' })
    renameSync(draft, file)
  } catch (thrown) {
    rmSync(draft, { force: true })
    throw thrown
  }
}

/** Shuts out other processes while the record is rewritten; a lock that a dead process left is broken. */
async function lock(path: string): Promise<() => void> {
  for (let waitedMs = 0; ; waitedMs += 25) {
    try {
      closeSync(openSync(path, 'wx', 0o600))
      return () => rmSync(path, { force: true })
    } catch (thrown) {
      if (codeOf(thrown) !== 'EEXIST') throw thrown
    }
    const ageMs = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (ageMs > LOCK_STALE_MS) rmSync(path, { force: true })
    else if (waitedMs > LOCK_TIMEOUT_MS) {
      throw new ConfigError('config_invalid', `${path}: another process holds it; delete it if there is none`)
    } else await sleep(25)
  }
}
