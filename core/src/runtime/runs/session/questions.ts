import type { EventData, EventPlace, EventType } from '../../../contracts/log/event.ts'
import type { Journal, WaitUntil } from '../../../contracts/log/journal.ts'
import type {
  Approval,
  ApprovalRequest,
  Decision,
  GrantOffer,
  InputRequest,
  Resolution,
} from '../../../contracts/run/approval.ts'
import type { Run, RunOptions } from '../../../contracts/run/run.ts'
import type { Command, Commit } from '../../../contracts/store/store.ts'
import type { CallRequest, ClientCall } from '../../../contracts/tool/client-tool.ts'
import type { Warning } from '../../../contracts/warning.ts'
import { SvcError } from '../../../errors.ts'
import { digest } from '../../../support/ids.ts'
import type { EventLog } from '../../journal/event-log.ts'
import { waitMark } from '../../journal/keyed-journal.ts'

/** After this a question that nobody answered counts as denied. */
const EXPIRES_AFTER_MS = 24 * 3_600_000
/** After this a call that its client did not make counts as left. */
const CALL_EXPIRES_AFTER_MS = 3_600_000

/** Why a run waits. */
type WaitReason = EventData['run.waiting']['reason']

interface Open {
  key: string
  /** What its record is known by. */
  mark: string | undefined
  at: EventPlace
  approval?: Approval
  input?: InputRequest
  call?: ClientCall
  /** An answer was taken and is being recorded. */
  isAnswered?: boolean
}

/** What the questions of a run stand on. */
export interface QuestionsOptions {
  runId: string
  journal: Journal
  log: Pick<EventLog, 'add' | 'commit'> & { patch(change: NonNullable<Commit['run']>): void }
  clock: () => number
  newId(prefix: string, key: string): string
  emit<T extends EventType>(type: T, data: EventData[T], at?: EventPlace): void
  onStop(handler: (reason: unknown) => void): () => void
  /** @throws the reason why the run was stopped, when it was */
  throwIfStopped(): void
  /**
   * Tells those who listen again what an earlier life has logged when it began to wait.
   *
   * @returns false where nothing of the kind is in the log
   */
  announceAgain(waiting: EventData['run.waiting']): boolean
  /** A question was asked: an answer to it may be recorded already. */
  onOpen(): void
}

/** What one run asks people, each question under the key of its wait, so that it keeps its id through a recovery. */
export class Questions {
  readonly #settings: QuestionsOptions
  readonly #open = new Map<string, Open>()
  /** Settles when no input is waited for: people answer one after the other. */
  #lastInput: Promise<unknown> = Promise.resolve()

  constructor(settings: QuestionsOptions) {
    this.#settings = settings
  }

  /** What the run waits for, as it is listed. */
  get waiting(): Run['waiting'] {
    const open = [...this.#open.values()].filter(({ isAnswered }) => isAnswered !== true)
    const input = open.find((one) => one.input !== undefined)?.input
    if (input !== undefined) {
      const { prompt, schema } = input
      return { input: schema === undefined ? { prompt } : { prompt, schema } }
    }
    const approvals = open.flatMap(({ approval }) => approval ?? [])
    const calls = open.flatMap(({ call }) => call ?? [])
    if (approvals.length + calls.length === 0) return undefined
    return { ...(approvals.length > 0 && { approvals }), ...(calls.length > 0 && { calls }) }
  }

  /** Asks whether a tool may be called, and waits. @param offers what a person may allow beyond this call */
  async askApproval(
    request: ApprovalRequest,
    key: string,
    site: EventPlace,
    offers: readonly GrantOffer[] = [],
  ): Promise<Resolution> {
    const { journal, clock, newId, log, emit } = this.#settings
    const id = newId('apr', key)
    const until = { approval: { ...request, expiresAt: request.expiresAt ?? clock() + EXPIRES_AFTER_MS } }
    const mark = waitMark(until).request
    if (journal.stateOf(key, mark) === 'done') return journal.wait(key, until)
    const awaited = journal.awaited(key)
    const { expiresAt } = awaited !== undefined && 'approval' in awaited ? awaited.approval : until.approval
    const asking = this.#toApproval(id, site, { ...request, expiresAt: expiresAt ?? 0 })
    const approval = offers.length > 0 ? { ...asking, offers: [...offers] } : asking
    const at = { ...site, callId: request.callId, approvalId: id }
    this.#open.set(id, { key, mark, at, approval })
    const asked = journal.wait(key, until)
    asked.catch(() => {}) // a run that was stopped does not wait for it any more
    log.add({ approvals: [approval] })
    emit('approval.requested', approval, at)
    this.#emitWaiting({ reason: 'approval', approvalIds: [id] }, awaited !== undefined)
    await log.commit()
    const resolution = await this.#answered(asked, id)
    if (resolution.kind === 'expired') {
      emit('approval.expired', {}, at)
      this.#goOn('expiry')
      await log.commit({ approvals: [{ ...approval, status: 'expired' }] })
    }
    return resolution
  }

  #toApproval(
    id: string,
    { agentId = '' }: EventPlace,
    { callId, tool, args, risk, reason, preview = '', taint, expiresAt = 0 }: ApprovalRequest,
  ): Approval {
    const { runId } = this.#settings
    const call = { id, runId, agentId, callId, tool, args, risk, reason, preview, taint }
    return { ...call, expiresAt: new Date(expiresAt).toISOString(), status: 'pending' }
  }

