import type { Approval, ApprovalRequest, InputRequest, Resolution } from '../../contracts/approval.ts'
import { type Decision, Decision as DecisionSchema } from '../../contracts/approval.ts'
import type { EventPlace, EventType } from '../../contracts/event.ts'
import type { Journal } from '../../contracts/journal.ts'
import type { Page } from '../../contracts/page.ts'
import type { ListQuery, Store } from '../../contracts/store.ts'
import { ConflictError } from '../../errors.ts'
import { findErrors, parse } from '../../validate.ts'
import { createId } from '../ids.ts'
import { found, toPage } from '../stores/memory-store.ts'

/** After this a question that nobody answered counts as denied. */
const EXPIRES_AFTER_MS = 24 * 3_600_000

/** What a run waits for. */
export type Waiting = { approval: Approval } | { input: InputRequest }

/** What a question belongs to. */
export interface Asking {
  runId: string
  agentId: string
  journal: Journal
  key: string
  emit(type: EventType, data: object, at?: EventPlace): void
  /** Is told that the run waits, and then that it waits for that no more. */
  onWaiting(waiting: Waiting | undefined, answered?: Waiting): void
}

interface Pending {
  asking: Asking
  request: ApprovalRequest
}

interface AskedInput {
  asking: Asking
  request: InputRequest
}

/** Where questions to people wait for their answers. */
export class ApprovalsDesk {
  readonly #store: Store
  readonly #clock: () => number
  readonly #pending = new Map<string, Pending>()
  readonly #inputs = new Map<string, AskedInput[]>()
  readonly #ids: string[] = []

  constructor(store: Store, clock: () => number) {
    this.#store = store
    this.#clock = clock
  }

  /** Asks whether a tool may be called, and waits. */
  async askApproval(request: ApprovalRequest, asking: Asking): Promise<Resolution> {
    const id = createId('apr', this.#clock())
    const expiresAt = request.expiresAt ?? this.#clock() + EXPIRES_AFTER_MS
    const approval: Approval = {
      id,
      runId: asking.runId,
      agentId: asking.agentId,
      callId: request.callId,
      tool: request.tool,
      args: request.args,
      risk: request.risk,
      reason: request.reason,
      preview: request.preview ?? '',
      taint: request.taint,
      expiresAt: new Date(expiresAt).toISOString(),
      status: 'pending',
    }
    await this.#store.approvals.put(id, approval)
    this.#ids.push(id)
    this.#pending.set(id, { asking, request })
    const at = { agentId: asking.agentId, callId: request.callId, approvalId: id }
    asking.emit('approval.requested', approval, at)
    const waiting = { approval }
    asking.onWaiting(waiting)
    const resolution = await asking.journal.wait(asking.key, { approval: { ...request, expiresAt } })
    asking.onWaiting(undefined, waiting)
    if (resolution.kind === 'expired') {
      await this.#close(approval, { status: 'expired' })
      asking.emit('approval.expired', {}, at)
    }
    return resolution
  }

  /** Asks a person for something, and waits. */
  async askInput(request: InputRequest, asking: Asking): Promise<Resolution> {
    const asked = { asking, request }
    this.#inputs.set(asking.runId, [...(this.#inputs.get(asking.runId) ?? []), asked])
    const waiting = { input: request }
    asking.onWaiting(waiting)
    const resolution = await asking.journal.wait(asking.key, { input: request })
    this.#answered(asked)
    asking.onWaiting(undefined, waiting)
    return resolution
  }

  /**
   * Hands a waiting run what it asked for: to the first of its questions that the value fits.
   *
   * @throws ConflictError `invalid_transition` when the run asks for nothing; ValidationError for a value that fits no
   *   question, which leaves them open
   */
  async giveInput(runId: string, value: unknown, by: string): Promise<void> {
    const asked = this.#inputs.get(runId) ?? []
    const [first] = asked
    if (first === undefined) throw new ConflictError('invalid_transition', `run ${runId} does not wait for an input`)
    const meant = asked.find(
      ({ request: { schema } }) => schema === undefined || findErrors(schema, value).length === 0,
    )
    if (meant === undefined) {
      parse(first.request.schema ?? {}, value, 'input')
      return
    }
    this.#answered(meant)
    await meant.asking.journal.resolve(meant.asking.key, { kind: 'input', value, by })
  }

  #answered(asked: AskedInput): void {
    const { runId } = asked.asking
    const rest = (this.#inputs.get(runId) ?? []).filter((other) => other !== asked)
    if (rest.length > 0) this.#inputs.set(runId, rest)
    else this.#inputs.delete(runId)
  }

  async list(query: ListQuery & { status?: Approval['status'] } = {}): Promise<Page<Approval>> {
    const all = await Promise.all(this.#ids.map(async (id) => [id, await this.get(id)] as const))
    return toPage(all, query, ({ status }) => query.status === undefined || status === query.status)
  }

  /** @throws NotFoundError `approval_not_found` */
  async get(id: string): Promise<Approval> {
    return found(await this.#store.approvals.get(id), 'approval', id)
  }

  /**
   * Answers a question.
   *
   * @throws NotFoundError `approval_not_found`; ConflictError `approval_closed` when it was answered before;
   *   ValidationError for what is no decision, which leaves the question open
   */
  async resolve(id: string, answer: Decision, by = 'user'): Promise<Approval> {
    const decision = parse(DecisionSchema, answer, 'decision')
    const approval = await this.get(id)
    const pending = this.#pending.get(id)
    if (approval.status !== 'pending' || pending === undefined) {
      throw new ConflictError('approval_closed', `approval ${id} is ${approval.status} already`)
    }
    const { asking, request } = pending
    const args = decision.decision === 'edit' ? decision.args : request.args
    const outcome = decision.decision === 'deny' ? 'deny' : 'approve'
    const closed = await this.#close(approval, {
      status: outcome === 'deny' ? 'denied' : 'approved',
      decision: decision.decision,
      args,
      by,
    })
    const { note } = decision
    asking.emit(
      'approval.resolved',
      {
        decision: decision.decision,
        by,
        ...(decision.decision === 'edit' ? { args } : {}),
        ...(note === undefined ? {} : { note }),
      },
      { agentId: asking.agentId, callId: request.callId, approvalId: id },
    )
    await asking.journal.resolve(asking.key, { kind: 'approval', decision: outcome, args, by })
    return closed
  }

  /** Closes what a run asked for that has ended: nobody needs to answer any more. */
  async abandon(runId: string): Promise<void> {
    this.#inputs.delete(runId)
    const open = [...this.#pending].filter(([, { asking }]) => asking.runId === runId)
    await Promise.all(open.map(async ([id]) => this.#close(await this.get(id), { status: 'expired' })))
  }

  async #close(approval: Approval, change: Partial<Approval>): Promise<Approval> {
    this.#pending.delete(approval.id)
    const closed = { ...approval, ...change }
    await this.#store.approvals.put(approval.id, closed)
    return closed
  }
}
