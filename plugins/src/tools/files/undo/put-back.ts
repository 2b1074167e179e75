import { constants } from 'node:fs'
import { access, chmod, mkdir, open, rename, rm, rmdir, symlink, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import {
  ConflictError,
  createError,
  type PathState,
  PolicyError,
  type Restoration,
  SvcError,
  ToolError,
} from '@svc/core'
import { whyOfGit } from '../../git/git-names.ts'
import { noteApproved } from '../../programs/approved-files.ts'
import { codeOf, show, toFileError } from '../file-errors.ts'
import { type Folder, openFolder, openParent } from '../workspace.ts'
import { giveName } from '../write-inside.ts'
import { placeOf, readIn, readState } from './path-state.ts'

/**
 * Puts paths back, with the care of `writeInside`: in folders that are held open, and never through a link.
 *
 * All contents are written to a folder beside first, so that what cannot be written changes nothing; then each path is looked at
 * once more, and takes what it is to have by a new name, a rename or a removal. What was put back is as it has to be, so a try
 * that is cut off is made again as a whole.
 *
 * @param root absolute path with links resolved
 * @param stageName of the folder beside; what an earlier try left in it is removed
 * @returns folders that stay, since they hold something else
 * @throws ConflictError `files_changed`; PolicyError; ToolError `tool_failed`
 */
export async function putBack(root: string, all: readonly Restoration[], stageName: string): Promise<string[]> {
  for (const { path } of all) await assertWritable(root, path)
  const stage = await openStage(root, stageName)
  let done = 0
  try {
    for (const [index, restoration] of all.entries()) await fill(stage, String(index), restoration)
    for (const one of all) assertSame(one, await readState(placeOf(root, one.path)))
    const kept: string[] = []
    const counted = async (restorations: readonly Restoration[], act: (one: Restoration) => Promise<void>) => {
      for (const one of restorations) {
        await act(one)
        done++
      }
    }
    const isReplaced = ({ now, to }: Restoration): boolean => (now?.kind === 'folder') !== (to?.kind === 'folder')
    const gone = all.filter((one) => one.now !== undefined && (one.to === undefined || isReplaced(one)))
    const come = all.filter(({ to }) => to !== undefined).sort((a, b) => (a.path < b.path ? -1 : 1))
    const innermostFirst = (a: Restoration, b: Restoration): number => (a.path < b.path ? 1 : -1)
    await counted([...gone].sort(innermostFirst), async (one) => {
      if (!(await remove(root, one))) kept.push(one.path)
    })
    await counted(come, (one) => put(root, one, join(stage.path, String(all.indexOf(one)))))
    // last of all: a folder may be closed to those who write
    for (const one of come.toReversed()) if (one.to?.kind === 'folder') await setMode(root, one)
    return kept.sort()
  } catch (thrown) {
    throw done === 0 ? thrown : withRest(thrown, done)
  } finally {
    await stage.close()
    await rm(join(root, stageName), { recursive: true, force: true })
  }
}

/** @throws PolicyError `policy_denied` for what is git's; ToolError `tool_failed` where the folder of a path may not be changed */
async function assertWritable(root: string, path: string): Promise<void> {
  const real = join(root, path)
  const why = whyOfGit(root, real)
  if (why !== undefined) throw new PolicyError('policy_denied', `${show(path)} ${why}: use git itself`)
  await access(dirname(real), constants.W_OK).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') throw toFileError(error, path)
  })
}

async function openStage(root: string, name: string): Promise<Folder> {
  const path = join(root, name)
  try {
    await rm(path, { recursive: true, force: true })
    await mkdir(path, { mode: 0o700 })
  } catch (error) {
    throw toFileError(error, name)
  }
  return openFolder(placeOf(root, name))
}

async function fill(stage: Folder, name: string, { path, to }: Restoration): Promise<void> {
  if (to === undefined || to.kind === 'folder') return
  const { kind, content, mode = 0o600 } = to
  if (content === undefined) throw new ToolError('tool_failed', `${show(path)} was not kept`)
  const staged = join(stage.path, name)
  try {
    if (kind === 'link') {
      await symlink(Buffer.from(content), staged)
      return
    }
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
    const file = await open(staged, flags, 0o600)
    try {
      await file.writeFile(content)
      await file.chmod(mode)
      await file.sync()
    } finally {
      await file.close()
    }
  } catch (error) {
    throw toFileError(error, path)
  }
}

/** @throws ConflictError `files_changed` */
function assertSame({ path, now }: Restoration, found: PathState | undefined): void {
  const isSame = found?.kind === now?.kind && found?.mode === now?.mode && found?.sha256 === now?.sha256
  if (!isSame) throw changed(path)
}

const changed = (path: string): ConflictError =>
  new ConflictError(
    'files_changed',
    `${show(path)} was changed while it was to be put back: look at the difference again`,
  )

/** Does something where a path lies, right after it was seen to be as it has to be. */
async function at(root: string, restoration: Restoration, act: (target: string) => Promise<void>): Promise<void> {
  const { path } = restoration
  const folder = await openParent(placeOf(root, path))
  try {
    const target = join(folder.path, basename(path))
    assertSame(restoration, await readIn(target))
    await act(target)
  } catch (error) {
    throw codeOf(error) === 'EEXIST' ? changed(path) : toFileError(error, path)
  } finally {
    await folder.close()
  }
}

/** @returns false: a folder that holds something else */
async function remove(root: string, restoration: Restoration): Promise<boolean> {
  let isGone = true
  await at(root, restoration, async (target) => {
    if (restoration.now?.kind !== 'folder') await unlink(target)
    else
      await rmdir(target).catch((error: unknown) => {
        const isFull = codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST'
        if (!isFull || restoration.to !== undefined) throw isFull ? changed(restoration.path) : error
        isGone = false
      })
  })
  return isGone
}

async function put(root: string, { path, now, to }: Restoration, staged: string): Promise<void> {
  const isFolder = to?.kind === 'folder'
  if (isFolder && now?.kind === 'folder') return
  // what is of the other kind is gone by now
  const there = (now?.kind === 'folder') === isFolder ? now : undefined
  await at(root, { path, now: there, to }, async (target) => {
    if (isFolder) return mkdir(target, { mode: (to.mode ?? 0o755) | 0o700 })
    if (to?.kind === 'file') await noteApproved(join(root, path), staged)
    if (there === undefined) await giveName(staged, target)
    else await rename(staged, target)
  })
}

async function setMode(root: string, { path, to }: Restoration): Promise<void> {
  const folder = await openFolder(placeOf(root, path))
  try {
    await chmod(folder.path, to?.mode ?? 0o755)
  } finally {
    await folder.close()
  }
}

function withRest(thrown: unknown, done: number): unknown {
  if (!SvcError.isInstance(thrown)) return thrown
  const message = `${thrown.message}. ${done} changes were made by then; the same undo goes on with the others`
  return createError(thrown.code, message, { cause: thrown })
}