  /** Nobody needs to answer what an earlier life has asked under this key: this one goes on without. */
  withdraw(key: string, site: EventPlace = {}): void {
    const { journal, newId } = this.#settings
    const awaited = journal.stateOf(key) === 'done' ? undefined : journal.awaited(key)
    if (awaited === undefined) return
    if ('approval' in awaited) this.#close(this.#toApproval(newId('apr', key), site, awaited.approval))
    this.#goOn('another process')
    this.#resolve(key, { kind: 'expired' })
    this.#settings.onOpen()
  }

  /** Asks a person for something, once what was asked before is answered, and waits. */
  askInput(request: InputRequest, key: string, reason?: WaitReason): Promise<Resolution> {
    const asked = this.#lastInput.then(() => {
      this.#settings.throwIfStopped()
      return this.#askInput(request, key, reason)
    })
    this.#lastInput = asked.catch(() => {})
    return asked
  }

  async #askInput(request: InputRequest, key: string, reason: WaitReason = 'input'): Promise<Resolution> {
    const { prompt, schema } = request
    const waiting = { reason, input: schema === undefined ? { prompt } : { prompt, schema } }
    return this.#wait(key, key, { at: {}, input: request }, { input: request }, waiting)
  }

  /** Waits for what nothing but the wait is recorded of. @param id that its answer names */
  async #wait(
    id: string,
    key: string,
    asked: Pick<Open, 'at' | 'input' | 'call'>,
    until: WaitUntil,
    waiting: EventData['run.waiting'],
  ): Promise<Resolution> {
    const { journal, log } = this.#settings
    const mark = waitMark(until).request
    if (journal.stateOf(key, mark) === 'done') return journal.wait(key, until)
    this.#open.set(id, { ...asked, key, mark })
    const isAskedAgain = journal.awaited(key) !== undefined
    const resolved = journal.wait(key, until)
    resolved.catch(() => {}) // a run that was stopped does not wait for it any more
    this.#emitWaiting(waiting, isAskedAgain)
    await log.commit()
    const resolution = await this.#answered(resolved, id)
    // Whose client has left does not go on.
    if (resolution.kind === 'expired' && asked.call === undefined) this.#goOn('expiry')
    return resolution
  }

  /** Has the client of the run make a call, and waits for what comes of it. */
  askCall(
    request: CallRequest,
    key: string,
    { agentId, callId }: Required<Pick<EventPlace, 'agentId' | 'callId'>>,
  ): Promise<Resolution> {
    const { clock, runId } = this.#settings
    const id = `call_${runId.slice('run_'.length)}_${digest(key).slice(0, 8)}`
    const until = { call: { ...request, expiresAt: clock() + CALL_EXPIRES_AFTER_MS } }
    const call: ClientCall = { id, agentId, callId, tool: request.tool, args: request.args }
    return this.#wait(id, key, { at: { agentId, callId }, call }, until, { reason: 'tool_call', calls: [call] })
  }

  /**
   * Hands an answer to the question it belongs to.
   *
   * @returns false when nothing of the kind is being asked now
   */
  answer(command: Command): boolean {
    if (command.kind === 'input') {
      const open = this.#open.get(command.key)
      // An answer to what is asked no more is done with: it would hide what is asked next.
      if (open?.input === undefined) return this.#settings.journal.stateOf(command.key) === 'done'
      this.#settle(open, { kind: 'input', value: command.value, by: command.by })
      return true
    }
    if (command.kind === 'result') {
      const open = this.#open.get(command.callId)
      if (open?.call === undefined) return false
      const { content, isError, by } = command
      this.#settle(open, { kind: 'result', content, isError, by })
      return true
    }
    const open = command.kind === 'answer' ? this.#open.get(command.approvalId) : undefined
    if (command.kind !== 'answer' || open?.approval === undefined) return false
    if (this.#isSettled(open)) return true
    const { decision, note, remember, args } = command.decision
    const resolution = {
      kind: 'approval' as const,
      decision: decision === 'deny' ? ('deny' as const) : ('approve' as const),
      args: decision === 'edit' ? args : open.approval.args,
      by: command.by,
      ...(note === undefined ? {} : { note }),
      ...(remember === undefined ? {} : { remember }),
      ...(command.rule === undefined ? {} : { rule: command.rule }),
    }
    // The answer, the closed question and what the log says of it leave together: a crash leaves all of it or nothing.
    const status = decision === 'deny' ? 'denied' : 'approved'
    open.isAnswered = true
    this.#settings.log.add({
      approvals: [{ ...open.approval, args: resolution.args, status, decision, by: command.by }],
    })
    this.#emitAnswer(open, resolution)
    this.#goOn(command.by)
    this.#resolve(open.key, resolution)
    return true
  }

  #settle(open: Open, resolution: Resolution & { kind: 'input' | 'result' }): void {
    if (this.#isSettled(open)) return
    open.isAnswered = true
    this.#goOn(resolution.by)
    // Where other calls are open still, no event says that this one is not.
    if (open.call !== undefined) this.#settings.log.patch({ waiting: this.waiting })
    this.#resolve(open.key, resolution)
  }

  /** The first answer counts, be it that time was up. */
  #isSettled({ key, mark, isAnswered }: Open): boolean {
    return isAnswered === true || this.#settings.journal.stateOf(key, mark) === 'done'
  }

  #emitAnswer({ at, approval }: Open, resolution: Resolution & { kind: 'approval' }): void {
    const { by, note, args } = resolution
    const decision = decisionOf(resolution, approval?.args)
    const data = { decision, by, ...(decision === 'edit' ? { args } : {}) }
    this.#settings.emit('approval.resolved', note === undefined ? data : { ...data, note }, at)
  }

  #resolve(key: string, resolution: Resolution): void {
    // A store that fails here has failed the run already.
    Promise.resolve(this.#settings.journal.resolve(key, resolution)).catch(() => {})
  }

  /** Waits for the answer, or for the run to be stopped. */
  #answered(asked: Promise<Resolution>, id: string): Promise<Resolution> {
    return new Promise((resolve, reject) => {
      const off = this.#settings.onStop((reason) => {
        const open = this.#open.get(id)
        this.#open.delete(id)
        if (open?.approval !== undefined && !this.#isSettled(open) && !goesOnLater(reason)) this.#close(open.approval)
        reject(reason)
      })
      const close = () => {
        off()
        this.#open.delete(id)
      }
      asked.finally(close).then(resolve, reject)
      this.#settings.onOpen()
    })
  }

  /** Closes what is still open of what the run, or an earlier life of it, has asked. */
  closeAll(asked: Iterable<Approval>): void {
    for (const approval of asked) if (approval.status === 'pending') this.#close(approval)
  }

  /** Nobody needs to answer what a run that ends has asked. */
  #close(approval: Approval): void {
    this.#settings.emit(
      'approval.expired',
      {},
      { agentId: approval.agentId, callId: approval.callId, approvalId: approval.id },
    )
    this.#settings.log.add({ approvals: [{ ...approval, status: 'expired' }] })
  }

  /** What waited before a crash goes on waiting: that is in the log. */
  #emitWaiting(waiting: EventData['run.waiting'], isAskedAgain: boolean): void {
    const { emit, announceAgain } = this.#settings
    if (!isAskedAgain || !announceAgain(waiting)) emit('run.waiting', waiting)
  }

  #goOn(by: string): void {
    if (this.waiting === undefined) this.#settings.emit('run.resumed', { by })
  }
}

