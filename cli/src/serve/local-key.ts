import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LOCAL_KEY_FILE } from '@svc/core/config'
import type { LocalKey } from '@svc/server'

/**
 * Draws a key for this machine, and puts it into the data folder for its owner alone. It is a new one each time: what came with a
 * folder, or got into other hands, is good for nothing after the next start.
 *
 * @throws Error of the system where the folder cannot be written
 */
export function writeLocalKey(dataDir: string): LocalKey {
  const key = randomBytes(32).toString('base64url')
  const file = join(dataDir, LOCAL_KEY_FILE)
  const draft = `${file}.${randomBytes(8).toString('hex')}`
  // In a project, git is not to know what is made here.
  if (mkdirSync(dataDir, { recursive: true, mode: 0o700 }) !== undefined)
    writeFileSync(join(dataDir, '.gitignore'), '*\n', { mode: 0o600 })
  const descriptor = openSync(draft, 'wx', 0o600)
  try {
    writeFileSync(descriptor, `${key}\n`)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  try {
    renameSync(draft, file)
  } catch (thrown) {
    rmSync(draft, { force: true })
    throw thrown
  }
  return { key, file }
}
