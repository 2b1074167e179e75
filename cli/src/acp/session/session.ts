import type { ContentBlock, PromptResponse } from '@agentclientprotocol/sdk'
import type { Run, RunCreate } from '@svc/core'
import { NotFoundError } from '@svc/core'
import { toSummaryRequest } from '@svc/core/client'
import type { CommandContext } from '../../frame/context.ts'
import { readCall } from '../../input/slash-commands.ts'
import { wrong } from '../../line/wrong.ts'
import { oneLine } from '../../render/one-line.ts'
import { renderUndone } from '../../undo/render.ts'
import { Permissions } from '../turn/permissions.ts'
import { toAsked } from '../turn/prompt-content.ts'
import { Turn, type TurnEnd } from '../turn/turn.ts'
import { expandRequest, listCommands } from './commands.ts'
import { type Editor, inBlock } from './editor.ts'
import { replayThread } from './replay.ts'
import { SessionSettings } from './settings.ts'
import { type SessionPlace, type StartedSession, startSession } from './start-session.ts'

const MOST_TITLE_CHARS = 80

/** One conversation of an editor: a thread of svc, with a runtime of its folder while it is used. */
export class Session {
  readonly id: string
  readonly #context: CommandContext
  readonly #place: SessionPlace
  readonly #editor: Editor
  readonly #permissions = new Permissions()
  #started: Promise<StartedSession> | undefined
  #settings: SessionSettings | undefined
  #contextSizes = new Map<string, number>()
  #costUsd: number | null = 0
  #turn: AbortController | undefined
  #turnEnds: Promise<unknown> = Promise.resolve()
  /** Whether its thread is there already. */
  #isKept = false
  #hasSaidNotices = false
  /** Whether the last run may not have ended. */
  #mayBeOpen = false
  /** When it was used last, by its own count: see `Sessions`. */
  usedAt = 0

  constructor(id: string, context: CommandContext, place: SessionPlace, editor: Editor) {
    this.id = id
    this.#context = context
    this.#place = place
    this.#editor = editor
  }

  /** Whether a prompt is worked on. */
  get isBusy(): boolean {
    return this.#turn !== undefined
  }

  /** Whether it has a runtime now. */
  get isStarted(): boolean {
    return this.#started !== undefined
  }

