import type { FileHandle } from 'node:fs/promises'
import { REDACTED, type Tool, ToolError } from '@svc/core'
import * as Type from 'typebox'
import { checkArgs } from '../configured/check-args.ts'
import { type Guarded, NOTHING_GUARDED } from '../programs/always-ask.ts'
import { type EditorFiles, readInEditor } from './editor/editor-files.ts'
import { decodeText, type Encoding, encodeText, encodingOf, markOf } from './encoding.ts'
import { SNIFF_BYTES, typeOfBinary } from './file-type.ts'
import { unifiedDiff } from './line-diff.ts'
import { openInside, type WorkspacePath } from './workspace.ts'
import { exists, findTarget, guardWriting, type InEditor, readWhole, type Target, writeInside } from './write-inside.ts'

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

const PREVIEW_BYTES = 5_000_000

/**
 * Writes a text file whole or not at all, in UTF-8; what is added to a file gets the encoding of the file. A link is followed to the file it names inside the workspace; what else
 * shares that file's content (a hard link) keeps the old one.
 *
 * Files under `.git` are refused with `policy_denied`; about files that decide what is run, a person is always asked. The
 * preview is a diff.
 *
 * @param editor that a new file, and one of UTF-8, is written in
 */
export function createWriteFile(guarded: Guarded = NOTHING_GUARDED, editor?: EditorFiles): Tool {
  const { touches, alwaysAsks, check } = guardWriting(guarded)
  return {
    id: 'write_file',
    description:
      'Writes a text file in the workspace: creates it, replaces its whole content, or appends. Missing folders are made. To change part of a file, use edit_file.',
    parameters: { ...parameters },
    risk: 'write',
    idempotent: false,
    keepsChanges: true,
    timeoutMs: 20_000,
    maxOutputBytes: 4096,
    touches,
    alwaysAsks,
    async preview(args, { workspace, signal }) {
      const { path, content, mode } = checkArgs('write_file', parameters, args)
      const { place, before } = await findTarget({ workspace }, path)
      if (before === undefined) return unifiedDiff(place.relative, undefined, content)
      const bytes = await readWhole(place, PREVIEW_BYTES)
      const type = typeOfBinary(bytes.subarray(0, SNIFF_BYTES), place.real)
      if (type !== undefined) return `replaces ${place.relative} (${type}, ${bytes.length} bytes) by text`
      const old = (await openedText(editor, place, bytes, signal)) ?? decodeText(bytes)
      const diff = await unifiedDiff(place.relative, old, mode === 'append' ? old + content : content)
      return diff === '' ? `changes nothing in ${place.relative}` : diff
    },
    async run(args, context) {
      const { path, content, mode = 'overwrite' } = checkArgs('write_file', parameters, args)
      const { signal } = context
      signal.throwIfAborted()
      const target = await findTarget(context, path)
      check(target.place, context)
      const { before } = target
      if (before !== undefined && mode === 'create') throw exists(path)
      if (before !== undefined && mode === 'overwrite') await keepHidden(target, content)
      const inEditor = await findInEditor(editor, target, content, mode, signal)
      const write = async (file: FileHandle): Promise<void> => {
        if (inEditor !== undefined) return file.writeFile(inEditor.text, { signal })
        const encoding = mode === 'append' && before !== undefined ? await copyInto(file, target, signal) : 'utf-8'
        await file.writeFile(encodeText(content, encoding).subarray(markOf(encoding).length), { signal })
      }
      await writeInside(target, write, context, mode === 'create', inEditor)
      const size = `${count(countLines(content), 'line')}, ${count(Buffer.byteLength(content), 'byte')}`
      if (before === undefined) return `created ${target.place.relative}: ${size}`
      const done = mode === 'append' ? 'appended to' : 'replaced'
      return `${done} ${target.place.relative}: ${size}; it had ${count(before.size, 'byte')}`
    },
  }
}

/** `write_file` with no more guarded than always is. */
export const writeFile: Tool = createWriteFile()

/** The text of a UTF-8 file as the editor has it. */
const openedText = async (editor: EditorFiles | undefined, place: WorkspacePath, bytes: Buffer, signal: AbortSignal) =>
  encodingOf(bytes) === 'utf-8' ? readInEditor(editor, place, signal) : undefined

/** @returns undefined for what is written on the disk: an editor cannot be handed bytes that are no UTF-8 text */
async function findInEditor(
  editor: EditorFiles | undefined,
  { place, before }: Target,
  content: string,
  mode: string,
  signal: AbortSignal,
): Promise<InEditor | undefined> {
  if (editor === undefined || (before !== undefined && before.size > PREVIEW_BYTES)) return undefined
  if (before === undefined) return { editor, text: content }
  const bytes = await readWhole(place, PREVIEW_BYTES)
  const isText = typeOfBinary(bytes.subarray(0, SNIFF_BYTES), place.real) === undefined
  const old = isText ? await openedText(editor, place, bytes, signal) : undefined
  if (old === undefined) return undefined
  return { editor, before: old, text: mode === 'append' ? old + content : content }
}

/** An agent that was shown a file without its secrets, and writes it whole, would replace them by the mark in their place. */
async function keepHidden({ place }: Target, content: string): Promise<void> {
  if (!content.includes(REDACTED) || (await readWhole(place, PREVIEW_BYTES)).includes(REDACTED)) return
  throw new ToolError(
    'tool_failed',
    `content holds ${REDACTED} where ${place.relative} holds a secret that was not shown: use edit_file for the other lines`,
  )
}

/** @returns the encoding of what was copied */
async function copyInto(file: FileHandle, { place }: Target, signal: AbortSignal): Promise<Encoding> {
  const old = await openInside(place)
  try {
    const buffer = Buffer.allocUnsafe(262_144)
    let encoding: Encoding | undefined
    for (let position = 0; ; ) {
      signal.throwIfAborted()
      const { bytesRead } = await old.read(buffer, 0, buffer.length, position)
      if (bytesRead === 0) return encoding ?? 'utf-8'
      encoding ??= encodingOf(buffer.subarray(0, bytesRead), bytesRead < buffer.length)
      position += bytesRead
      await file.writeFile(buffer.subarray(0, bytesRead))
    }
  } finally {
    await old.close()
  }
}

const count = (amount: number, noun: string): string => `${amount} ${noun}${amount === 1 ? '' : 's'}`

function countLines(text: string): number {
  if (text === '') return 0
  let lines = text.endsWith('\n') ? 0 : 1
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++
  return lines
}
