import type { ToolCallView } from '@svc/core'
import { exitCodeOf } from '@svc/core/client'
import { type Io, toSafeLine } from '../frame/io.ts'
import { count, oneLine } from '../render/one-line.ts'
import { toDuration } from '../render/time.ts'

/** Arguments that say what a call is about, the first that there is. */
const MAIN = ['path', 'file', 'command', 'script', 'pattern', 'query', 'url', 'name']
/** A call that takes less is not worth a figure. */
const LEAST_MS = 1_000
/** More of a call is not seen on any screen. */
const MOST = 2_000

/** What a call is about, such as `npm test` or `read_file src/a.ts`. */
export function describeCall(
  { tool, args }: Pick<ToolCallView, 'tool' | 'args'>,
  { redact }: Pick<Io, 'redact'>,
): string {
  const command = textOf(fieldOf(args, 'command') ?? fieldOf(args, 'script'))
  const text = PROGRAMS.has(tool) && command !== undefined ? command : `${tool} ${tool === ASKS ? '' : aboutOf(args)}`
  return toSafeLine(redact(text).slice(0, MOST)).replace(/\s+/gu, ' ').trim()
}

/** What came of it, such as `120 lines` or `exit 1 · 4.1 s`; empty while it goes on. */
export function describeOutcome(call: ToolCallView, { redact }: Pick<Io, 'redact'>): string {
  const took = call.durationMs >= LEAST_MS ? [toDuration(call.durationMs)] : []
  return toSafeLine([...outcomeOf(call, redact), ...took].filter((part) => part !== '').join(' · '))
}

/** Tools whose command says it all. */
const PROGRAMS: ReadonlySet<string> = new Set(['run_command', 'shell'])

/** Its question stands by itself, where it looks like none of svc. */
const ASKS = 'ask_user'

/** Tools whose result is lines, also where it is one. */
const READS: ReadonlySet<string> = new Set(['read_file', 'list_files', 'search_files'])

function outcomeOf({ tool, status, result = '', error, denied }: ToolCallView, redact: Io['redact']): string[] {
  if (status === 'denied') return ['denied', ...(denied?.by === 'rule' ? [oneLine(redact(denied.reason))] : [])]
  if (status === 'failed') return [`failed: ${oneLine(redact(error?.message ?? ''))}`]
  if (status !== 'completed') return []
  const exitCode = exitCodeOf(result)
  if (exitCode !== undefined) return [`exit ${exitCode}`]
  const lines = result.trim() === '' ? 0 : result.trimEnd().split('\n').length
  return [lines === 1 && !READS.has(tool) ? oneLine(redact(result), 60) : lines === 0 ? '' : count(lines, 'line')]
}

function aboutOf(args: unknown): string {
  const main = MAIN.map((name) => textOf(fieldOf(args, name))).find((text) => text !== undefined)
  if (main !== undefined) return main
  const json = JSON.stringify(args) ?? ''
  return json === '{}' ? '' : json
}

const fieldOf = (args: unknown, name: string): unknown =>
  typeof args === 'object' && args !== null ? (args as Record<string, unknown>)[name] : undefined

function textOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.map(String).join(' ')
  return typeof value === 'string' && value !== '' ? value : undefined
}
