import { type RunEvent, RunView, type ToolCallView } from '@svc/core'
import { shownStateOf } from '@svc/core/client'
import { type Io, toSafe, toSafeLine } from '../frame/io.ts'
import { wrapSpans } from '../render/markdown/spans.ts'
import { toCount } from '../render/run/run.ts'
import { toDuration } from '../render/time.ts'
import { fit, toLines, widthOf } from '../render/width.ts'
import type { Canvas } from '../terminal/canvas.ts'
import { createAnswer } from './answer.ts'
import { atMost, linesAtWork, linesWritten, STILL } from './at-work.ts'
import { describeCall, describeOutcome } from './call-line.ts'
import { describeEvent } from './lines.ts'
import type { Progress } from './progress.ts'
import { renderCall } from './whole-call.ts'

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const FRAME_MS = 80
/** Lines of what goes on that are shown at once. */
const MOST_ACTIVE = 8
/** Of one call. */
const MOST_LINES = 3
/** Less of an objective says nothing beside its step. */
const LEAST_OBJECTIVE = 20

export interface LiveOptions {
  /** Whether the answer of one agent is printed as it comes. Default false: it is shown while it grows, and printed at the end. */
  speaks?: boolean
  /** True: neither steps nor calls are printed. Default false. */
  isQuiet?: boolean
  /** Whether each call is printed with what it was asked and gave. Default never. */
  hasDetails?: () => boolean
  /** Hears of each call that has ended. */
  onCall?: (call: ToolCallView) => void
  /** How the run is stopped. Default `Ctrl-C stops`. */
  hint?: string
}

/**
 * A run as it goes on: each call and each step of a team is a line that stays once it is done, the answer is printed block by
 * block, and what is still going on is redrawn below that, with stage, time, tokens and cost in the last line.
 */