  /** How it works; its runtime is started. @throws as `startSession` */
  async open(): Promise<SessionSettings> {
    const { runtime } = await this.#start()
    if (this.#settings !== undefined) return this.#settings
    const info = await runtime.describe()
    for (const { id, models } of info.providers)
      for (const model of models)
        if (model.context !== undefined) this.#contextSizes.set(`${id}/${model.id}`, model.context)
    this.#settings = new SessionSettings(info)
    return this.#settings
  }

  /** Tells the editor what a prompt may begin with. */
  async showCommands(): Promise<void> {
    const { loaded } = await this.#start()
    this.#editor.update({
      sessionUpdate: 'available_commands_update',
      availableCommands: await listCommands(loaded),
    })
  }

  /**
   * Finds the conversation in the store.
   *
   * @param isShown whether the editor is shown all of it
   * @throws NotFoundError `thread_not_found`
   */
  async load(isShown: boolean): Promise<void> {
    const { runtime, loaded } = await this.#start()
    await runtime.threads.get(this.id)
    this.#isKept = true
    this.#mayBeOpen = true
    const { redact } = this.#context.io
    if (isShown) await replayThread(runtime, this.id, this.#editor, { workspace: rootOf(loaded), redact })
  }

  /** @throws ValidationError `validation_failed` where one is worked on already, and for what is no prompt */
  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<PromptResponse> {
    if (this.#turn !== undefined)
      throw wrong(`session ${this.id} is at work on a prompt: wait for its end, or cancel it with session/cancel`)
    const turn = new AbortController()
    const cancel = (): void => turn.abort()
    if (signal.aborted) cancel()
    signal.addEventListener('abort', cancel, { once: true })
    this.#turn = turn
    const taking = this.#take(blocks, turn.signal)
    this.#turnEnds = taking.catch(() => {})
    try {
      const { stopReason, note, lastCall, costUsd, isOpen = false } = await taking
      this.#mayBeOpen = isOpen
      if (note !== undefined) this.#editor.say('warning', this.#context.io.redact(note))
      this.#showUsage(lastCall, costUsd)
      return { stopReason: turn.signal.aborted ? 'cancelled' : stopReason }
    } catch (thrown) {
      this.#mayBeOpen = true
      if (turn.signal.aborted) return { stopReason: 'cancelled' }
      throw thrown
    } finally {
      signal.removeEventListener('abort', cancel)
      this.#turn = undefined
    }
  }

  /** Ends the prompt that is worked on. */
  cancel(): void {
    this.#turn?.abort()
  }

  /** Ends what is worked on, and closes the runtime; a later prompt starts another. */
  async close(): Promise<void> {
    this.cancel()
    await this.#turnEnds
    const started = this.#started
    this.#started = undefined
    await started?.then(
      ({ runtime }) => runtime.close(),
      () => {},
    )
  }

  #start(): Promise<StartedSession> {
    this.#started ??= startSession(this.#context, this.#place, this.#editor.files).catch((thrown: unknown) => {
      this.#started = undefined
      throw thrown
    })
    return this.#started
  }

  async #take(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<TurnEnd> {
    const settings = await this.open()
    const started = await this.#start()
    const { runtime, loaded, notices } = started
    const workspace = rootOf(loaded)
    const asked = toAsked(blocks, workspace)
    if (!this.#hasSaidNotices) for (const notice of notices) this.#editor.say('warning', notice)
    this.#hasSaidNotices = true
    const { name, args = '' } = readCall(asked.task) ?? {}
    const { redact } = this.#context.io
    const turn = new Turn({ runtime, editor: this.#editor, permissions: this.#permissions, workspace, redact, signal })
    if (!this.#isKept) await this.#keep(started, asked.task)
    if (name === 'undo') return this.#undo(started)
    const isAfterOther = this.#mayBeOpen || name === 'resume'
    const [newest] = isAfterOther ? (await runtime.runs.list({ threadId: this.id, limit: 1 })).data : []
    if (name === 'resume') return turn.resume(unfinished(newest))
    const isAsking = newest?.status === 'waiting' && newest.waiting?.input !== undefined
    if (isAsking && name === undefined) return turn.resume(newest, asked.task)
    if (isAsking || newest?.left === true) await runtime.runs.cancel(newest.id, 'another prompt came')
    if (signal.aborted) return { stopReason: 'cancelled', costUsd: 0 }
    return turn.start({ ...(await this.#toRequest(asked, name, args, started)), ...settings.run, threadId: this.id })
  }

  async #toRequest(
    asked: ReturnType<typeof toAsked>,
    name: string | undefined,
    args: string,
    started: StartedSession,
  ): Promise<RunCreate> {
    if (name === 'compact') return toSummaryRequest(args)
    if (name !== 'plan') return expandRequest(asked, name, started)
    if (args === '') throw wrong('/plan needs a task')
    return { ...asked, task: args, mode: 'plan' }
  }

  /** Makes its thread, so that it can be loaded again. */
  async #keep({ runtime }: StartedSession, task: string): Promise<void> {
    const title = oneLine(this.#context.io.redact(task), MOST_TITLE_CHARS)
    await runtime.threads.create({ id: this.id, title })
    this.#isKept = true
    this.#editor.update({ sessionUpdate: 'session_info_update', title })
  }

  async #undo({ runtime }: StartedSession): Promise<TurnEnd> {
    const messages = await runtime.threads.messages(this.id)
    const last = messages.findLast(({ role }) => role === 'user')
    if (last === undefined) throw wrong('/undo: nothing was done in this conversation yet')
    this.#editor.tell(inBlock(renderUndone(await runtime.runs.undo(last.runId))))
    return { stopReason: 'end_turn', costUsd: 0 }
  }

  #showUsage(lastCall: TurnEnd['lastCall'], costUsd: number | null): void {
    this.#costUsd = this.#costUsd === null || costUsd === null ? null : this.#costUsd + costUsd
    const size = lastCall && this.#contextSizes.get(lastCall.model)
    if (size === undefined || lastCall === undefined) return
    const cost = this.#costUsd === null ? {} : { cost: { amount: this.#costUsd, currency: 'USD' } }
    this.#editor.update({ sessionUpdate: 'usage_update', used: lastCall.tokens, size, ...cost })
  }
}

/** The folder that tools are confined to. */
const rootOf = ({ config, workspace }: StartedSession['loaded']): string => config.policy?.root ?? workspace

function unfinished(run: Run | undefined): Run {
  if (run !== undefined) return run
  throw new NotFoundError('run_not_found', '/resume: nothing was done in this conversation yet')
}
