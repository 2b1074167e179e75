import type { EventData, EventPlace, EventType, RunEvent } from '../../../contracts/log/event.ts'
import type { StageTap } from '../../../contracts/log/stage-tap.ts'
import type { MemoryHit } from '../../../contracts/memory/memory.ts'
import type { ApprovalRequest, InputRequest, Resolution } from '../../../contracts/run/approval.ts'
import type { HearRequest, RunContext, Steering as SteeringRequest } from '../../../contracts/run/run-context.ts'
import type { RunMessage } from '../../../contracts/run/run-message.ts'
import type { RunView } from '../../../contracts/run/run-view.ts'
import type { TaintSource } from '../../../contracts/run/taint/taint-source.ts'
import type { FolderNotes } from '../../../contracts/tool/folder-note.ts'
import type { Warning } from '../../../contracts/warning.ts'
import { forgettable } from '../../../support/background.ts'
import { frozenCopy } from '../../../support/frozen-copy.ts'
import { createIdSource, createRandom, digest, randomOf, ulidOf } from '../../../support/ids.ts'
import type { Ledger } from '../../budget/ledger.ts'
import { RunBudget } from '../../budget/run-budget.ts'
import type { ModelGateway } from '../../calls/model/model-gateway.ts'
import type { TaintedFiles } from '../../calls/policy/tainted-files.ts'
import type { ToolGateway } from '../../calls/tools/tool-gateway.ts'
import type { Environment } from '../../environment.ts'
import type { TappedRun } from '../../hooks/hooks.ts'
import type { TapGuard } from '../../hooks/tap-guard.ts'
import { folderOfCall, NO_NOTES } from '../../journal/folder-notes.ts'
import { requestMark } from '../../journal/keyed-journal.ts'
import { findTaint } from './find-taint.ts'
import { RECALLED_KEY } from './recovery/inherited-stages.ts'
import type { RunControl } from './run-control.ts'
import type { RunFacts } from './run-facts.ts'
import { BESIDE, type RunRecorder } from './run-recorder.ts'
import type { RunStop } from './run-stop.ts'
import type { StageCount } from './stage-count.ts'

/** The parts of a run at work that answer for its context. */
interface ContextParts {
  env: Environment
  facts: RunFacts
  stop: RunStop
  recorder: RunRecorder
  control: RunControl
  stages: StageCount
  ledger: Ledger
  taintedFiles: TaintedFiles
  models: ModelGateway
  tools: ToolGateway
  join: RunContext['join']
}

type RecordOptions = NonNullable<Parameters<RunContext['record']>[2]>

/** What plugins and components see of a run at work. */
export class SessionContext implements TappedRun {
  readonly id: string
  readonly threadId: RunContext['threadId']
  readonly thread: RunContext['thread']
  readonly notes: RunContext['notes']
  readonly owner: string
  readonly options: RunContext['options']
  readonly defaultModel: string
  readonly smallModel: string
  readonly contextTokens: RunContext['contextTokens']
  readonly deterministic: boolean
  readonly tools: RunContext['tools']
  readonly agents: RunContext['agents']
  readonly budget: RunContext['budget']
  readonly view: RunView
  readonly taps: TapGuard
  answeredBy = ''
  tapped: StageTap[] = []
  readonly #session: ContextParts
  readonly #deferred: (() => Promise<void>)[] = []
  #random: (() => number) | undefined
  #newId: ((prefix: string) => string) | undefined
  #recalled: readonly MemoryHit[] = []
  readonly #notesBeside = new Map<string, Promise<FolderNotes & { isTainted?: boolean }>>()

  constructor(session: ContextParts, taps: TapGuard) {
    const { facts, recorder, ledger } = session
    this.#session = session
    this.id = facts.id
    this.threadId = facts.threadId
    this.thread = frozenCopy(facts.thread.messages)
    this.notes = frozenCopy(facts.notes.notes)
    this.owner = facts.owner
    this.options = frozenCopy(facts.options)
    this.defaultModel = facts.defaultModel
    this.smallModel = facts.smallModel
    this.contextTokens = facts.contextTokens
    this.deterministic = facts.deterministic
    this.tools = Object.freeze([...facts.tools])
    this.agents = Object.freeze([...facts.agents])
    this.budget = Object.freeze(new RunBudget(ledger))
    this.view = recorder.view
    this.taps = taps
  }

  get attempt(): number {
    return this.#session.stages.attempt
  }

  get signal(): AbortSignal {
    return this.#session.stop.signal
  }

  get isTainted(): boolean {
    return this.taintedBy.length > 0
  }

  /** What untrusted content was read so far, each once. */
  get taintedBy(): TaintSource[] {
    const { env, facts, recorder } = this.#session
    return findTaint({
      given: facts.taint,
      recalled: this.#recalled,
      events: recorder.events,
      folder: env.trustsWorkspace
        ? undefined
        : {
            material: [
              ...(facts.options.context === undefined ? [] : ['material of the task']),
              ...(facts.thread.messages.length > 0 ? ['earlier turns'] : []),
              ...this.notes.map(({ path }) => path),
            ],
            holds: (tool) => env.tools.get(tool)?.readsNothing !== true,
          },
    })
  }

