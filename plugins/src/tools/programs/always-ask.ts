/** Files that decide what is run: a person is asked before one is written, whatever is allowed. */
import { show } from '../files/file-errors.ts'
import { isInside, type WorkspacePath } from '../files/workspace.ts'
import { foldersOfGit, toPlainName } from '../git/git-names.ts'
import { findGitPrograms } from '../git/git-programs.ts'
import { ALWAYS_ASKED } from './always-ask-list.ts'

/** What a config adds to the files that are always asked about. Absolute paths. */
export interface Guarded {
  /** The person's own folders of svc. */
  readonly folders: readonly string[]
  /** Those in which svc keeps what it answers for: nobody's yes lets a tool write there. */
  readonly kept?: readonly string[]
  /** Files of the store, where that has no folder of its own. Default none. */
  readonly files?: readonly string[]
  /** Programs and scripts that the commands of tools name, and files that svc loads; as they are named, and with links resolved. */
  readonly programs: readonly string[]
}

export const NOTHING_GUARDED: Guarded = { folders: [], programs: [] }

const listed = ALWAYS_ASKED.flatMap(([names]) => names.split(' '))

/** Folders whose files run by themselves, or when something else does. */
export const GUARDED_FOLDERS: ReadonlySet<string> = new Set(
  listed.flatMap((name) => (name.endsWith('/') ? [name.slice(0, -1)] : [])),
)
const files = listed.filter((name) => !name.endsWith('/'))
/** Files that name what is run, in lower case. */
const FILES = new Set(files.filter((name) => !name.includes('*')))
/** What stands before and after the `*` of a name. */
const PATTERNS = files.filter((name) => name.includes('*')).map((name) => name.split('*'))

/** Whether a name decides what is run, wherever the file lies. */
export const isGuardedName = (name: string): boolean => {
  const plain = toPlainName(name)
  if (FILES.has(plain)) return true
  return PATTERNS.some(([start = '', ...rest]) => matches(plain, start, rest))
}

function matches(name: string, start: string, rest: readonly string[]): boolean {
  if (!name.startsWith(start)) return false
  let at = start.length
  for (const part of rest.slice(0, -1)) {
    const found = name.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  const end = rest.at(-1) ?? ''
  return name.length >= at + end.length && name.endsWith(end)
}

/** Whether svc answers for what lies there. */
export const isKeptPlace = (real: string, { kept = [] }: Guarded): boolean =>
  kept.some((folder) => isInside(folder.toLowerCase(), real.toLowerCase()))

/** Why a person has to be asked before a file is written; undefined where that is for the rules to say. */
export function whyAsk(
  { root, real, relative }: WorkspacePath,
  { folders, files = [], programs }: Guarded,
): string | undefined {
  // names are the same in any case where a file system says so
  const segments = real.slice(root.length).toLowerCase().split(/[/\\]/).filter(Boolean)
  const name = segments.at(-1) ?? ''
  const ofGit = findGitPrograms(root, foldersOfGit(real))
  if (ofGit.files.includes(real) || ofGit.folders.some((folder) => isInside(folder, real)))
    return `${show(relative)} is named by the configuration of git, which runs or obeys it`
  const lower = real.toLowerCase()
  if ([...folders, ...files].some((folder) => isInside(folder.toLowerCase(), lower)))
    return `${show(relative)} is of svc's own`
  if (programs.some((program) => program.toLowerCase() === lower)) return `${show(relative)} is run by a tool`
  const folder = segments.slice(0, -1).find((segment) => GUARDED_FOLDERS.has(toPlainName(segment)))
  if (folder !== undefined) return `${show(relative)} lies in ${folder}, whose files decide what is run`
  if (isGuardedName(name)) return `${show(relative)} decides what is run`
  return undefined
}
