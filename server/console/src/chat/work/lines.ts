import { isTerminal, type ModelCallView, type RunMessage, type ToolCallView } from '@svc/core/client'
import { callStatus, partOf, type ShownRun } from '../../run/shown-run.ts'
import { allOf } from '../../state/events.ts'
import type { RunState } from '../../state/run-state.ts'
import { nameOf, talkOf } from '../../state/talk.ts'
import { tellCalls } from './words.ts'

/** One thing that was done: a call of a model, or calls of one tool right after each other. */
export interface WorkLine {
  /** Number of the event that began it: no other line has it. */
  key: number
  kind: 'model' | 'tool'
  text: string
  /** As `Status` shows it. */
  status: string
  /** What the model said before it called tools. */
  said: string
  /** Events that began the calls, by which their details are found. */
  seqs: readonly number[]
}

/** What one agent did. */
export interface AgentWork {
  agentId: string
  name: string
  status: string
  lines: WorkLine[]
}

/** What was done in a run so far, by agent, in the order in which it began. */
export function workOf(shown: ShownRun): AgentWork[] {
  const { view } = shown.state
  return talkOf(view).map(({ agentId, items, status }) => {
    const lines: WorkLine[] = []
    let calls: ToolCallView[] = []
    const flush = (): void => {
      if (calls.length > 0) lines.push(toolLine(shown, calls))
      calls = []
    }
    for (const { kind, call } of items) {
      if (kind === 'tool') {
        const isAlone = call.status === 'failed' || call.status === 'denied'
        if (calls[0] !== undefined && (calls[0].tool !== call.tool || isAlone || isBad(calls[0]))) flush()
        calls.push(call)
      } else {
        // One that said nothing and called tools: the lines of these say it.
        const isQuiet = call.status === 'completed' && call.toolCalls.length > 0 && call.text.trim() === ''
        if (isQuiet) continue
        flush()
        lines.push(modelLine(shown, call))
      }
    }
    flush()
    return { agentId, name: nameOf(view, agentId), status: partOf(shown, status, agentId), lines }
  })
}

const isBad = ({ status }: ToolCallView): boolean => status === 'failed' || status === 'denied'

function toolLine(shown: ShownRun, calls: readonly ToolCallView[]): WorkLine {
  const statuses = calls.map((call) => callStatus(shown, call))
  const status = WORST.find((word) => statuses.includes(word)) ?? statuses.at(-1) ?? 'completed'
  const isAtWork = status === 'running' || status === 'requested' || status === 'waiting'
  const seqs = calls.flatMap(({ requestedSeq }) => (requestedSeq === undefined ? [] : [requestedSeq]))
  return { key: seqs[0] ?? 0, kind: 'tool', text: tellCalls(calls, isAtWork), status, said: '', seqs }
}

/** Of several calls, the one that a person has to know of counts. */
const WORST = ['waiting', 'running', 'requested', 'failed', 'denied', 'cancelled']

function modelLine(shown: ShownRun, call: ModelCallView): WorkLine {
  const status = partOf(shown, call.status, call.agentId)
  const name = call.model === '' ? 'a model' : `${call.provider}/${call.model}`
  const tries = call.retries === 0 ? '' : ` · tried again ${call.retries === 1 ? 'once' : `${call.retries} times`}`
  const seq = call.startedSeq ?? call.seq ?? 0
  return {
    key: seq,
    kind: 'model',
    text: `${status === 'running' ? 'Asking' : 'Asked'} ${name}${tries}`,
    status,
    said: call.toolCalls.length > 0 || isAnsweredAgain(shown.state, call) ? call.text : '',
    seqs: seq === 0 ? [] : [seq],
  }
}

/** What a person said to the run while it worked, at the event by which the first agent read it. */
export interface HeardLine {
  key: number
  message: RunMessage
}

/** What was said to the run and read, oldest first, each once. */
export function heardIn({ events, view }: RunState): HeardLine[] {
  const read = allOf(events, 'agent.steered')
  return view.messages.map((message) => ({
    key: read.find(({ data }) => data.messages.some(({ id }) => id === message.id))?.seq ?? 0,
    message,
  }))
}

/** Whether an agent that had answered read something then: it answers again. */
function isAnsweredAgain({ events, view }: RunState, { status, agentId, seq }: ModelCallView): boolean {
  if (view.messages.length === 0 || status !== 'completed' || seq === undefined) return false
  const next = events.slice(seq).find((event) => event.agentId === agentId && AFTER_ANSWER.has(event.type))
  return next?.type === 'agent.steered'
}

/** What an agent does after its model has answered. */
const AFTER_ANSWER: ReadonlySet<string> = new Set([
  'agent.steered',
  'model.started',
  'agent.completed',
  'step.completed',
])

/** What is being said now that may become the answer; empty before there is anything. */
export function growingAnswer({ state }: ShownRun): string {
  const { view } = state
  if (isTerminal(view.status)) return ''
  const call = view.modelCalls.findLast(({ agentId }) => agentId !== '' && agentId !== 'consensus')
  if (call === undefined || call.toolCalls.length > 0 || call.status === 'failed') return ''
  return isAnsweredAgain(state, call) ? '' : call.text
}
