import { isTerminalEvent, type Run, type RunCreate, RunError, type RunEvent, type Runtime } from '@svc/core'
import { toShownText } from '@svc/core/client'
import { describeApproval } from '@svc/core/text'
import { renderPlan } from '../../render/run/plan.ts'
import { type Editor, inBlock } from '../session/editor.ts'
import { readBefore } from './before-writing.ts'
import type { EditorCall } from './editor-call.ts'
import type { Permissions } from './permissions.ts'
import { askQuestion, type Question } from './questions.ts'
import { RunUpdates } from './run-updates.ts'
import { type Stop, toStop } from './stop-reason.ts'

/** What a turn works with. */
export interface TurnParts {
  runtime: Runtime
  editor: Editor
  permissions: Permissions
  /** Absolute, without links. */
  workspace: string
  redact(text: string): string
  /** Aborted where the person cancels the turn, or the editor has gone. */
  signal: AbortSignal
}

/** What came of a turn. */
export interface TurnEnd extends Stop {
  /** Of the newest call of a model, with the tokens in its context. */
  lastCall?: { model: string; tokens: number }
  costUsd: number | null
  /** True: its run waits for the next prompt. */
  isOpen?: boolean
}

/** Shows one run until it ends, or waits for an answer that the editor cannot ask for, and asks the person what it asks. */
export class Turn {
  readonly #parts: TurnParts
  readonly #over = new AbortController()
  /** Questions that are open in the editor, by approval, or `input`. */
  readonly #open = new Map<string, AbortController>()
  readonly #seen = new Set<string>()
  readonly #before = new Map<string, string | null | undefined>()
  #updates: RunUpdates | undefined
  /** Set where the turn ends and the run waits. */
  #isLeft = false

  constructor(parts: TurnParts) {
    this.#parts = parts
  }

  /** @throws SvcError of a run that cannot be made, or failed */
  start(request: RunCreate): Promise<TurnEnd> {
    return this.#listening(async () => this.#follow(await this.#parts.runtime.runs.create(request), 0))
  }

