import { randomBytes } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { type FileHandle, link, lstat, open, rename, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { type FileChange, type PathContent, PolicyError, type Tool, type ToolContext, ToolError } from '@svc/core'
import { whyOfGit } from '../git/git-names.ts'
import { type Guarded, isKeptPlace, whyAsk } from '../programs/always-ask.ts'
import { noteApproved } from '../programs/approved-files.ts'
import type { EditorFiles } from './editor/editor-files.ts'
import { codeOf, show, toFileError } from './file-errors.ts'
import { pathOf, readOpen, readState, withText } from './undo/path-state.ts'
import { type FileScope, openInside, openParent, resolveInside, touchedPaths, type WorkspacePath } from './workspace.ts'

/** A text that is put into a file by way of an editor. */
export interface InEditor {
  readonly editor: EditorFiles
  /** What the editor had there, saved or not; absent of a new file. */
  readonly before?: string
  readonly text: string
}

/** Where a tool writes, and what is there now. */
export interface Target {
  readonly place: WorkspacePath
  readonly before: Stats | undefined
}

/**
 * The file that a model named to be written.
 *
 * @throws PolicyError `path_outside_root`, and `policy_denied` in a repository of git, which runs programs from there; ToolError where it
 *   is no regular file
 */
export async function findTarget(scope: FileScope, path: string): Promise<Target> {
  const place = await resolveInside(scope, path)
  if (path.endsWith('/')) throw new ToolError('tool_bad_args', `${show(path)} names a folder; name a file`)
  const why = place.real === place.root ? undefined : whyOfGit(place.root, place.real)
  if (why !== undefined) throw new PolicyError('policy_denied', `${show(place.relative)} ${why}: use git itself`)
  const before = place.exists ? await lstat(place.real).catch(() => undefined) : undefined
  if (place.real === place.root || before?.isDirectory()) {
    throw new ToolError('tool_failed', `${show(path)} is a folder, not a file`)
  }
  if (before !== undefined && !before.isFile())
    throw new ToolError('tool_failed', `${show(path)} is not a regular file`)
  return { place, before }
}

/**
 * The part of a writing tool that says which file it is about, and has a person asked about some: `touches`, `alwaysAsks`, and what `run` checks once more, because
 * a link may have changed since.
 */
export function guardWriting(guarded: Guarded) {
  return {
    touches: ((args, context) => touchedPaths(context, (args as { path: string }).path)) satisfies Tool['touches'],
    alwaysAsks: (async (args, context) => {
      const { path } = args as { path: string }
      const { place } = await findTarget(context, path)
      refuseKept(place, guarded)
      return whyAsk(place, guarded)
    }) satisfies Tool['alwaysAsks'],
    /** @throws PolicyError `policy_denied` */
    check(place: WorkspacePath, { isApproved }: Pick<ToolContext, 'isApproved'>): void {
      refuseKept(place, guarded)
      const why = isApproved === true ? undefined : whyAsk(place, guarded)
      if (why !== undefined) throw new PolicyError('policy_denied', `${why}: a person has to approve it`)
    },
  }
}

/** @throws PolicyError `policy_denied` for what svc keeps: runs, keys, and who decided what */
function refuseKept({ real, relative }: WorkspacePath, guarded: Guarded): void {
  if (isKeptPlace(real, guarded))
    throw new PolicyError('policy_denied', `${show(relative)} lies in the folder in which svc keeps its data`)
}

/**
 * Writes a file whole or not at all: to a new file beside it, which then takes its name and the old one's mode. Folders that
 * are missing are made.
 *
 * @param write writes the content
 * @param isNew never replaces what appeared meanwhile
 * @param inEditor says that the editor saves the file, where it can
 * @throws ToolError `tool_failed`
 */
export async function writeInside(
  { place, before }: Target,
  write: (file: FileHandle) => Promise<void>,
  context: Pick<ToolContext, 'signal' | 'isApproved' | 'keepForUndo'>,
  isNew: boolean,
  inEditor?: InEditor,
): Promise<void> {
  const made = context.keepForUndo === undefined ? [] : await missingFolders(place)
  const folder = await openParent(place)
  const target = join(folder.path, basename(place.real))
  const temporary = join(folder.path, `.svc-${randomBytes(8).toString('hex')}.tmp`)
  try {
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
    const file = await open(temporary, flags, 0o666)
    let after: PathContent | undefined
    try {
      await write(file)
      if (before !== undefined) await file.chmod(before.mode & 0o777)
      await file.sync()
      if (context.keepForUndo !== undefined) after = await readOpen(file, place.real)
    } finally {
      await file.close()
    }
    context.signal.throwIfAborted()
    if (context.keepForUndo !== undefined) await context.keepForUndo(await changesOf(place, made, after, inEditor))
    if (context.isApproved === true) await noteApproved(place.real, temporary)
    if (isNew) await giveName(temporary, target)
    const isSaved = inEditor !== undefined && (await inEditor.editor.write(place.real, inEditor.text, context.signal))
    if (isSaved) await keepFormatted(place, after, context)
    else if (!isNew) await rename(temporary, target)
  } catch (error) {
    throw codeOf(error) === 'EEXIST' ? exists(place.relative) : toFileError(error, place.relative)
  } finally {
    // it is renamed already, or not needed
    await unlink(temporary).catch(() => {})
    await folder.close()
  }
}

/** An editor may format what it saves. */
async function keepFormatted(
  place: WorkspacePath,
  written: PathContent | undefined,
  { keepForUndo }: Pick<ToolContext, 'keepForUndo'>,
): Promise<void> {
  const found = keepForUndo && (await readState(place))
  if (found === undefined || found.sha256 === written?.sha256) return
  await keepForUndo?.([{ path: pathOf(place.root, place.real), before: written, after: found }])
}

/** The folders around a place that are to be made, outermost first. */
async function missingFolders({ root, real }: WorkspacePath): Promise<string[]> {
  const folder = dirname(real)
  if (folder === root || (await lstat(folder).catch(() => undefined)) !== undefined) return []
  return [...(await missingFolders({ root, real: folder } as WorkspacePath)), folder]
}

/** What becomes of a place and of the folders around it that were made. */
async function changesOf(
  place: WorkspacePath,
  made: readonly string[],
  after: PathContent | undefined,
  inEditor: InEditor | undefined,
): Promise<FileChange[]> {
  const saved = await readState(place)
  // what somebody typed and has not saved is not to be lost
  const before = inEditor?.before === undefined ? saved : withText(saved, inEditor.before)
  const folders = await Promise.all(made.map((real) => readState({ ...place, real })))
  return [
    ...made.map((real, index) => ({ path: pathOf(place.root, real), before: undefined, after: folders[index] })),
    { path: pathOf(place.root, place.real), before, after },
  ]
}

/** The whole content of a file of at most so many bytes. */
export async function readWhole(place: WorkspacePath, mostBytes: number): Promise<Buffer> {
  const file = await openInside(place)
  try {
    const { size } = await file.stat()
    if (size > mostBytes) {
      throw new ToolError(
        'tool_failed',
        `${show(place.relative)} has ${size} bytes, more than the ${mostBytes} that can be edited`,
      )
    }
    return await file.readFile()
  } finally {
    await file.close()
  }
}

/** The refusal to make a file whose name is taken. */
export function exists(path: string): ToolError {
  return new ToolError('tool_failed', `${show(path)} exists already; use mode "overwrite" or "append"`, {
    details: { path, errno: 'EEXIST' },
  })
}

/** Gives a file a name that is not taken; a name that appeared meanwhile is never replaced. */
export async function giveName(temporary: string, target: string): Promise<void> {
  try {
    await link(temporary, target)
  } catch (error) {
    const code = codeOf(error)
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error
    // a file system without hard links: take the name first, then replace the empty file
    await (await open(target, 'wx')).close()
    await rename(temporary, target)
  }
}
