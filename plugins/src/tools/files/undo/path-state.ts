/** What is at a path, for undo: links are not followed, neither at its end nor on the way. */
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import type { LostContent, PathContent } from '@svc/core'
import { codeOf } from '../file-errors.ts'
import { openInside, type WorkspacePath } from '../workspace.ts'

/** Of a file that is kept. */
const MOST_KEPT_BYTES = 10_000_000
const PIECE_BYTES = 1_048_576
/** Files that hold secrets by what they are called. */
const SECRET_NAME =
  /^\.env(?:\..*)?$|^\.(?:netrc|npmrc|pypirc|pgpass)$|^id_(?:rsa|dsa|ecdsa|ed25519)$|\.(?:pem|key|p12|pfx)$/i

export const modeOf = ({ mode }: { mode: number }): number => mode & 0o777

const hashOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex')

/** Whether a file is never kept, or is too large to be. */
const whyLost = (path: string, bytes: number): LostContent | undefined =>
  SECRET_NAME.test(basename(path)) ? 'secret' : bytes > MOST_KEPT_BYTES ? 'large' : undefined

/** A link, which is kept as what it says. */
export function linkState(target: Buffer): PathContent {
  return { kind: 'link', sha256: hashOf(target), bytes: target.length, content: target }
}

/**
 * What is at a path; undefined: nothing, or nothing that could be kept.
 *
 * @param place whose `real` may be a link, but no folder on the way to it
 */
export async function readState(place: WorkspacePath): Promise<PathContent | undefined> {
  const folder = dirname(place.real)
  if ((await realpath(folder).catch(() => undefined)) !== folder) return undefined
  return readAt(place.real, () => openInside(place))
}

/** The same of a name in a folder that is held open. */
export const readIn = (path: string): Promise<PathContent | undefined> =>
  readAt(path, () => open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)))

async function readAt(path: string, openFile: () => Promise<FileHandle>): Promise<PathContent | undefined> {
  try {
    const found = await lstat(path)
    if (found.isDirectory()) return { kind: 'folder', mode: modeOf(found) }
    if (found.isSymbolicLink()) return linkState(await readlink(path, { encoding: 'buffer' }))
    if (!found.isFile()) return undefined
    const file = await openFile()
    return await readOpen(file, path).finally(() => file.close())
  } catch (error) {
    const code = codeOf((error as Error).cause ?? error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}

/** An open file. @param path which it has, or is to have */
export async function readOpen(file: FileHandle, path: string): Promise<PathContent> {
  const found = await file.stat()
  const lost = whyLost(path, found.size)
  const hash = createHash('sha256')
  const pieces: Buffer[] = []
  let bytes = 0
  for (;;) {
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, found.size + 1))
    const { bytesRead } = await file.read(piece, 0, piece.length, bytes)
    if (bytesRead === 0) break
    bytes += bytesRead
    hash.update(piece.subarray(0, bytesRead))
    if (lost === undefined && bytes <= MOST_KEPT_BYTES) pieces.push(piece.subarray(0, bytesRead))
  }
  const state = { kind: 'file' as const, mode: modeOf(found), sha256: hash.digest('hex'), bytes }
  const why = lost ?? whyLost(path, bytes)
  return why === undefined ? { ...state, content: Buffer.concat(pieces) } : { ...state, lost: why }
}

/** A file as it would be with this text, where what it holds is at hand. */
export function withText(state: PathContent | undefined, text: string): PathContent | undefined {
  if (state?.content === undefined) return state
  const content = Buffer.from(text)
  return { ...state, sha256: hashOf(content), bytes: content.length, content }
}

/** A place as runs record it. */
export const pathOf = (root: string, real: string): string => relative(root, real).split(sep).join('/')

/** The place that a run recorded so. */
export const placeOf = (root: string, path: string): WorkspacePath => ({
  root,
  real: join(root, path),
  relative: path,
  exists: true,
})
