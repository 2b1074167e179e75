import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Approval, Decision } from '@svc/core'
import { toVisible } from '@svc/core/client'
import { type Io, toSafe } from './io.ts'
import { askChoice, askLine } from './prompt.ts'
import { oneLine } from './render/one-line.ts'
import { toLines } from './render/width.ts'

/** More of a call does not fit a screen; the prompt says that it is cut. */
const SHOWN_CHARS = 4_000

/**
 * Shows what a call would do, its paths, hosts and command first, and asks whether it may.
 *
 * @returns undefined where the question was closed
 */
export async function askApproval(approval: Approval, io: Io, signal: AbortSignal): Promise<Decision | undefined> {
  io.err(`${showCall(approval, io)}\n`)
  for (;;) {
    const question = `Allow ${oneLine(toVisible(approval.tool))}?`
    const answer = await askChoice(io, question, ['yes', 'no', 'all equal calls of this run', 'edit'], signal)
    if (answer === undefined) return undefined
    if (answer === 'yes') return { decision: 'approve' }
    if (answer === 'no') return { decision: 'deny' }
    if (answer !== 'edit') return { decision: 'approve', remember: 'run' }
    const args = await askArguments(approval.args, io, signal)
    if (args !== undefined) return { decision: 'edit', args }
    if (signal.aborted) return undefined
  }
}

const PLACE = /^(?:path|host|command): /

/** Every line of what an agent wrote stands behind a bar, so that none of it looks like a question of svc. */
function showCall({ agentId, tool, args, risk, reason, preview, taint }: Approval, { paint, columns }: Io): string {
  const bar = paint.dim('│')
  const paintOf = (line: string): ((text: string) => string) =>
    PLACE.test(line) ? paint.bold : line.startsWith('+') ? paint.green : line.startsWith('-') ? paint.red : String
  // what is touched stands first in the preview, whatever the order of the arguments
  const lines = cut(preview || (JSON.stringify(args, null, 2) ?? ''))
    .split('\n')
    .flatMap((line) =>
      toLines(toVisible(line), Math.max(2, columns - 5)).map((part) => `  ${bar} ${paintOf(line)(part)}`),
    )
  return [
    `${paint.bold(oneLine(toVisible(`${agentId} wants to use ${tool}`)))} ${oneLine(toVisible(`(risk ${risk}; ${reason})`), 300)}`,
    ...lines,
    ...(taint.length === 0
      ? []
      : [`${paint.yellow('It has read untrusted content:')} ${oneLine(toVisible(taint.join(', ')), 500)}`]),
  ].join('\n')
}

/** Lets the person change the arguments, in their editor where they have one. @returns undefined for what is no change */
async function askArguments(args: unknown, io: Io, signal: AbortSignal): Promise<unknown> {
  const editor = io.env.VISUAL || io.env.EDITOR || ''
  const text =
    editor === ''
      ? await askLine(io, 'Arguments: ', signal, JSON.stringify(args))
      : await edit(editor, `${JSON.stringify(args, null, 2)}\n`)
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch (thrown) {
    io.err(toSafe(`These arguments are not JSON: ${(thrown as Error).message}\n`))
    return undefined
  }
}

/** What an editor, with its own arguments, makes of a text; undefined where it fails. */
async function edit(editor: string, text: string): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-edit-'))
  const file = join(folder, 'arguments.json')
  try {
    await writeFile(file, text, { mode: 0o600 })
    const code = await new Promise<number | null>((resolve) => {
      const child = spawn('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: [0, 2, 2] })
      child.on('error', () => resolve(1))
      child.on('close', resolve)
    })
    return code === 0 ? await readFile(file, 'utf8') : undefined
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The beginning of a text that is too long for a screen. */
export const cut = (text: string): string =>
  text.length <= SHOWN_CHARS
    ? text
    : `${text.slice(0, SHOWN_CHARS)}\n... cut: ${SHOWN_CHARS} of ${text.length} characters are shown`
