/**
 * What is at paths, where names need not be text: in the paths of these functions a byte of a name that is no UTF-8 stands as a
 * lone surrogate, `\udc80` to `\udcff`, so that names can be joined, compared and mounted like others.
 */
import { isUtf8 } from 'node:buffer'
import { chmodSync, type Dirent, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { codeOf } from '../../files/file-errors.ts'

/** Quicker to look for. */
const MAYBE_NO_TEXT = /[\udc80-\udcff]/
const NO_TEXT = /((?<![\ud800-\udbff])[\udc80-\udcff])/

/** Whether all names of a path are text. */
export const isText = (path: string): boolean => !MAYBE_NO_TEXT.test(path) || !NO_TEXT.test(path)

/** A text with such names as the system has it. */
export const bytesOf = (text: string): Buffer =>
  Buffer.concat(
    text
      .split(NO_TEXT)
      .map((part, index) => (index % 2 === 0 ? Buffer.from(part) : Buffer.of(part.charCodeAt(0) - 0xdc00))),
  )

/** A path as functions of the system take it. */
export const toPath = (path: string): string | Buffer => (isText(path) ? path : bytesOf(path))

export const textOf = (bytes: Buffer): string =>
  isUtf8(bytes)
    ? bytes.toString()
    : bytes.toString('latin1').replace(/[\x80-\xff]/g, (byte) => String.fromCharCode(0xdc00 + byte.charCodeAt(0)))

/** The lines of a file of Linux' `/proc`; none on another system. */
export const linesOfProc = (path: string): string[] =>
  process.platform === 'linux' ? readFileSync(path, 'latin1').trim().split('\n') : []

/** What a file says; nothing where there is none, or what it tells of is gone. */
export function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** An entry of a folder, with its name as a text. */
export interface FolderEntry {
  readonly name: string
  readonly is: Dirent<Buffer>
}

/** What is in a folder; nothing where it is a file, or not there; undefined where it may not be listed. */
export function readFolder(folder: string): FolderEntry[] | undefined {
  try {
    const entries = readdirSync(toPath(folder), { withFileTypes: true, encoding: 'buffer' })
    return entries.map((is) => ({ name: textOf(is.name), is }))
  } catch (error) {
    return codeOf(error) === 'EACCES' ? undefined : []
  }
}

/** The same of a folder that a program may have closed: it is opened first, since it would hide what is in it. */
export function readOpened(folder: string): FolderEntry[] {
  const entries = readFolder(folder)
  if (entries !== undefined) return entries
  reopen(folder)
  return readFolder(folder) ?? []
}

/** Gives a folder the person's rights that it had back; one of somebody else's stays as it is. */
export function reopen(folder: string, before = 0o700): void {
  const now = modeOf(folder)
  if (now === undefined || (~now & before & 0o700) === 0) return
  try {
    chmodSync(toPath(folder), now | (before & 0o700))
  } catch (error) {
    if (codeOf(error) !== 'EPERM') throw error
  }
}

/** The mode of a folder; undefined where there is none by that name, nor can be. */
export function modeOf(folder: string): number | undefined {
  try {
    const found = lstatSync(toPath(folder), { throwIfNoEntry: false })
    return found?.isDirectory() === true ? found.mode & 0o7777 : undefined
  } catch {
    return undefined
  }
}

/**
 * What is at a path: `nothing`, `a file`, `a folder`, or `-> ` and what a link says. Paths are made of the words of commands,
 * so also of texts that no file can be called by: below a file, too long, or with a NUL character. There is nothing.
 */
export function stateOf(path: string): string {
  try {
    const found = lstatSync(toPath(path), { throwIfNoEntry: false })
    if (found === undefined) return 'nothing'
    if (!found.isSymbolicLink()) return found.isDirectory() ? 'a folder' : 'a file'
    return `-> ${textOf(readlinkSync(toPath(path), { encoding: 'buffer' }))}`
  } catch {
    return 'nothing'
  }
}
