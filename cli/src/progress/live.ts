import { type RunEvent, RunView, type ToolCallView } from '@svc/core'
import { type Io, toSafe, toSafeLine } from '../frame/io.ts'
import { wrapSpans } from '../render/markdown/spans.ts'
import { renderSaid } from '../render/said.ts'
import { toDuration } from '../render/time.ts'
import { fit, toLines, widthOf } from '../render/width.ts'
import type { Canvas } from '../terminal/canvas.ts'
import { createAnswer, type GrowingAnswer } from './answer.ts'
import { atMost, LEAST_OBJECTIVE, linesAtWork, linesWritten, MOST_LINES } from './at-work.ts'
import { describeCall, describeOutcome } from './call-line.ts'
import { RunClock } from './clock.ts'
import { describeEvent } from './lines.ts'
import type { Progress } from './progress.ts'
import { renderStatus } from './status-line.ts'
import { renderCall } from './whole-call.ts'

/** Lines of what goes on that are shown at once. */
const MOST_ACTIVE = 8

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
export class LiveProgress implements Progress {
  readonly #io: Io
  readonly #canvas: Canvas
  readonly #options: LiveOptions
  readonly #view = new RunView()
  readonly #clock = new RunClock()
  readonly #answer: GrowingAnswer
  /** Lines about a text that is being written: it is cut nowhere. */
  readonly #later: string[] = []
  /** What was printed last: an answer, lines about the work and what a person says have an empty line between them. */
  #last: Printed | undefined
  #isTeam = false
  #isEnded = false

  constructor(io: Io, canvas: Canvas, options: LiveOptions = {}) {
    this.#io = io
    this.#canvas = canvas
    this.#options = options
    this.#answer = createAnswer(io, options.speaks === true, (kind) => {
      if (kind === 'text') this.#separate('text')
      else this.#last = 'line'
    })
  }

  show(event: RunEvent): void {
    if (this.#isEnded) return
    const { length } = this.#view.messages
    this.#clock.apply(event)
    this.#view.apply(event)
    if (event.type === 'plan.created') this.#isTeam = event.data.agents.length > 1
    if (!this.#isTeam) this.#answer.show(event)
    this.#sayLater()
    this.#sayEvent(event)
    // Each of several agents reads it.
    for (const { text } of this.#view.messages.slice(length)) this.#sayMessage(text)
    this.#canvas.attach((columns, rows) => this.#draw(columns, rows))
  }

  pause<T>(work: () => Promise<T>): Promise<T> {
    this.#answer.close()
    return this.#canvas.pause(work)
  }

  end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#answer.close()
    this.#sayLater()
    this.#canvas.detach()
  }

  hasSaid(answer: string): boolean {
    return this.#answer.hasSaid(answer)
  }

  #separate(next: Printed): void {
    if (this.#last !== undefined && this.#last !== next) this.#io.err('\n')
    this.#last = next
  }

  /** Prints a line about the work, which stands by itself. */
  #print(line: string): void {
    this.#answer.close()
    this.#separate('line')
    this.#io.err(`${line}\n`)
  }

  #say(line: string): void {
    if (this.#answer.hasText) this.#later.push(line)
    else this.#print(this.#io.paint.dim(toLines(this.#io.redact(line), Math.max(2, this.#io.columns - 3)).join('\n  ')))
  }

  #sayLater(): void {
    if (!this.#answer.hasText) for (const line of this.#later.splice(0)) this.#say(line)
  }

  #sayEvent(event: RunEvent): void {
    const { stepId = '', agentId = '', callId, type } = event
    if (type === 'tool.completed' || type === 'tool.failed' || type === 'tool.denied') {
      const call = this.#view.findToolCall(agentId, callId)
      if (call !== undefined) this.#sayCall(call)
      return
    }
    if (this.#options.isQuiet || UNSAID.has(type) || (!this.#isTeam && OF_TEAM.has(type))) return
    if (type === 'step.completed') {
      this.#sayStep(stepId)
      return
    }
    const line = describeEvent(event, false, this.#io, (message) => `: ${message}`)
    const own = `${stepId} ${agentId}: `
    if (line !== undefined)
      this.#say(toSafeLine(!this.#isTeam && line.startsWith(own) ? line.slice(own.length) : line).trimStart())
  }

  /** What a person said to the run stands where an agent reads it first. */
  #sayMessage(text: string): void {
    this.#answer.close()
    this.#separate('message')
    this.#io.err(renderSaid(this.#io.redact(text), this.#io))
  }

  #sayCall(call: ToolCallView): void {
    const { paint, columns } = this.#io
    const { isQuiet, hasDetails, onCall } = this.#options
    onCall?.(call)
    if (isQuiet) return
    const outcome = describeOutcome(call, this.#io)
    const mark = call.status === 'completed' ? paint.green('●') : paint.red('●')
    const who = this.#isTeam ? `${toSafeLine(call.agentId)} ` : ''
    const text = `${who}${describeCall(call, this.#io)}`
    const spans = [{ text, paint: String }, ...(outcome === '' ? [] : [{ text: ` · ${outcome}`, paint: paint.dim }])]
    this.#print(`${mark} ${atMost(MOST_LINES, wrapSpans(spans, Math.max(2, columns - 3))).join('\n  ')}`)
    if (hasDetails?.()) this.#io.show(`${renderCall(call, this.#io, false).join('\n')}\n`)
  }

  /** What a step of a team was for, once it is done. */
  #sayStep(stepId: string): void {
    const { paint, columns, redact } = this.#io
    const step = this.#view.steps.get(stepId)
    if (step === undefined) return
    const name = `${toSafeLine(step.id)} ${toSafeLine(step.agentId)}`
    const took = ` · ${toDuration((step.endedAt ?? step.startedAt) - step.startedAt)}`
    const room = columns - 5 - widthOf(name) - widthOf(took)
    const objective = room >= LEAST_OBJECTIVE ? ` ${fit(toSafe(redact(step.objective)), room)}` : ''
    this.#print(`${paint.green('✓')} ${name}${paint.dim(`${objective}${took}`)}`)
  }

  #draw(columns: number, rows: number): string[] {
    const io = this.#io
    const { isQuiet, hint = 'Ctrl-C stops' } = this.#options
    this.#answer.flush()
    const below = isQuiet ? [] : [renderStatus(this.#view, this.#clock, hint, io.paint, columns)]
    const doing = isQuiet ? [] : linesAtWork(this.#view, this.#isTeam, io, columns, Math.min(MOST_ACTIVE, rows - 2))
    const room = rows - below.length - doing.length - 1
    const growing = this.#isTeam ? linesWritten(this.#view, io, columns, room) : this.#answer.look(columns, room)
    const gap = rows > 6 && below.length > 0 && this.#answer.hasText ? [''] : []
    return [...growing, ...doing, ...gap, ...below].slice(-rows)
  }
}

type Printed = 'text' | 'line' | 'message'

/** Shown while they go on, or said otherwise. */
const UNSAID: ReadonlySet<RunEvent['type']> = new Set<RunEvent['type']>([
  'tool.requested',
  'step.started',
  'analysis.completed',
  'agent.steered',
])
/** Said of a team alone: one agent is the run itself. */
const OF_TEAM: ReadonlySet<RunEvent['type']> = new Set<RunEvent['type']>([
  'plan.created',
  'step.completed',
  'step.failed',
])
