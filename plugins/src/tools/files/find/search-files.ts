import { PolicyError, type Tool, ToolError } from '@svc/core'
import * as Type from 'typebox'
import { checkArgs } from '../../configured/check-args.ts'
import { decodeText } from '../encoding.ts'
import { codeOf, show } from '../file-errors.ts'
import { SNIFF_BYTES, typeOfBinary } from '../file-type.ts'
import { missing } from '../missing.ts'
import { openInside, resolveInside, touchedPaths } from '../workspace.ts'
import { createFilter, type Entry, emptyReport, statEntry, tellLeftOut, type WalkReport, walk } from './walk.ts'

const parameters = Type.Object(
  {
    query: Type.String({
      minLength: 1,
      maxLength: 1000,
      description: 'Text to look for, as it is (no pattern language); upper and lower case are the same.',
    }),
    path: Type.Optional(
      Type.String({ description: 'Folder or file to search, relative to the workspace. Default ".".' }),
    ),
    pattern: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'Glob of the files to search. Without "/" it is about the file name ("*.ts"), else about the path.',
      }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'Most lines to show. Default 50.' })),
  },
  { additionalProperties: false },
)

const LARGEST_FILE = 5_000_000
const LONGEST_EXCERPT = 300

/**
 * Finds the lines that hold a text, each as `path:line: content`, in the order of paths.
 *
 * Content is the line without surrounding space, of a long one the 300 characters around the match. `… N more` when
 * there are more lines than `limit`, `no match` when there is none, `… skipped` for files larger than 5 MB.
 */
export const searchFiles: Tool = {
  id: 'search_files',
  description:
    'Finds the lines of text files in the workspace that contain a text, ignoring case. Each match is shown as "path:line: content". Searches literally, so give the shortest distinctive word or phrase. Skips binary files, files over 5 MB, installed packages, build results and what .gitignore excludes.',
  parameters: { ...parameters },
  risk: 'read',
  idempotent: true,
  timeoutMs: 30_000,
  maxOutputBytes: 131_072,
  touches: (args, context) => touchedPaths(context, checkArgs('search_files', parameters, args).path ?? '.'),
  async run(args, context) {
    const { query, path = '.', pattern, limit = 50 } = checkArgs('search_files', parameters, args)
    const { signal } = context
    signal.throwIfAborted()
    const needle = query.toLowerCase()
    if (/[\r\n]/.test(query)) {
      throw new ToolError(
        'tool_bad_args',
        'query holds a line break: matches are within one line, search for one line of it',
      )
    }
    const place = await resolveInside(context, path)
    if (!place.exists) throw await missing(place, signal)
    const report = emptyReport()
    const isWanted = createFilter(pattern, place)
    const hits: string[] = []
    const tooLarge: string[] = []
    let more = 0
    const start: Entry = { path: place.relative, place, kind: 'file', depth: 0 }
    const isFile = (await statEntry(start))?.isFile() === true
    for await (const entry of isFile ? [start] : walk(place, { signal, report })) {
      signal.throwIfAborted()
      if (entry.kind !== 'file' || !isWanted(entry.path)) continue
      const content = await readText(entry, report, isFile)
      if (content === 'too large') tooLarge.push(entry.path)
      else if (content !== undefined) {
        for (const { line, text } of findLines(content, needle)) {
          if (hits.length < limit) hits.push(`${entry.path.replace(/\p{Cc}/gu, '?')}:${line}: ${text}`)
          else more++
        }
      }
    }
    if (hits.length === 0) hits.push('no match')
    if (tooLarge.length > 0) {
      const names = tooLarge.slice(0, 5).join(', ')
      hits.push(`… skipped ${tooLarge.length} ${tooLarge.length === 1 ? 'file' : 'files'} over 5 MB: ${names}`)
    }
    if (report.unreadable.length > 0) {
      const [first] = report.unreadable
      hits.push(`… cannot read ${report.unreadable.length} of the paths, such as ${first?.path} (${first?.code})`)
    }
    return [...hits, ...tellLeftOut(report, more)].join('\n')
  },
}

/** A file's text; undefined for what is not text, or gone. */
async function readText(entry: Entry, report: WalkReport, asked: boolean): Promise<string | 'too large' | undefined> {
  try {
    const file = await openInside(entry.place)
    try {
      const found = await file.stat()
      if (!found.isFile()) return undefined
      if (found.size > LARGEST_FILE) return 'too large'
      const content = await file.readFile()
      const type = typeOfBinary(content.subarray(0, SNIFF_BYTES), entry.path)
      if (type === undefined) return decodeText(content)
      if (asked) throw new ToolError('tool_failed', `${show(entry.path)} is not text (${type}, ${found.size} bytes)`)
      return undefined
    } finally {
      await file.close()
    }
  } catch (error) {
    if (asked) throw error
    if (error instanceof PolicyError) {
      report.closed++ // it became a link to another file meanwhile
      return undefined
    }
    const reason = error instanceof Error && error.cause !== undefined ? error.cause : error
    report.unreadable.push({ path: entry.path, code: codeOf(reason) ?? 'unreadable' })
    return undefined
  }
}

function* findLines(content: string, needle: string): Generator<{ line: number; text: string }> {
  // lower case may be longer than the original, but has the same line breaks
  const lower = content.toLowerCase()
  let at = lower.indexOf(needle)
  if (at < 0) return
  const originals = content.split('\n')
  let line = 1
  let lineStart = 0
  while (at >= 0) {
    for (let next = lower.indexOf('\n', lineStart); next >= 0 && next < at; next = lower.indexOf('\n', lineStart)) {
      line++
      lineStart = next + 1
    }
    yield { line, text: excerpt(originals[line - 1] ?? '', at - lineStart, needle.length) }
    const end = lower.indexOf('\n', at)
    at = end < 0 ? -1 : lower.indexOf(needle, end)
  }
}

function excerpt(line: string, at: number, length: number): string {
  if (line.length <= LONGEST_EXCERPT) return line.trim()
  const from = Math.max(0, Math.min(at - (LONGEST_EXCERPT - length) / 2, line.length - LONGEST_EXCERPT))
  const start = Math.floor(from)
  const end = Math.min(line.length, start + Math.max(LONGEST_EXCERPT, length))
  return `${start > 0 ? '…' : ''}${line.slice(start, end).trim()}${end < line.length ? '…' : ''}`
}
