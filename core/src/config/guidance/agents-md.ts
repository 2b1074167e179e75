import { lstatSync, readdirSync, realpathSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import type { FolderNote, FolderNotes, NoteReader } from '../../contracts/tool/folder-note.ts'
import { toSvcError } from '../../errors.ts'
import { isForeign } from '../../support/own-files.ts'
import { searchFolders } from '../find/find-project.ts'
import { invalid } from '../read/config-error.ts'
import { readBytes, sha256, toText } from '../read/read-data.ts'
import { shown } from '../read/shown.ts'

const FILE = 'AGENTS.md'
/** What the notes of one request have together. */
const MOST_BYTES = 32_768
const MOST_FOLDERS = 5_000

/** A file, whose text is still whole. */
interface Read {
  file: string
  text: string
  hash: string
}

/**
 * Reads `AGENTS.md` files. None above the repository is read, none that a link leads out of it to, and none of another user.
 *
 * @param isTrusted whether a person trusts a file with this hash
 * @param hint what a person should know of one that is not trusted, after its name; empty: nothing
 */
export function createNoteReader(
  workspace: string,
  isTrusted: (file: string, hash: string) => boolean,
  hint: string,
): NoteReader {
  const folders = searchFolders(workspace).reverse()
  const [top = workspace] = folders
  const read = (paths: readonly string[], isTainted: (file: string) => boolean): FolderNotes => {
    const warnings: string[] = []
    const found = paths.flatMap((folder): Read[] => {
      const file = join(folder, FILE)
      if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return []
      try {
        return [readNote(file, top)]
      } catch (thrown) {
        warnings.push(`left out: ${toSvcError(thrown).message}`)
        return []
      }
    })
    const notes = fit(found).map(({ file, hash, text }): FolderNote => {
      const path = relative(top, file).split(sep).join('/')
      const trust = isTrusted(file, hash) && !isTainted(file) ? 'trusted' : 'untrusted'
      if (trust === 'untrusted' && hint !== '') warnings.push(`${shown(path)} ${hint}`)
      return { path, text, trust }
    })
    return { notes, warnings }
  }
  return {
    above: () => read(folders, () => false),
    below(folder, isTainted) {
      const names = folder.split('/')
      return read(
        names.map((_, index) => join(workspace, ...names.slice(0, index + 1))),
        isTainted,
      )
    },
  }
}

function readNote(file: string, top: string): Read {
  const real = realpathSync(file)
  if (!real.startsWith(top === sep ? top : `${realpathSync(top)}${sep}`))
    throw invalid(file, `is a link that leads out of the repository, to ${real}`)
  if (isForeign(file) || isForeign(real)) throw invalid(file, 'belongs to another user')
  const bytes = readBytes(real)
  return { file, text: toText(bytes, file).trim(), hash: sha256(bytes) }
}

/** The nearest are whole as long as there is room; what is cut says so. */
function fit(found: readonly Read[]): Read[] {
  let room = MOST_BYTES
  const fitted = found.toReversed().map((one) => {
    const bytes = Buffer.from(one.text)
    const kept = bytes.subarray(0, room)
    room -= kept.length
    if (kept.length === bytes.length) return one
    const text = kept.toString('utf8').replace(/\uFFFD$/, '')
    return { ...one, text: `${text}\n[cut: the first ${kept.length} of ${bytes.length} bytes]`.trim() }
  })
  return fitted.reverse().filter(({ text }) => text !== '')
}

/** Every `AGENTS.md` that a record of trust in a folder covers, with its hash: those above, and those of its sub-folders. */
export function hashNotes(folder: string): Record<string, string> {
  const top = searchFolders(folder).at(-1) ?? folder
  const notes: Record<string, string> = {}
  for (const each of [...searchFolders(folder), ...foldersBelow(folder)]) {
    const file = join(each, FILE)
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) continue
    try {
      notes[file] = readNote(file, top).hash
    } catch {
      // It is not read either.
    }
  }
  return notes
}

/** Without those of packages and of git, and without links. */
function foldersBelow(folder: string): string[] {
  const found: string[] = []
  const open = [folder]
  for (let next = open.shift(); next !== undefined && found.length < MOST_FOLDERS; next = open.shift()) {
    try {
      for (const entry of readdirSync(next, { withFileTypes: true })) {
        if (!entry.isDirectory() || /^(?:node_modules|\.git)$/.test(entry.name)) continue
        found.push(join(next, entry.name))
        open.push(join(next, entry.name))
      }
    } catch {
      // one that cannot be listed has nothing to read
    }
  }
  return found
}
