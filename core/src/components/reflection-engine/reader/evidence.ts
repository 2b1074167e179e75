import type { Call } from '../../../text/calls/call.ts'
import { toPlainText } from '../../../text/calls/call.ts'
import type { Material } from '../material.ts'
import { toTokens } from '../evidence/tokens.ts'

/** A piece of evidence that a reader may quote. */
export interface EvidenceItem {
  /** What was called and how it ended, or where the text comes from. */
  readonly head: string
  readonly text: string
  readonly call: Call | undefined
}

const LONGEST_ARGUMENT = 2_000

/** The task, the given texts and the calls of a run, as evidence. Results keep their line numbers. */
export function toEvidence({ task, given, calls }: Pick<Material, 'task' | 'given' | 'calls'>): EvidenceItem[] {
  return [
    { head: 'the task itself', text: task.description, call: undefined },
    ...given.map((text) => ({ head: 'given with the task', text, call: undefined })),
    ...calls.map((call) => ({
      head: `${call.tool} ${JSON.stringify(call.args)?.slice(0, LONGEST_ARGUMENT) ?? ''}: ${howEnded(call)}`,
      text: typeof call.value === 'object' ? toPlainText(call.value) : call.printed,
      call,
    })),
  ]
}

const howEnded = ({ status, exitCode }: Call): string =>
  exitCode === undefined ? status : `${status}, exit code ${exitCode}`

/** What a reader is shown of the evidence: all of it, or of long pieces the lines that share most words with the statements. */
export function toShown(items: readonly EvidenceItem[], statements: readonly string[], limit: number): string[] {
  const total = items.reduce((sum, { text }) => sum + text.length, 0)
  const wanted = total > limit ? new Set(statements.flatMap(toTokens)) : new Set<string>()
  const share = Math.max(400, Math.floor(limit / Math.max(1, items.length)))
  return items.map(({ head, text }) => `${head}\n${total <= limit ? text : cut(text, wanted, share)}`)
}

function cut(text: string, wanted: ReadonlySet<string>, limit: number): string {
  if (text.length <= limit) return text
  const lines = text.slice(0, limit * 50).split('\n')
  const scored = lines.map((line, index) => ({ index, line: line.slice(0, limit), score: scoreOf(line, wanted) }))
  const kept = new Set<number>()
  let used = 0
  for (const { index, line } of scored.sort((a, b) => b.score - a.score || a.index - b.index)) {
    used += line.length + 1
    if (used > limit) break
    kept.add(index)
  }
  return lines
    .map((line, index) => (kept.has(index) ? line : kept.has(index - 1) ? '[…]' : undefined))
    .filter((line) => line !== undefined)
    .join('\n')
}

const scoreOf = (line: string, wanted: ReadonlySet<string>): number =>
  toTokens(line.slice(0, 2_000)).filter((token) => wanted.has(token)).length
