import { type RunEvent, RunView, type StepView, type ToolCallView } from '@svc/core'
import { shownStateOf } from '@svc/core/client'
import { type Io, toSafe, toSafeLine } from '../frame/io.ts'
import { toCount } from '../render/run.ts'
import { toDuration } from '../render/time.ts'
import { fit, toLines, widthOf } from '../render/width.ts'
import type { Canvas } from '../terminal/canvas.ts'
import { createAnswer } from './answer.ts'
import { describeCall, describeOutcome } from './call-line.ts'
import { describeEvent } from './lines.ts'
import type { Progress } from './progress.ts'
import { renderCall } from './whole-call.ts'

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
/** In place of these where nobody is at work. */
const STILL = '◆'
const FRAME_MS = 80
/** Lines of what goes on that are shown at once; of a team also lines of what is written. */
const MOST_ACTIVE = 8
const LINES_OF_TEAM = 4
/** Calls that are remembered to be shown whole. */
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
  const answer = createAnswer(io, speaks)
  /** When the run was asked for, which may be long ago in another process. */
  let startedMs = Date.now()
  let newestMs = startedMs
  let isTeam = false
  let isEnded = false

  const say = (line: string, indent: string): void => {
    const [first = '', ...more] = toLines(line, Math.max(2, io.columns - 1 - widthOf(indent)))
    answer.gap()
    io.err(`${[first, ...more.map((part) => indent + part)].join('\n')}\n`)
  }
  const sayCall = (call: ToolCallView): void => {
    onCall?.(call)
    if (isQuiet) return
    const outcome = describeOutcome(call)
    const mark = call.status === 'completed' ? paint.green('●') : paint.red('●')
    const who = isTeam ? `${toSafeLine(call.agentId)} ` : ''
    const text = `${who}${describeCall(call)}`
    const room = io.columns - 4 - (outcome === '' ? 0 : widthOf(outcome) + 3)
    answer.gap()
    const tail = outcome === '' ? '' : paint.dim(` · ${outcome}`)
    if (room >= LEAST_OBJECTIVE) io.err(`${mark} ${fit(text, room)}${tail}\n`)
    else io.err(`${mark} ${toLines(`${text}${outcome === '' ? '' : ` · ${outcome}`}`, io.columns - 4).join('\n  ')}\n`)
    if (hasDetails()) io.show(`${renderCall(call, io, false).join('\n')}\n`)
  }
  const sayEvent = (event: RunEvent): void => {
    if (event.type === 'tool.completed' || event.type === 'tool.failed' || event.type === 'tool.denied') {
      const call = view.toolCalls.findLast(
        ({ callId, agentId }) => callId === event.callId && agentId === event.agentId,
      )
      if (call !== undefined) sayCall(call)
      return
    }
    if (isQuiet || UNSAID.has(event.type) || (!isTeam && OF_TEAM.has(event.type))) return
    const line = describeEvent(event, false, (message) => `: ${message}`)
    if (line !== undefined) say(paint.dim(toSafeLine(line)), '  ')
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
  /** What goes on at this moment: steps of a team with what each does, or the calls of one agent. */
  const active = (columns: number, most: number): string[] => {
    const lines = isTeam
      ? [...view.steps.values()].filter(({ status }) => AT_WORK.has(status)).map((step) => lineOf(step, columns))
      : view.toolCalls
          .filter(({ status }) => status === 'requested' || status === 'running')
          .map((call) => `${paint.cyan('○')} ${fit(describeCall(call), columns - 4)}`)
    if (lines.length <= most) return lines
    return [...lines.slice(0, Math.max(0, most - 1)), paint.dim(`  and ${lines.length - most + 1} more`)].slice(-most)
  }
  const lineOf = (step: StepView, columns: number): string => {
    const name = `${toSafeLine(step.id)} ${toSafeLine(step.agentId)}`
    const room = columns - 4 - widthOf(name) - 1
    const mark = step.status === 'waiting' ? paint.yellow(STILL) : paint.cyan('◌')
    if (room < LEAST_OBJECTIVE) return `${mark} ${fit(name, columns - 4)}`
    const doing = activityOf(view, step)
    const left = room - widthOf(doing) - 2
    if (doing === '') return `${mark} ${name} ${paint.dim(fit(toSafe(step.objective), room))}`
    if (left < LEAST_OBJECTIVE) return `${mark} ${name} ${paint.dim(fit(doing, room))}`
    return `${mark} ${name} ${paint.dim(`${fit(toSafe(step.objective), left)}  ${doing}`)}`
  }
  /** Of a team, the end of what is being written. */
  const written = (columns: number, room: number): string[] => {
    if (!isTeam || room <= 0) return []
    const call = view.modelCalls.findLast(
      ({ status, stepId, text }) => status === 'running' && stepId !== undefined && text !== '',
    )
    if (call === undefined) return []
    const width = Math.max(2, columns - 5)
    const text = toSafe(io.redact(call.text))
      .slice(-2 * width * LINES_OF_TEAM)
      .trimEnd()
    return toLines(text, width)
      .slice(-Math.min(room, LINES_OF_TEAM))
      .map((line) => `  ${paint.dim('│')} ${line}`)
  }
  const frame = (columns: number, rows: number): string[] => {
    answer.flush()
    const last = isQuiet ? [] : [status(columns)]
    const doing = isQuiet ? [] : active(columns, Math.min(MOST_ACTIVE, rows - 2))
    const room = rows - last.length - doing.length - 1
    const growing = isTeam ? written(columns, room) : answer.look(columns, room)
    return [...growing, ...doing, ...(rows > 6 && last.length > 0 && answer.hasText ? [''] : []), ...last].slice(-rows)
  }

  return {
    show(event) {
      if (isEnded) return
      if (event.type === 'run.created') startedMs = Date.parse(event.time)
      newestMs = Date.parse(event.time)
      view.apply(event)
      if (event.type === 'plan.created') isTeam = event.data.agents.length > 1
      if (!isTeam) answer.show(event)
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
      canvas.detach()
    },
    hasSaid: (text) => answer.hasSaid(text),
  }
}

const AT_WORK: ReadonlySet<StepView['status']> = new Set(['running', 'waiting'])
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

/** What a step does at this moment; empty where it does nothing. */
function activityOf(view: RunView, { id }: StepView): string {
  const isAtWork = (call: { stepId?: string | undefined; status: string }): boolean =>
    call.stepId === id && (call.status === 'running' || call.status === 'requested')
  const tool = view.toolCalls.findLast(isAtWork)
  if (tool !== undefined) return describeCall(tool)
  const call = view.modelCalls.findLast(isAtWork)
  return call === undefined ? '' : call.text === '' ? 'thinking' : 'writing'
}
