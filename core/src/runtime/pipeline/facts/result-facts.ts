import type { MissedFact, ProgramFact, ResultFacts, SentFact } from '../../../contracts/log/result-facts.ts'
import type { ToolCallView } from '../../../contracts/run/call-view.ts'
import { Call, fieldOf } from '../../../text/calls/call.ts'
import { madeCalls } from '../../../text/calls/made-calls.ts'
import { toFileFacts } from './file-facts.ts'
import { findUntouched } from './untouched.ts'

/** Characters of a command, a target and a reason. */
const LONGEST = 300

/**
 * What a run did, from its log alone.
 *
 * @param answer names what is held against the calls; empty where there is none
 */
export function toResultFacts(views: readonly ToolCallView[], answer: string): ResultFacts {
  const made = madeCalls(views)
  const calls = made.map((view, index) => new Call(view, '', index))
  const done = calls.filter(({ status }) => status === 'completed')
  const files = toFileFacts(done)
  const lastEdit = Math.max(-1, ...files.map(({ seq }) => seq))
  return {
    calls: calls.length,
    programs: done.filter(isProgram).map((call) => toProgramFact(call, lastEdit)),
    files,
    sent: done.filter((call) => call.acts && !isProgram(call) && !staysHere(call)).map(toSentFact),
    missed: newest(made).flatMap(toMissedFact),
    untouched: findUntouched(answer, calls),
  }
}

/** Of calls that were made again as they were, the last: what failed before may have been done then. */
function newest(calls: readonly ToolCallView[]): ToolCallView[] {
  const byCall = new Map<string, ToolCallView>()
  for (const call of calls) {
    const key = JSON.stringify([call.tool, call.args])
    byCall.delete(key)
    byCall.set(key, call)
  }
  return [...byCall.values()]
}

const isProgram = ({ runs, command }: Call): boolean => runs && command !== ''

/** Memory is as local as files are. */
const staysHere = ({ writesFile, tool }: Call): boolean => writesFile || tool === 'remember'

function toProgramFact({ seq = 0, tool, command, exitCode }: Call, lastEdit: number): ProgramFact {
  const editedAfter = lastEdit > seq
  return { seq, tool, command: clip(command), ...(exitCode !== undefined && { exitCode }), editedAfter }
}

function toSentFact({ seq = 0, tool, args, value }: Call): SentFact {
  const target = targetOf(args)
  const status = fieldOf(value, ['status', 'state', 'statusCode'])
  const isStatus = typeof status === 'string' || (typeof status === 'number' && Number.isInteger(status))
  return { seq, tool, ...(target !== undefined && { target }), ...(isStatus && { status }) }
}

function toMissedFact({ seq, tool, args, status, error, denied }: ToolCallView): MissedFact[] {
  if (status === 'completed') return []
  const target = targetOf(args)
  const told = { tool, ...(seq !== undefined && { seq }), ...(target !== undefined && { target }) }
  if (status === 'denied') return [{ ...told, why: 'denied', reason: clip(denied?.reason ?? error?.message ?? '') }]
  if (status === 'failed') return [{ ...told, why: 'failed', reason: clip(error?.message ?? '') }]
  if (status === 'requested') return [{ ...told, why: 'failed', reason: 'the run ended before the call began' }]
  return [{ ...told, why: 'in doubt', reason: 'the log has no end of the call' }]
}

const TARGETS = ['path', 'file', 'to', 'recipient', 'url', 'channel', 'command', 'id', 'name', 'title', 'key']

/** What a call is about: the first of the usual arguments, else the first text among them. */
export function targetOf(args: unknown): string | undefined {
  if (typeof args !== 'object' || args === null) return undefined
  const value = fieldOf(args, TARGETS) ?? Object.values(args).find((other) => typeof other === 'string')
  const text = Array.isArray(value) ? value.join(' ') : value
  return typeof text === 'string' || typeof text === 'number' ? clip(String(text)) : undefined
}

const clip = (text: string): string => (text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`)
