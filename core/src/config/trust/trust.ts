import { realpathSync } from 'node:fs'
import { ConfigError } from '../../errors.ts'
import { findProject, type Project } from '../find/find-project.ts'
import { defaultUserDir, kindOf, toWorkspace } from '../find/paths.ts'
import { hashNotes } from '../guidance/agents-md.ts'
import { isRecord, sha256 } from '../read/read-data.ts'
import { readOwnRecord, writeOwnRecord } from './own-record.ts'
import { type Hashes, NOT_COVERED, type TrackedFiles, trackFiles } from './tracked-files.ts'

/** Where trust is kept. */
export interface TrustOptions {
  /** The person's own folder; default `$XDG_CONFIG_HOME/svc`, else `~/.config/svc`. */
  userDir?: string
}

/** Whether a folder may run its code. */
export interface TrustState {
  /** `changed`: it was trusted, and a file was changed or added since. */
  state: 'trusted' | 'changed' | 'unknown'
  /** The project's folder, or the workspace where there is no project. */
  folder: string
  /** Every file that counts, with its SHA-256; of an installed package, whose path ends in `/`, one over all its code. */
  files: Hashes
  /** Which files changed or are new. */
  changed: string[]
  /** The files that may be loaded, each with its own SHA-256, those of packages included. */
  loadable: TrackedFiles['files']
}

interface Entry {
  trustedAt: string
  files: Record<string, string>
  /** Each `AGENTS.md` as it was: one that changed is no instruction any more, and nothing else of the folder is affected. */
  notes: Record<string, string>
  /** Files and folders that the person named beside what svc finds. */
  also: string[]
}

interface Store {
  version: 1
  folders: Record<string, Entry>
}

/** In the person's own folder: which projects are trusted, as they were. */
export const TRUST_FILE = 'trust.json'

/** Every file that trust in a workspace would cover: absolute paths, sorted. */
export function listTrustFiles(workspace: string, options: TrustOptions = {}): string[] {
  return [...checkTrust(workspace, options).files.keys()]
}

/**
 * Looks up whether a workspace's project was trusted as it is now. Reads files and runs nothing.
 */
export function checkTrust(workspace: string, { userDir = defaultUserDir() }: TrustOptions = {}): TrustState {
  return lookUp(workspace, userDir, [])
}

function lookUp(workspace: string, userDir: string, also: readonly string[]): TrustState {
  const { project, folder } = findPlace(workspace)
  const known = readStore(userDir).folders[folder]
  const tracked = trackFiles(project ?? { folder }, [...(known?.also ?? []), ...also])
  const { hashes: files, files: loadable } = tracked
  if (known === undefined) return { state: 'unknown', folder, files, changed: [], loadable }
  const changed = findChanged(files, known.files)
  return { state: changed.length === 0 ? 'trusted' : 'changed', folder, files, changed, loadable }
}

/** A file that is gone runs nothing; what takes its place is new or changed. */
function findChanged(files: ReadonlyMap<string, string>, known: Readonly<Record<string, string>>): string[] {
  return [...files].filter(([file, hash]) => hash === NOT_COVERED || known[file] !== hash).map(([file]) => file)
}

function findPlace(workspace: string): { project: Project | undefined; folder: string } {
  const real = toWorkspace(workspace)
  const project = findProject(real)
  return { project, folder: realpathSync(project?.folder ?? real) }
}

/**
 * Records that a workspace's project may run its code, as its files are now.
 *
 * @param options `only` is what was shown to the person: nothing is recorded when the files have changed meanwhile.
 *   `also` are files and folders that code loads by names which svc cannot see, as absolute paths; they stay covered
 * @throws ConfigError `config_untrusted` in that case; `config_invalid` when a file cannot be covered or the record
 *   cannot be written
 */
