import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { PolicyError } from '@svc/core'

/** How the files of the audit log begin. */
const AUDIT = 'audit'
/** Keys of servers, as they are named. They are nobody's to read but the person's own programs. */
const secrets = new Set<string>()

/** Names files that no tool reads or writes, and no program in the sandbox sees, by whatever name. */
export function addSecretFiles(paths: Iterable<string>): void {
  for (const path of paths) secrets.add(path)
}

/** Databases, whose logs and copies have names that begin with theirs; and folders. */
const stores = new Set<string>()
const folders = new Set<string>()

/**
 * Names places where svc keeps runs, and who decided what: no tool reads or writes what is there.
 *
 * @param of.files absolute paths, with links resolved, as those of the folders
 */
export function addKeptPlaces(of: { readonly files?: Iterable<string>; readonly folders?: Iterable<string> }): void {
  for (const file of of.files ?? []) stores.add(file)
  for (const folder of of.folders ?? []) folders.add(folder)
}

/** Whether a path with its links resolved is of svc's own. A folder around a workspace is none in it. */
export function isKeptFile(root: string, real: string): boolean {
  const lower = real.toLowerCase()
  if ([...folders].some((folder) => !isIn(folder, root) && isIn(folder.toLowerCase(), lower))) return true
  return [...stores].some((file) => {
    const store = file.toLowerCase()
    return lower === store || lower.startsWith(`${store}-`) || lower.startsWith(`${store}.`)
  })
}

const isIn = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}${sep}`)

/** The refusal of one. */
export const keptFile = (name: string): PolicyError =>
  new PolicyError(
    'policy_denied',
    `${JSON.stringify(name)} is of what svc keeps for itself, which no tool reads or writes`,
  )

/** Those that are there, with links resolved. */
export const findSecretFiles = (): { real: string; names: number }[] =>
  [...secrets].flatMap((path) => {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats === undefined ? [] : [{ real: realpathSync(path), names: stats.nlink }]
  })

/** Whether a path with its links resolved is the name of one, there or not. */
export const isSecretFile = (real: string): boolean =>
  [...secrets].some((path) => {
    if (path === real) return true
    const found = lstatSync(path, { throwIfNoEntry: false })
    // Without a link at its end it keeps its last name.
    const mayBe = found?.isSymbolicLink() === true || (found !== undefined && basename(path) === basename(real))
    return mayBe && realpathSync(path) === real
  })

/**
 * @param file open
 * @throws PolicyError `policy_denied` where it is one by another name
 */
export async function assertNoSecret(file: {
  stat(options: { bigint: true }): Promise<{ dev: bigint; ino: bigint; nlink: bigint; isDirectory(): boolean }>
}): Promise<void> {
  const opened = await file.stat({ bigint: true })
  if (opened.nlink === 1n || opened.isDirectory()) return
  const isIt = (path: string): boolean => {
    const own = statSync(path, { bigint: true, throwIfNoEntry: false })
    return own !== undefined && own.dev === opened.dev && own.ino === opened.ino
  }
  for (const path of secrets) if (isIt(path)) throw secretFile(path)
  for (const path of keptNames()) if (isIt(path)) throw keptFile(path)
}

/** What is kept, by its names; of a file with a second name elsewhere. */
function* keptNames(): Generator<string> {
  for (const store of stores) {
    const start = basename(store)
    for (const name of namesIn(dirname(store))) if (name.startsWith(start)) yield join(dirname(store), name)
  }
  for (const folder of folders) for (const name of namesIn(folder)) if (name.startsWith(AUDIT)) yield join(folder, name)
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** The refusal of one. */
export const secretFile = (name: string): PolicyError =>
  new PolicyError('policy_denied', `${JSON.stringify(name)} holds a key of a server, which no tool reads or writes`)
