/** What people approved to be written, so that it is not taken for the work of a program that ran meanwhile. */
import { createHash } from 'node:crypto'
import { lstatSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

/** SHA-256 of the content by the file's absolute path, with links resolved. Of this process alone. */
const approved = new Map<string, string>()

/** Notes what will stand at a path once `written` takes its name. */
export async function noteApproved(path: string, written: string): Promise<void> {
  approved.set(path, hashOf(await readFile(written)))
}

/** Whether a regular file has exactly the content that a person approved for its place. */
export function isAsApproved(path: string): boolean {
  const hash = approved.get(path)
  if (hash === undefined) return false
  try {
    return lstatSync(path).isFile() && hashOf(readFileSync(path)) === hash
  } catch {
    return false // it cannot be read, so nobody can say
  }
}

/** Whether something in a folder is as a person approved it. */
export const holdsApproved = (folder: string): boolean =>
  [...approved.keys()].some((path) => path.startsWith(`${folder}/`) && isAsApproved(path))

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
