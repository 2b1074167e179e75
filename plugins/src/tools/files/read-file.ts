import type { FileHandle } from 'node:fs/promises'
import { type MediaPart, type Tool, ToolError } from '@svc/core'
import { findMediaFault, MOST_PDF_BYTES, mediaTypeOf, toMediaPart } from '@svc/core/text'
import * as Type from 'typebox'
import { checkArgs } from '../configured/check-args.ts'
import { type EditorFiles, readInEditor } from './editor/editor-files.ts'
import { ENCODING_NAMES, encodingOf } from './encoding.ts'
import { show } from './file-errors.ts'
import { SNIFF_BYTES, typeOfBinary } from './file-type.ts'
import { linesOfText, readLines } from './lines.ts'
import { missing } from './missing.ts'
import { scopeOf } from './outside-folders.ts'
import { openInside, resolveInside, touchedPaths } from './workspace.ts'

const parameters = Type.Object(
  {
    path: Type.String({ minLength: 1, description: 'File to read, relative to the workspace.' }),
    offset: Type.Optional(
      Type.Integer({ minimum: 1, description: 'Number of the first line to read, from 1. Default 1.' }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 5000, description: 'Most lines to read. Default 400.' })),
  },
  { additionalProperties: false },
)

/** Leaves room for the last line within `maxOutputBytes`. */
const OUTPUT_BYTES = 65_000
const COUNT_BYTES = 67_108_864
/** A larger file is read from the disk, piece by piece. */
const MOST_EDITOR_BYTES = 10_000_000
/** Bytes that decide about the encoding. */
const HEAD_BYTES = 65_536

/**
 * Reads lines of a text file, each as `number<TAB>content`, or shows a whole image (PNG, JPEG, GIF, WebP) or PDF.
 *
 * When there are more, the last line says `… N more lines` (`N+` when the rest is longer than 64 MiB). Lines longer than
 * 2000 characters are cut with `…`. Reads UTF-8, UTF-16 with its mark, and what is neither as Latin-1; where it is not UTF-8,
 * the last line says so.
 *
 * @param folders outside of the workspace that may be read too, by absolute paths, with links resolved
 * @param editor whose text of a UTF-8 file is read in place of that on the disk
 */
export const createReadFile = (folders: readonly string[], editor?: EditorFiles): Tool => ({
  id: 'read_file',
  description:
    'Reads a text file of the workspace, or shows an image or a PDF. Each line is shown as its number, a tab and its content. Shows 400 lines by default; when more follow, the last line says how many, and "offset" reads on from there.',
  parameters: { ...parameters },
  risk: 'read',
  idempotent: true,
  timeoutMs: 20_000,
  maxOutputBytes: 65_536,
  async touches(args, context) {
    const { path } = checkArgs('read_file', parameters, args)
    const scope = scopeOf(context, path, folders)
    const { paths = [] } = await touchedPaths(scope, path)
    return { paths: paths.map(scope.nameOf) }
  },
  async run(args, context) {
    const { path, offset = 1, limit = 400 } = checkArgs('read_file', parameters, args)
    const { signal } = context
    signal.throwIfAborted()
    const place = await resolveInside(scopeOf(context, path, folders), path)
    if (!place.exists) throw await missing(place, signal)
    const file = await openInside(place)
    try {
      const found = await file.stat()
      if (found.isDirectory()) {
        throw new ToolError('tool_failed', `${show(path)} is a folder, not a file; list_files shows what is in it`)
      }
      if (!found.isFile()) throw new ToolError('tool_failed', `${show(path)} is not a regular file`)
      const head = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
      const bytes = head.buffer.subarray(0, head.bytesRead)
      if (mediaTypeOf(bytes) !== undefined) return [await readMedia(file, found.size, place.relative)]
      const type = typeOfBinary(bytes.subarray(0, SNIFF_BYTES), place.real)
      if (type !== undefined) {
        throw new ToolError('tool_failed', `${show(path)} is not text (${type}, ${found.size} bytes)`, {
          details: { type, bytes: found.size },
        })
      }
      const encoding = encodingOf(bytes, head.bytesRead < HEAD_BYTES)
      const isOpened = encoding === 'utf-8' && found.size <= MOST_EDITOR_BYTES
      const text = isOpened ? await readInEditor(editor, place, signal) : undefined
      const range = { offset, limit, outputBytes: OUTPUT_BYTES }
      const window =
        text === undefined
          ? await readLines(file, { ...range, encoding, countBytes: COUNT_BYTES, signal })
          : linesOfText(text, range)
      if (window.lines.length === 0 && offset > 1) {
        throw new ToolError('tool_bad_args', `offset ${offset} is past the end of ${show(path)}, which has fewer lines`)
      }
      if (window.lines.length === 0) return '… the file is empty'
      const lines = window.lines.map(({ number, text }) => `${number}\t${text}`)
      if (window.more > 0 || !window.counted) lines.push(`… ${window.more}${window.counted ? '' : '+'} more lines`)
      if (!encoding.startsWith('utf-8')) lines.push(`… read as ${ENCODING_NAMES[encoding]}`)
      return lines.join('\n')
    } finally {
      await file.close()
    }
  },
})

/** `read_file` of the workspace alone. */
export const readFile = createReadFile([])

/** @throws ToolError `tool_output_too_large` for what is larger than models can be sent */
async function readMedia(file: FileHandle, size: number, path: string): Promise<MediaPart> {
  // One byte more than there may be tells that it is too large.
  const buffer = Buffer.alloc(Math.min(size, MOST_PDF_BYTES + 1))
  const { bytesRead } = await file.read(buffer, 0, buffer.length, 0)
  const part = toMediaPart(buffer.subarray(0, bytesRead), path)
  const fault = part === undefined ? 'changed while it was read' : findMediaFault(part)
  if (part === undefined || fault !== undefined) {
    const tooLarge = size > buffer.length ? `has ${size} bytes; at most ${MOST_PDF_BYTES} can be shown` : fault
    throw new ToolError('tool_output_too_large', `${show(path)} cannot be shown: ${tooLarge}`, {
      details: { bytes: size },
    })
  }
  return part
}