  get recalled(): readonly MemoryHit[] {
    return this.#recalled
  }

  recall(hits: readonly MemoryHit[]): void {
    this.#recalled = hits
    this.#session.recorder.note(RECALLED_KEY, hits)
  }

  readonly model: RunContext['model'] = (request) => forgettable(this.#session.models.call(request))

  readonly tool: RunContext['tool'] = (call) => forgettable(this.#session.tools.call(call))

  join(...[agent, from]: Parameters<RunContext['join']>): number {
    return this.#session.join(agent, from)
  }

  embed(request: Parameters<RunContext['embed']>[0]): Promise<number[][]> {
    return forgettable(this.#session.models.embed(request))
  }

  async notesBeside({
    agentId,
    ...call
  }: Parameters<RunContext['notesBeside']>[0]): ReturnType<RunContext['notesBeside']> {
    const { env, recorder, tools } = this.#session
    const folder = folderOfCall(call, env.workspace)
    if (folder === undefined) return []
    const known = this.#notesBeside.get(folder) ?? this.#readNotes(folder)
    this.#notesBeside.set(folder, known)
    const { notes, warnings, isTainted } = await known
    for (const message of warnings) recorder.warn({ code: 'notes_untrusted', message })
    if (isTainted) tools.noteRead(agentId, { tool: 'read_file', ok: true, tainted: true })
    return notes
  }

  /** Looked for once in a run, and recorded: what is there later its agents did not get. */
  async #readNotes(folder: string): Promise<FolderNotes & { isTainted?: boolean }> {
    const { env, facts, recorder, taintedFiles } = this.#session
    const key = `notes/${folder}`
    const isKnown = recorder.journal.stateOf(`${BESIDE}${key}`) === 'done'
    const isDeaf = facts.deterministic || env.cassette?.isStrict === true || env.notes === undefined
    if (!isKnown && isDeaf) return NO_NOTES
    let isTainted = false
    const look = (file: string): boolean => {
      const is = taintedFiles.has(file)
      isTainted ||= is
      return is
    }
    const read = async () => ({ ...(env.notes?.below(folder, look) ?? NO_NOTES), ...(isTainted && { isTainted }) })
    return this.#record(key, read, { effect: 'pure' })
  }

  hear(request: HearRequest): Promise<readonly RunMessage[]> {
    return forgettable(this.#session.control.messages.hear(request))
  }

  ask(request: ApprovalRequest | InputRequest): Promise<Resolution> {
    return this.#session.control.ask(request)
  }

  emit<T extends EventType>(type: T, data: EventData[T], at?: EventPlace): void {
    this.#session.recorder.emit(type, data, at)
  }

  events(): readonly RunEvent[] {
    return this.#session.recorder.events
  }

  onEvent(handler: (event: RunEvent) => void): () => void {
    return this.#session.recorder.onEvent(handler)
  }

  steer(request: SteeringRequest): void {
    this.#session.control.steering.apply(request)
  }

  warn(warning: Warning): void {
    this.#session.recorder.warn(warning)
  }

  record<T>(key: string, work: (idempotencyKey: () => string) => Promise<T>, options: RecordOptions = {}): Promise<T> {
    return forgettable(this.#record(key, work, options))
  }

  async #record<T>(
    key: string,
    work: (idempotencyKey: () => string) => Promise<T>,
    { effect = 'idempotent', request }: RecordOptions,
  ): Promise<T> {
    const { facts, recorder } = this.#session
    const stepKey = `${BESIDE}${key}`
    const act = (): Promise<T> => {
      recorder.refuseNew(stepKey)
      return work(() => digest(facts.originId, stepKey).slice(0, 32))
    }
    // A replay may ask otherwise: its model calls are held against the recording themselves.
    const mark = request === undefined || this.#session.env.cassette !== undefined ? undefined : requestMark(request)
    return recorder.journal.step(stepKey, effect, act, mark)
  }

  readonly records: RunContext['records'] = (kind, space) => ({
    put: (id, value) => this.#session.recorder.put({ kind, space, id, value }),
  })

  defer(work: () => Promise<void>): void {
    this.#deferred.push(work)
  }

  /** What the run need not wait for, in the order in which it was put off. */
  async runDeferred(): Promise<void> {
    for (const work of this.#deferred.splice(0)) await work()
  }

  now(): number {
    return this.#session.recorder.journal.time
  }

  random(key?: string): number {
    const { seed } = this.#session.facts
    if (key !== undefined) return randomOf(seed, key)
    this.#random ??= createRandom(seed)
    return this.#random()
  }

  newId(prefix: string, key?: string): string {
    const { seed, createdAt } = this.#session.facts
    if (key !== undefined) return `${prefix}_${ulidOf(createdAt, seed, prefix, key)}`
    this.#newId ??= createIdSource(seed, () => this.now())
    return this.#newId(prefix)
  }
}