export function createLive(io: Io, canvas: Canvas, options: LiveOptions = {}): Progress {
  const { speaks = false, isQuiet = false, hasDetails = () => false, onCall, hint = 'Ctrl-C stops' } = options
  const { paint } = io
  const view = new RunView()
  /** What was printed last: a text and lines about the work have an empty line between them. */
  let last: 'text' | 'line' | undefined
  const separate = (next: 'text' | 'line'): void => {
    if (last !== undefined && last !== next) io.err('\n')
    last = next
  }
  const answer = createAnswer(io, speaks, (kind) => {
    if (kind === 'text') separate('text')
    else last = 'line'
  })
  const begin = (): void => {
    answer.close()
    separate('line')
  }
  /** When the run was asked for, which may be long ago in another process. */
  let startedMs = Date.now()
  let newestMs = startedMs
  let isTeam = false
  let isEnded = false

  /** Lines about a text that is being written: it is cut nowhere. */
  const later: string[] = []
  const say = (line: string): void => {
    if (answer.hasText) {
      later.push(line)
      return
    }
    begin()
    io.err(`${paint.dim(toLines(line, Math.max(2, io.columns - 3)).join('\n  '))}\n`)
  }
  const sayLater = (): void => {
    if (!answer.hasText) for (const line of later.splice(0)) say(line)
  }
  const sayCall = (call: ToolCallView): void => {
    onCall?.(call)
    if (isQuiet) return
    const outcome = describeOutcome(call)
    const mark = call.status === 'completed' ? paint.green('●') : paint.red('●')
    const who = isTeam ? `${toSafeLine(call.agentId)} ` : ''
    const text = `${who}${describeCall(call)}`
    const spans = [{ text, paint: String }, ...(outcome === '' ? [] : [{ text: ` · ${outcome}`, paint: paint.dim }])]
    begin()
    io.err(`${mark} ${atMost(MOST_LINES, wrapSpans(spans, Math.max(2, io.columns - 3))).join('\n  ')}\n`)
    if (hasDetails()) io.show(`${renderCall(call, io, false).join('\n')}\n`)
  }
  /** What a step of a team was for, once it is done. */
  const sayStep = ({ stepId = '' }: RunEvent): void => {
    const step = view.steps.get(stepId)
    if (isQuiet || step === undefined) return
    const name = `${toSafeLine(step.id)} ${toSafeLine(step.agentId)}`
    const took = ` · ${toDuration((step.endedAt ?? step.startedAt) - step.startedAt)}`
    const room = io.columns - 5 - widthOf(name) - widthOf(took)
    const objective = room >= LEAST_OBJECTIVE ? ` ${fit(toSafe(step.objective), room)}` : ''
    begin()
    io.err(`${paint.green('✓')} ${name}${paint.dim(`${objective}${took}`)}\n`)
  }
  const sayEvent = (event: RunEvent): void => {
    if (event.type === 'tool.completed' || event.type === 'tool.failed' || event.type === 'tool.denied') {
      const call = view.toolCalls.findLast(
        ({ callId, agentId }) => callId === event.callId && agentId === event.agentId,
      )
      if (call !== undefined) sayCall(call)
      return
    }
    if (isTeam && event.type === 'step.completed') {
      sayStep(event)
      return
    }
    if (isQuiet || UNSAID.has(event.type) || (!isTeam && OF_TEAM.has(event.type))) return
    const line = describeEvent(event, false, (message) => `: ${message}`)
    if (line === undefined) return
    const { stepId = '', agentId = '' } = event
    const own = `${stepId} ${agentId}: `
    say(toSafeLine(!isTeam && line.startsWith(own) ? line.slice(own.length) : line).trimStart())
  }

  const status = (columns: number): string => {
    const { usage, costUsd, stage, allocation } = view
    const { isAtWork } = shownStateOf(view)
    const used = usage.inputTokens + usage.outputTokens
    const facts = [
      toDuration((isAtWork ? Date.now() : newestMs) - startedMs),
      `${toCount(used)}${allocation === undefined ? '' : `/${toCount(allocation.total)}`} tokens`,
      ...(costUsd === null || costUsd === 0 ? [] : [`$${costUsd.toFixed(4)}`]),
      ...(isAtWork ? [hint] : []),
    ]
    const spin = isAtWork ? (FRAMES[Math.floor(Date.now() / FRAME_MS) % FRAMES.length] ?? '') : STILL
    const doing = isAtWork ? (stage === 'execute' ? (view.topology ?? 'working') : (stage ?? 'working')) : view.status
    const rest = fit(` · ${facts.join(' · ')}`, Math.max(2, columns - 4 - widthOf(doing)))
    return `${paint.cyan(spin)} ${paint.bold(doing)}${paint.dim(` ${rest}`)}`
  }
  const frame = (columns: number, rows: number): string[] => {
    answer.flush()
    const below = isQuiet ? [] : [status(columns)]
    const doing = isQuiet ? [] : linesAtWork(view, isTeam, paint, columns, Math.min(MOST_ACTIVE, rows - 2))
    const room = rows - below.length - doing.length - 1
    const growing = isTeam ? linesWritten(view, io, columns, room) : answer.look(columns, room)
    return [...growing, ...doing, ...(rows > 6 && below.length > 0 && answer.hasText ? [''] : []), ...below].slice(
      -rows,
    )
  }

  return {
    show(event) {
      if (isEnded) return
      if (event.type === 'run.created') startedMs = Date.parse(event.time)
      newestMs = Date.parse(event.time)
      view.apply(event)
      if (event.type === 'plan.created') isTeam = event.data.agents.length > 1
      if (!isTeam) answer.show(event)
      sayLater()
      sayEvent(event)
      canvas.attach(frame)
    },
    pause(work) {
      answer.close()
      return canvas.pause(work)
    },
    end() {
      if (isEnded) return
      isEnded = true
      answer.close()
      sayLater()
      canvas.detach()
    },
    hasSaid: (text) => answer.hasSaid(text),
  }
}

/** Shown while they go on, and not said. */
const UNSAID: ReadonlySet<RunEvent['type']> = new Set<RunEvent['type']>([
  'tool.requested',
  'step.started',
  'analysis.completed',
])
/** Said of a team alone: one agent is the run itself. */
const OF_TEAM: ReadonlySet<RunEvent['type']> = new Set<RunEvent['type']>([
  'plan.created',
  'step.completed',
  'step.failed',
])