function decisionOf({ decision, args }: Resolution & { kind: 'approval' }, asked: unknown): Decision['decision'] {
  if (decision === 'deny') return 'deny'
  return args === asked || JSON.stringify(args) === JSON.stringify(asked) ? 'approve' : 'edit'
}

/** Whether a run that was stopped for this reason goes on in another process, with its questions open. */
const goesOnLater = (reason: unknown): boolean =>
  SvcError.isInstance(reason) &&
  (reason.code === 'shutting_down' || reason.code === 'lease_lost' || reason.code === 'store_unavailable')

/**
 * What is decided about a question where nobody is there to answer it.
 *
 * @param approval `allow-write` lets tools of risk write act
 */
export function answerForNobody(
  request: ApprovalRequest | InputRequest,
  approval: RunOptions['approval'],
  warn: (warning: Warning) => void,
): Resolution {
  if (request.kind === 'input') {
    warn({ code: 'input_required', message: `nobody is there to answer: ${request.prompt}` })
    return { kind: 'expired' }
  }
  const { tool, risk, args, reason } = request
  const isAllowed = approval === 'allow-write' && risk === 'write'
  if (isAllowed) return { kind: 'approval', decision: 'approve', args, by: 'allow-write' }
  warn({ code: 'approval_required', message: `${tool}: nobody is there to approve it (${reason})` })
  return { kind: 'approval', decision: 'deny', args, by: 'nobody' }
}
