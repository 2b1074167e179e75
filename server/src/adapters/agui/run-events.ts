import type { Run, RunEvent } from '@svc/core'
import { AnswerText } from '@svc/core/client'
import { toId } from '../shared/ids.ts'
import { errorOf, finishedOf, svcStateOf } from './ends.ts'
import { OpenReasoning } from './open-reasoning.ts'
import { ShownCalls } from './shown-calls.ts'
import type { AguiEvent } from './wire.ts'

export interface RunEventsOptions {
  threadId: string
  /** As the page names it; svc's own is another. */
  runId: string
  parentRunId?: string | undefined
  /** Number of the last event that an earlier response has shown. */
  from: number
  /** What the page keeps, which stays beside what svc says. */
  state: unknown
  send(event: AguiEvent): void
}

/**
 * The events of AG-UI that show a run, made from its own: whatever those are, each that begins something is followed by
 * the one that ends it, before the last one. Those up to `from` are only taken in.
 */
export class RunEvents {
  readonly #run: Pick<Run, 'id'>
  readonly #options: RunEventsOptions
  readonly #answer = new AnswerText()
  readonly #reasoning: OpenReasoning
  readonly #calls: ShownCalls
  /** Steps at work. */
  readonly #steps = new Set<string>()
  #isLive = false
  #isOver = false
  /** The message that is being said. */
  #message: string | undefined
  #messages = 0
  /** Number of the newest event in which the run asks something. */
  #asked = 0

  constructor(run: Pick<Run, 'id'>, options: RunEventsOptions) {
    this.#run = run
    this.#options = options
    this.#reasoning = new OpenReasoning(this.#newId, options.send)
    this.#calls = new ShownCalls(run, this.#newId, (event) => this.#send(event))
  }

  /** The run begins, or goes on. */
  start(run: Run): void {
    const { threadId, runId, parentRunId, state, send } = this.#options
    send({
      type: 'RUN_STARTED',
      threadId,
      runId,
      protocolVersion: '1.0',
      ...(parentRunId !== undefined && { parentRunId }),
    })
    send(hasOwn(state) ? stateChange(run) : { type: 'STATE_SNAPSHOT', snapshot: { svc: svcStateOf(run) } })
    if (this.#options.from === 0) this.#goLive()
  }

  /** Takes in the next event of the run. */
  apply(event: RunEvent): void {
    if (this.#isOver) return
    const { seq = Number.POSITIVE_INFINITY } = event
    if (!this.#isLive && seq > this.#options.from) this.#goLive()
    const change = this.#answer.apply(event)
    if (change?.isWhole === true) this.#endMessage(!isPrelude(event))
    if (change !== undefined) this.#say(change.text)
    this.#reasoning.apply(event, this.#isLive)
    this.#calls.apply(event)
    this.#follow(event)
  }

  /** The run has ended, or waits. Nothing is sent any more. */
  end(run: Run): void {
    if (this.#isOver) return
    if (!this.#isLive) this.#goLive()
    this.#settle()
    const { threadId, runId, send } = this.#options
    send(stateChange(run))
    const asked = { seq: this.#asked, calls: this.#calls }
    send(run.status === 'failed' ? errorOf(run) : { threadId, runId, ...finishedOf(run, asked) })
    this.#isOver = true
  }

  /** It is not known what became of the run. */
  fail(message: string, code: string): void {
    if (this.#isOver) return
    this.#settle()
    this.#options.send({ type: 'RUN_ERROR', message, code })
    this.#isOver = true
  }

  readonly #newId = (): string => toId('msg', this.#run.id, this.#options.from, ++this.#messages)

  #send(event: AguiEvent): void {
    if (this.#isLive) this.#options.send(event)
  }

  /** What began before, and goes on, begins for this response too. */
  #goLive(): void {
    this.#isLive = true
    for (const stepName of this.#steps) this.#send({ type: 'STEP_STARTED', stepName })
  }

  #say(delta: string): void {
    if (!this.#isLive || delta === '') return
    if (this.#message === undefined) {
      this.#message = this.#newId()
      this.#calls.parent = this.#message
      this.#send({ type: 'TEXT_MESSAGE_START', messageId: this.#message, role: 'assistant' })
    }
    this.#send({ type: 'TEXT_MESSAGE_CONTENT', messageId: this.#message, delta })
  }

  /** @param isReplaced whether what it says stands no more */
  #endMessage(isReplaced: boolean): void {
    if (this.#message === undefined) return
    const metadata = isReplaced ? { metadata: { svc: { isReplaced } } } : {}
    this.#send({ type: 'TEXT_MESSAGE_END', messageId: this.#message, ...metadata })
    this.#message = undefined
  }

  #follow(event: RunEvent): void {
    const { stepId, type } = event
    if (type === 'run.waiting') this.#asked = event.seq ?? 0
    if (stepId === undefined) return
    if (type === 'step.started' && !this.#steps.has(stepId)) {
      this.#steps.add(stepId)
      this.#send({ type: 'STEP_STARTED', stepName: stepId, metadata: { objective: event.data.objective } })
    }
    if (STEP_ENDS.has(type) && this.#steps.delete(stepId)) this.#send({ type: 'STEP_FINISHED', stepName: stepId })
  }

  #settle(): void {
    this.#endMessage(false)
    this.#reasoning.endAll()
    if (this.#isLive) for (const stepName of this.#steps) this.#send({ type: 'STEP_FINISHED', stepName })
    this.#steps.clear()
  }
}

/** Whether a page keeps something beside what svc says, which is not sent back: it may be long. */
const hasOwn = (state: unknown): boolean =>
  typeof state === 'object' &&
  state !== null &&
  !Array.isArray(state) &&
  Object.keys(state).some((name) => name !== 'svc')

const stateChange = (run: Run): AguiEvent => ({
  type: 'STATE_DELTA',
  delta: [{ op: 'add', path: '/svc', value: svcStateOf(run) }],
})

const STEP_ENDS: ReadonlySet<string> = new Set(['step.completed', 'step.failed', 'step.skipped'])

/** Whether what was said led to a call, and is no draft of the answer that was given up. */
const isPrelude = (event: RunEvent): boolean =>
  event.type === 'tool.requested' || (event.type === 'message.reset' && event.data.reason === 'tool_call')
