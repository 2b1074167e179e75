import { type Tool, ToolError } from '@svc/core'
import * as Type from 'typebox'
import { checkArgs } from '../../configured/check-args.ts'
import { show } from '../file-errors.ts'
import { missing } from '../missing.ts'
import { resolveInside, touchedPaths } from '../workspace.ts'
import { createFilter, type Entry, emptyReport, statEntry, tellLeftOut, walk } from './walk.ts'

const parameters = Type.Object(
  {
    path: Type.Optional(Type.String({ description: 'Folder to list, relative to the workspace. Default ".".' })),
    depth: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 50, description: 'How many levels of folders to show. Default 3.' }),
    ),
    pattern: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'Glob; only matching files are listed, and no folders. Without "/" it is about the file name ("*.ts"), else about the path ("src/**/*.test.ts").',
      }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 5000, description: 'Most lines to show. Default 400.' })),
  },
  { additionalProperties: false },
)

/**
 * Lists a folder: one path on each line, folders with `/` at the end, files with two spaces and their bytes.
 *
 * When there is more than `limit`, the deepest entries are left out first and the last line says `… N more`. A line that
 * begins with `… ` is never a path.
 */
export const listFiles: Tool = {
  id: 'list_files',
  description:
    'Lists files and folders of the workspace as a tree of paths: one path per line, folders end with "/", files are followed by their size in bytes. Skips version control, installed packages, caches, build results and what .gitignore excludes; to see those, ask for their path. Use it first to find out what there is.',
  parameters: { ...parameters },
  risk: 'read',
  idempotent: true,
  timeoutMs: 20_000,
  maxOutputBytes: 131_072,
  touches: (args, context) => touchedPaths(context, checkArgs('list_files', parameters, args).path ?? '.'),
  async run(args, context) {
    const { path = '.', depth = 3, pattern, limit = 400 } = checkArgs('list_files', parameters, args)
    const { signal } = context
    signal.throwIfAborted()
    const place = await resolveInside(context, path)
    if (!place.exists) throw await missing(place, signal)
    const report = emptyReport()
    const start: Entry = { path: place.relative, place, kind: 'file', depth: 0 }
    const found = await statEntry(start)
    if (found?.isFile()) return `${toLine(place.relative)}  ${found.size}`
    if (!found?.isDirectory()) throw new ToolError('tool_failed', `${show(path)} is neither a file nor a folder`)
    const isWanted = createFilter(pattern, place)
    const entries: Entry[] = []
    for await (const entry of walk(place, { signal, depth, report }))
      if (pattern === undefined || (entry.kind === 'file' && isWanted(entry.path))) entries.push(entry)
    const kept = keepShallow(entries, limit)
    const lines = await toLines(kept)
    const more = entries.length - kept.length
    for (const { path: folder, code } of report.unreadable) lines.push(`… cannot read ${toLine(folder)}/ (${code})`)
    lines.push(...tellLeftOut(report, more))
    if (lines.length === 0) lines.push(pattern === undefined ? '… the folder is empty' : '… no file matches')
    return lines.join('\n')
  },
}

/** At most `limit` entries, nearest to the start first, in their old order. */
function keepShallow(entries: readonly Entry[], limit: number): Entry[] {
  if (entries.length <= limit) return [...entries]
  const order = entries.map((entry, index) => ({ entry, index }))
  order.sort((a, b) => a.entry.depth - b.entry.depth || a.index - b.index)
  return order
    .slice(0, limit)
    .sort((a, b) => a.index - b.index)
    .map(({ entry }) => entry)
}

async function toLines(entries: readonly Entry[]): Promise<string[]> {
  const lines = entries.map(async (entry) => {
    if (entry.kind === 'folder') return `${toLine(entry.path)}/`
    const found = await statEntry(entry)
    return found && `${toLine(entry.path)}  ${found.size}`
  })
  return (await Promise.all(lines)).filter((line) => line !== undefined)
}

/** A path on one line: a name may hold line breaks and other control characters, which become `?`. */
function toLine(path: string): string {
  return path.replace(/\p{Cc}/gu, '?')
}
