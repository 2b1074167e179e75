import type { Page } from '../../../contracts/page.ts'
import type { PolicyRule } from '../../../contracts/policy-rule.ts'
import type { Approval, Decision } from '../../../contracts/run/approval.ts'
import { Decision as DecisionSchema } from '../../../contracts/run/approval.ts'
import { isTerminal } from '../../../contracts/run/run-end.ts'
import type { Caller, Reach, Runtime } from '../../../contracts/runtime/runtime.ts'
import type { Command, RunRow, Store } from '../../../contracts/store/store.ts'
import { ConflictError, ValidationError } from '../../../errors.ts'
import { createId, digest } from '../../../support/ids.ts'
import { parse } from '../../../validate.ts'
import { checkArguments } from '../../calls/tools/tool-arguments.ts'
import type { Environment } from '../../environment.ts'
import { audit } from '../../observe/audit.ts'
import { found } from '../../stores/paging.ts'
import { grantOf } from './grant-of.ts'
import { assertWithin } from './place.ts'

/** Lists and answers what runs ask people, in any process: an answer is recorded, and the process that holds the run takes it. */
export class Approvals {
  readonly #current: () => Environment
  readonly #store: Store
  readonly #onRule: (rule: PolicyRule, source: string) => void

  /** @param onRule called with a rule that was written to a person's config */
  constructor(current: () => Environment, onRule: (rule: PolicyRule, source: string) => void) {
    this.#current = current
    this.#store = current().store
    this.#onRule = onRule
  }

  get #env(): Environment {
    return this.#current()
  }

  async list({ all = false, ...query }: Parameters<Runtime['approvals']['list']>[0] = {}): Promise<Page<Approval>> {
    const { space } = this.#env
    const page = await this.#store.approvals.list(all || space === undefined ? query : { ...query, space })
    const path = this.#env.rulesFile?.path
    return { ...page, data: page.data.map((approval) => this.#withFile(approval, path)) }
  }

  /** Where a rule would be written is of this process: the log of a run, which others may be handed, does not say it. */
  #withFile(approval: Approval, path = this.#env.rulesFile?.path): Approval {
    const isAsked = approval.status === 'pending' && approval.offers !== undefined
    return path === undefined || !isAsked ? approval : { ...approval, rulesFile: path }
  }

  /** @throws NotFoundError `approval_not_found` */
  async get(id: string, reach?: Reach): Promise<Approval> {
    return this.#withFile((await this.#find(id, reach)).approval)
  }

  async #find(id: string, reach: Reach = {}): Promise<{ approval: Approval; run: RunRow }> {
    const approval = found(await this.#store.approvals.get(id), 'approval', id)
    const run = found(await this.#store.runs.get(approval.runId), 'run', approval.runId)
    assertWithin('approval', { id, space: run.space, owner: run.owner }, reach, this.#env)
    return { approval, run }
  }

  /**
   * Answers a question.
   *
   * @throws NotFoundError `approval_not_found`; ConflictError `approval_closed` when it was answered before, or
   *   its run has ended; ValidationError for what is no decision, or for arguments that the tool does not take: the question stays open
   */
  async resolve(id: string, answer: Decision, caller: Caller, by = 'user'): Promise<Approval> {
    const decision = parse(DecisionSchema, answer, 'decision')
    const { approval, run } = await this.#find(id)
    if (approval.status === 'pending' && isTerminal(run.status)) throw closed(id, `of a run that is ${run.status}`)
    await this.#assertOpen(approval)
    if (decision.decision === 'edit') await this.#assertArguments(approval, decision.args)
    const asked = this.#withFile(approval)
    const rule = grantOf(asked, decision)
    const { tool, runId } = approval
    const args = decision.decision === 'edit' ? decision.args : approval.args
    audit(this.#env, caller, 'approval.answered', {
      approval: id,
      run: runId,
      tool,
      decision: decision.decision,
      argsSha256: digest(JSON.stringify(args) ?? ''),
      remember: decision.remember,
      ...(decision.scope && { scope: decision.scope }),
    })
    const written = decision.remember === 'always' && asked.rulesFile ? { rulesFile: asked.rulesFile } : {}
    if (rule !== undefined && written.rulesFile !== undefined) await this.#keep(rule, id, caller)
    const said = { id: createId('cmd', this.#env.clock()), kind: 'answer' as const, approvalId: id, decision, by }
    const command = rule === undefined ? said : { ...said, rule }
    await this.#store.command(runId, command)
    const first = (await this.#answersTo(approval)).at(0)
    const now = await this.get(id)
    const isTaken = now.status !== 'pending'
    if (isTaken ? now.decision !== decision.decision : first !== undefined && first.id !== command.id) {
      const { rulesFile } = written
      const note = rulesFile === undefined ? '' : `; the rule was added to ${rulesFile} all the same`
      throw closed(id, `${isTaken ? now.status : 'answered'} already${note}`)
    }
    if (isTaken) return { ...now, ...written }
    // The process that holds the run takes it in a moment, or when the run goes on.
    const status = decision.decision === 'deny' ? 'denied' : 'approved'
    return { ...approval, status, decision: decision.decision, args, by, ...written }
  }

  /** Writes a rule to the person's config, and has it in force for the runs that begin from now on. */
  async #keep(rule: PolicyRule, approval: string, caller: Caller): Promise<void> {
    const { rulesFile } = this.#env
    const { path: file = '' } = rulesFile ?? {}
    audit(this.#env, caller, 'policy.rule_added', { approval, rule: JSON.stringify(rule), file })
    await rulesFile?.add(rule)
    this.#onRule(rule, file)
  }

  async #assertOpen(approval: Approval): Promise<void> {
    const isAnswered = (await this.#answersTo(approval)).length > 0
    if (approval.status === 'pending' && !isAnswered) return
    throw closed(approval.id, `${isAnswered ? 'answered' : approval.status} already`)
  }

  /** Answers that the holder of the run has not taken yet, the first one first: it is the one that counts. */
  async #answersTo({ id, runId }: Approval): Promise<Command[]> {
    const commands = await this.#store.commands(runId)
    return commands.filter((command) => command.kind === 'answer' && command.approvalId === id)
  }

  async #assertArguments({ tool: id }: Approval, args: unknown): Promise<void> {
    const tool = this.#env.tools.get(id)
    if (tool === undefined) return
    const { errors } = await checkArguments(tool, args)
    const [first] = errors ?? []
    if (first === undefined) return
    throw new ValidationError('validation_failed', `decision: /args${first.path} ${first.message}`, {
      errors: (errors ?? []).map(({ path, message }) => ({ path: `/args${path}`, message })),
    })
  }
}

const closed = (id: string, how: string): ConflictError =>
  new ConflictError('approval_closed', `approval ${id} is ${how}`)