export async function recordTrust(
  workspace: string,
  { userDir = defaultUserDir(), only, also = [] }: TrustOptions & { only?: Hashes; also?: readonly string[] } = {},
): Promise<{ folder: string; files: string[] }> {
  const missing = also.find((path) => kindOf(path) === undefined)
  if (missing !== undefined) throw new ConfigError('config_invalid', `${missing}: there is no such file or folder`)
  const more = also.map((path) => realpathSync(path))
  const { folder, files } = lookUp(workspace, userDir, more)
  if (only !== undefined) {
    const moved = [...files].find(([file, hash]) => only.get(file) !== hash)
    if (moved !== undefined) throw new ConfigError('config_untrusted', `${moved[0]}: changed while it was looked at`)
  }
  const uncovered = [...files].find(([, hash]) => hash === NOT_COVERED)?.[0]
  if (uncovered !== undefined) {
    const reason = 'it cannot be read, is larger than 8 MiB, or is one of too many files'
    throw new ConfigError('config_invalid', `${uncovered}: cannot be covered by trust: ${reason}`)
  }
  const notes = hashNotes(folder)
  await update(userDir, (store) => {
    const before = store.folders[folder]?.also ?? []
    store.folders[folder] = {
      trustedAt: new Date().toISOString(),
      files: Object.fromEntries(files),
      notes,
      also: [...new Set([...before, ...more])].filter((path) => kindOf(path) !== undefined),
    }
  })
  return { folder, files: [...files.keys(), ...Object.keys(notes)] }
}

/** Whether an `AGENTS.md` is as it was when its folder was trusted; asked of the record as it is now. */
export function isTrustedNote(
  workspace: string,
  { file, hash }: { file: string; hash: string },
  { userDir = defaultUserDir() }: TrustOptions = {},
): boolean {
  return readStore(userDir).folders[findPlace(workspace).folder]?.notes[file] === hash
}

/**
 * Keeps a trusted folder trusted where svc itself wrote or removed a file of it, and records nothing else: not what
 * changed beside it, and no folder that a person has not trusted.
 *
 * @param content what was written; undefined for a file that was removed
 */
export async function recordWritten(
  workspace: string,
  file: string,
  content: string | undefined,
  { userDir = defaultUserDir() }: TrustOptions = {},
): Promise<void> {
  const { folder } = findPlace(workspace)
  if (readStore(userDir).folders[folder] === undefined) return
  await update(userDir, ({ folders: { [folder]: entry } }) => {
    if (entry === undefined) return
    if (content === undefined) delete entry.files[file]
    else entry.files[file] = sha256(Buffer.from(content))
  })
}

/** Takes trust back. @returns whether there was any */
export async function removeTrust(
  workspace: string,
  { userDir = defaultUserDir() }: TrustOptions = {},
): Promise<boolean> {
  const { folder } = findPlace(workspace)
  let was = false
  await update(userDir, (store) => {
    was = Object.hasOwn(store.folders, folder)
    delete store.folders[folder]
  })
  return was
}

function readStore(userDir: string): Store {
  const folders: Store['folders'] = Object.create(null)
  const content = readOwnRecord(userDir, TRUST_FILE)
  if (!isRecord(content?.folders)) return { version: 1, folders }
  for (const [folder, entry] of Object.entries(content.folders)) {
    if (!isRecord(entry) || !isRecord(entry.files)) continue
    const files = toHashes(entry.files)
    const notes = toHashes(isRecord(entry.notes) ? entry.notes : {})
    const also = Array.isArray(entry.also) ? entry.also.filter((path) => typeof path === 'string') : []
    folders[folder] = { trustedAt: String(entry.trustedAt), files, notes, also }
  }
  return { version: 1, folders }
}

function toHashes(entries: Record<string, unknown>): Record<string, string> {
  const hashes: Record<string, string> = Object.create(null)
  for (const [file, hash] of Object.entries(entries)) if (typeof hash === 'string') hashes[file] = hash
  return hashes
}

const update = (userDir: string, change: (store: Store) => void): Promise<void> =>
  writeOwnRecord(userDir, TRUST_FILE, () => {
    const store = readStore(userDir)
    change(store)
    return store
  })
