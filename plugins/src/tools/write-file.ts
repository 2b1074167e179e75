import { randomBytes } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { type FileHandle, link, lstat, open, rename, unlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { PolicyError, type Tool, ToolError } from '@svc/core'
import * as Type from 'typebox'
import { checkArgs } from './check-args.ts'
import { codeOf, show, toFileError } from './file-errors.ts'
import { openInside, openParent, type Place, resolveInside } from './workspace.ts'

const parameters = Type.Object(
  {
    path: Type.String({
      minLength: 1,
      description: 'File to write, relative to the workspace; missing folders are made.',
    }),
    content: Type.String({ description: 'The whole text of the file; with mode "append" the text to add at its end.' }),
    mode: Type.Optional(
      Type.Enum(['create', 'overwrite', 'append'], {
        description:
          '"create" refuses when the file exists, "overwrite" replaces it, "append" adds at the end. Default "overwrite".',
      }),
    ),
  },
  { additionalProperties: false },
)

type Mode = 'create' | 'overwrite' | 'append'

/**
 * Writes a text file whole or not at all: to a new file beside it, which then takes its name. A link is followed to the
 * file it names inside the workspace; what else shares that file's content (a hard link) keeps the old one.
 *
 * Files under `.git` are refused with `policy_denied`: git runs programs from there.
 */
export const writeFile: Tool = {
  id: 'write_file',
  description:
    'Writes a text file in the workspace: creates it, replaces its whole content, or appends. Missing folders are made. To change part of a file, read it first and write the whole new content.',
  parameters: { ...parameters },
  risk: 'write',
  idempotent: false,
  timeoutMs: 20_000,
  maxOutputBytes: 4096,
  async run(args, { workspace, signal }) {
    const { path, content, mode = 'overwrite' } = checkArgs('write_file', parameters, args)
    signal.throwIfAborted()
    const place = await resolveInside(workspace, path)
    if (path.endsWith('/')) throw new ToolError('tool_bad_args', `${show(path)} names a folder; name a file`)
    refuseGit(place)
    const before = place.exists ? await lstat(place.real).catch(() => undefined) : undefined
    if (place.real === place.root || before?.isDirectory()) {
      throw new ToolError('tool_failed', `${show(path)} is a folder, not a file`)
    }
    if (before !== undefined && !before.isFile())
      throw new ToolError('tool_failed', `${show(path)} is not a regular file`)
    if (before !== undefined && mode === 'create') throw exists(path)
    try {
      return await writeInside(place, content, mode, before, signal)
    } catch (error) {
      throw codeOf(error) === 'EEXIST' ? exists(path) : toFileError(error, path)
    }
  },
}

async function writeInside(
  place: Place,
  content: string,
  mode: Mode,
  before: Stats | undefined,
  signal: AbortSignal,
): Promise<string> {
  const folder = await openParent(place)
  const target = join(folder.path, basename(place.real))
  const temporary = join(folder.path, `.svc-${randomBytes(8).toString('hex')}.tmp`)
  try {
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0)
    const file = await open(temporary, flags, 0o666)
    try {
      if (mode === 'append' && before !== undefined) await copyInto(file, place, signal)
      await file.writeFile(content, { encoding: 'utf8', signal })
      if (before !== undefined) await file.chmod(before.mode & 0o777)
      await file.sync()
    } finally {
      await file.close()
    }
    signal.throwIfAborted()
    if (mode === 'create') await giveName(temporary, target)
    else await rename(temporary, target)
  } finally {
    // it is renamed already, or not needed
    await unlink(temporary).catch(() => {})
    await folder.close()
  }
  return report(place.relative, content, mode, before)
}

/** Gives a file a name that is not taken; a name that appeared meanwhile is never replaced. */
async function giveName(temporary: string, target: string): Promise<void> {
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

async function copyInto(file: FileHandle, place: Place, signal: AbortSignal): Promise<void> {
  const old = await openInside(place)
  try {
    const buffer = Buffer.allocUnsafe(262_144)
    for (let position = 0; ; ) {
      signal.throwIfAborted()
      const { bytesRead } = await old.read(buffer, 0, buffer.length, position)
      if (bytesRead === 0) return
      position += bytesRead
      await file.writeFile(buffer.subarray(0, bytesRead))
    }
  } finally {
    await old.close()
  }
}

function report(path: string, content: string, mode: Mode, before: Stats | undefined): string {
  const size = `${count(countLines(content), 'line')}, ${count(Buffer.byteLength(content), 'byte')}`
  if (before === undefined) return `created ${path}: ${size}`
  if (mode === 'append') return `appended to ${path}: ${size}; it had ${count(before.size, 'byte')}`
  return `replaced ${path}: ${size}; it had ${count(before.size, 'byte')}`
}

const count = (amount: number, noun: string): string => `${amount} ${noun}${amount === 1 ? '' : 's'}`

function countLines(text: string): number {
  if (text === '') return 0
  let lines = text.endsWith('\n') ? 0 : 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++
  return lines
}

function exists(path: string): ToolError {
  return new ToolError('tool_failed', `${show(path)} exists already; use mode "overwrite" or "append"`, {
    details: { path, errno: 'EEXIST' },
  })
}

function refuseGit(place: Place): void {
  const inner = place.real.slice(place.root.length).toLowerCase().split(/[/\\]/)
  if (inner.includes('.git')) {
    throw new PolicyError('policy_denied', `${show(place.relative)} lies in .git, whose files git runs: use git itself`)
  }
}
