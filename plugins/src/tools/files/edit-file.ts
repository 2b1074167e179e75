import { type Tool, ToolError } from '@svc/core'
import * as Type from 'typebox'
import { checkArgs } from '../configured/check-args.ts'
import { type Guarded, NOTHING_GUARDED } from '../programs/always-ask.ts'
import { type EditorFiles, readInEditor } from './editor/editor-files.ts'
import { decodeText, encodeText, encodingOf } from './encoding.ts'
import { show } from './file-errors.ts'
import { SNIFF_BYTES, typeOfBinary } from './file-type.ts'
import { unifiedDiff } from './line-diff.ts'
import { missing } from './missing.ts'
import { type Edit, replaceText } from './replace-text.ts'
import { findTarget, guardWriting, type InEditor, readWhole, type Target, writeInside } from './write-inside.ts'

const parameters = Type.Object(
  {
    path: Type.String({ minLength: 1, description: 'File to change, relative to the workspace.' }),
    edits: Type.Array(
      Type.Object(
        {
          find: Type.String({ minLength: 1, description: 'Exact text to replace, without line numbers.' }),
          replace: Type.String(),
          all: Type.Optional(Type.Boolean({ description: 'true: replace it everywhere.' })),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 100, description: 'Made in this order, all or none.' },
    ),
  },
  { additionalProperties: false },
)

const MOST_BYTES = 10_000_000
const DIFF_CHARS = 4_000

/**
 * Replaces exact texts in a file, all or none; each edit sees what the ones before it made.
 *
 * Line endings are kept: `\n` finds `\r\n` too, and what is put in gets the ending of the lines around it. So are the
 * encoding (UTF-8 and UTF-16 with or without a mark; what is neither is changed byte by byte, as Latin-1) and the mode.
 *
 * Answers with a unified diff, which is also the preview. Refused with `tool_failed` where a text is not found or not
 * unique.
 *
 * @param editor that a UTF-8 file is changed in
 */
export function createEditFile(guarded: Guarded = NOTHING_GUARDED, editor?: EditorFiles): Tool {
  const { touches, alwaysAsks, check } = guardWriting(guarded)
  return {
    id: 'edit_file',
    description:
      'Changes parts of a text file: replaces exact texts, several in one call, all or none. Each has to occur exactly once unless "all" is true. Line endings are kept.',
    parameters: { ...parameters },
    risk: 'write',
    idempotent: false,
    keepsChanges: true,
    timeoutMs: 20_000,
    maxOutputBytes: 16_384,
    touches,
    alwaysAsks,
    async preview(args, { workspace, signal }) {
      const { path, edits } = checkArgs('edit_file', parameters, args)
      return (await edit(await findTarget({ workspace }, path), edits, signal, editor)).diff
    },
    async run(args, context) {
      const { path, edits } = checkArgs('edit_file', parameters, args)
      context.signal.throwIfAborted()
      const target = await findTarget(context, path)
      check(target.place, context)
      const { content, places, diff, inEditor } = await edit(target, edits, context.signal, editor)
      await writeInside(target, (file) => file.writeFile(content), context, false, inEditor)
      context.wrote?.(target.place.relative, content.length)
      const shown =
        diff.length <= DIFF_CHARS ? diff : `${diff.slice(0, DIFF_CHARS)}\n… the rest of the diff is left out`
      return `edited ${target.place.relative}: ${places} ${places === 1 ? 'place' : 'places'}\n${shown}`
    },
  }
}

async function edit(
  { place, before }: Target,
  edits: readonly Edit[],
  signal: AbortSignal,
  editor: EditorFiles | undefined,
): Promise<{ content: Buffer; places: number; diff: string; inEditor?: InEditor }> {
  if (before === undefined) throw await missing(place, signal)
  const bytes = await readWhole(place, MOST_BYTES)
  const type = typeOfBinary(bytes.subarray(0, SNIFF_BYTES), place.real)
  if (type !== undefined) throw new ToolError('tool_failed', `${show(place.relative)} is not text (${type})`)
  const encoding = encodingOf(bytes)
  const opened = encoding === 'utf-8' ? await readInEditor(editor, place, signal) : undefined
  const old = opened ?? decodeText(bytes, encoding)
  let text = old
  let places = 0
  for (const [index, one] of edits.entries()) {
    const replaced = replaceText(text, one)
    if ('refusal' in replaced) {
      const nothing = edits.length === 1 ? '' : '\nNone of the edits was made.'
      throw new ToolError('tool_failed', `edits[${index}].find ${replaced.refusal}${nothing}`, {
        details: { path: place.relative, edit: index },
      })
    }
    text = replaced.text
    places += replaced.places
  }
  if (text === old) throw new ToolError('tool_failed', `the edits change nothing in ${show(place.relative)}`)
  return {
    content: encodeText(text, encoding),
    places,
    diff: await unifiedDiff(place.relative, old, text),
    ...(editor !== undefined && opened !== undefined && { inEditor: { editor, before: opened, text } }),
  }
}