  /** Goes on with a run that waits, or was cut off. @param input the answer that it waits for */
  resume(run: Run, input?: unknown): Promise<TurnEnd> {
    return this.#listening(async () => {
      const resumed = await this.#parts.runtime.runs.resume(run.id, input === undefined ? {} : { input })
      return this.#follow(resumed, resumed.id === run.id ? run.lastSeq : 0)
    })
  }

  async #listening(work: () => Promise<TurnEnd>): Promise<TurnEnd> {
    const stopListening = this.#parts.runtime.onEvent((event) => this.#look(event), { passive: true })
    try {
      return await work()
    } finally {
      stopListening()
    }
  }

  /** What a file holds before it is written is read at once, before the call goes on. */
  #look(event: RunEvent): void {
    if (event.type !== 'tool.requested' || event.data.tool !== 'write_file') return
    this.#before.set(keyOf(event), readBefore(this.#parts.workspace, event.data.args))
  }

  /** @param shownSeq number of the last event that the editor was shown */
  async #follow({ id }: Run, shownSeq: number): Promise<TurnEnd> {
    const { runtime, editor, workspace, redact, signal } = this.#parts
    const cancel = (): void => void runtime.runs.cancel(id, 'the turn was cancelled').catch(() => {})
    if (signal.aborted) cancel()
    signal.addEventListener('abort', cancel, { once: true })
    let isShown = shownSeq === 0
    const updates = new RunUpdates((update) => isShown && editor.update(update), id, {
      workspace,
      redact,
      beforeOf: (call) => this.#before.get(keyOf(call)),
    })
    this.#updates = updates
    const end: TurnEnd = { stopReason: 'end_turn', costUsd: 0, isOpen: true }
    try {
      for await (const event of runtime.runs.events(id, { signal: this.#over.signal })) {
        isShown ||= event.seq === undefined || event.seq > shownSeq
        updates.apply(event)
        if (event.type === 'stream.warning')
          throw new RunError('log_corrupt', `run ${id}: the rest of its log is damaged: svc runs get ${id} --events`)
        if (event.type === 'model.completed' && event.stage === 'execute') {
          const { provider, model, usage } = event.data
          end.lastCall = { model: `${provider}/${model}`, tokens: usage.inputTokens + usage.outputTokens }
        }
        if (isShown) this.#answer(event)
        if (isTerminalEvent(event)) {
          const { result } = event.data
          if ('costUsd' in result) end.costUsd = result.costUsd
          // Every other answer was said as it came.
          if (isShown && 'topology' in result && result.status === 'completed') editor.tell(inBlock(renderPlan(result)))
          return { ...end, ...toStop(result), isOpen: false }
        }
        await editor.keepsUp()
      }
      if (this.#isLeft) return end
      // Nobody works on it any more in this process.
      const run = await runtime.runs.wait(id)
      throw new RunError('run_failed', `run ${id} was left (${run.status}): svc runs resume ${id} goes on with it`)
    } finally {
      signal.removeEventListener('abort', cancel)
      this.#over.abort()
      for (const question of this.#open.values()) question.abort()
    }
  }

  /** Asks what an event asks, and takes back what it answers. */
  #answer({ type, approvalId, runId }: RunEvent): void {
    if (type === 'approval.resolved' || type === 'approval.expired') this.#close(approvalId ?? '')
    else if (type === 'run.resumed') this.#close(INPUT)
    else if (type === 'run.waiting') void this.#ask(runId).catch(() => {}) // The run has ended meanwhile.
  }

  async #ask(runId: string): Promise<void> {
    const { runtime } = this.#parts
    const { waiting } = await runtime.runs.get(runId)
    for (const approval of waiting?.approvals ?? []) {
      if (this.#seen.has(approval.id)) continue
      this.#seen.add(approval.id)
      void this.#decide(approval).catch(() => {})
    }
    if (waiting?.input !== undefined && !this.#open.has(INPUT)) await this.#askInput(runId, waiting.input as Question)
  }

  async #decide(approval: NonNullable<NonNullable<Run['waiting']>['approvals']>[number]): Promise<void> {
    const { runtime, editor, permissions, redact } = this.#parts
    const { id, callId, agentId, runId, args } = approval
    const text = redact(describeApproval(approval))
    const toolCallId = this.#updates?.callIdOf({ agentId, callId, runId }) ?? callId
    const shown: Partial<EditorCall> = this.#updates?.shownCall(approval) ?? { title: approval.tool }
    const content = [...(shown.content ?? []), { type: 'content' as const, content: { type: 'text' as const, text } }]
    const call = { toolCallId, ...shown, status: 'pending' as const, rawInput: args, content }
    const signal = this.#opened(id)
    const decision = await permissions.ask(approval, call, editor, signal).catch(
      // An editor that cannot ask approves nothing.
      () => ({ decision: 'deny', note: 'the editor could not ask the person' }) as const,
    )
    if (decision === undefined || signal.aborted) return
    await runtime.approvals.resolve(id, decision)
  }

  async #askInput(runId: string, question: Question): Promise<void> {
    const { runtime, editor, redact } = this.#parts
    const signal = this.#opened(INPUT)
    const shown = { ...question, prompt: redact(question.prompt) }
    const answer = await askQuestion(shown, `${runId}/question`, editor, signal).catch(() => ({ value: null }))
    if (signal.aborted) return
    if (answer !== undefined) return void (await runtime.runs.resume(runId, { input: answer.value }))
    editor.tell(toShownText(shown.prompt))
    this.#isLeft = true
    this.#over.abort()
  }

  #opened(key: string): AbortSignal {
    const question = new AbortController()
    this.#open.set(key, question)
    return question.signal
  }

  #close(key: string): void {
    this.#open.get(key)?.abort()
    this.#open.delete(key)
  }
}

const INPUT = 'input'

const keyOf = ({ agentId = '', callId = '' }: { agentId?: string; callId?: string }): string => `${agentId}|${callId}`
