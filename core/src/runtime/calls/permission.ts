import type { PolicyRule } from '../../contracts/config.ts'
import type { ToolCall } from '../../contracts/message.ts'
import type { Tool, ToolDecision } from '../../contracts/tool.ts'
import { digest } from '../ids.ts'
import type { CallContext, CallSite } from './call-context.ts'
import { ALWAYS_ASKS, type PolicyAnswer, type PolicyQuestion } from './policy.ts'
import type { TaintLog } from './taint.ts'
import { look, showCall } from './tool-glance.ts'
import { withRule } from './with-rule.ts'

const BY_PLUGIN = 'plugin'

/** A refusal, with who refused and the code that says why. */
export interface Denial {
  by: 'rule' | 'person' | 'nobody'
  code: 'policy_denied' | 'approval_required' | 'approval_denied' | 'approval_expired'
  rule: string
  reason: string
  note?: string
  /** The rule that would have let it pass, where there is one. */
  allowedBy?: PolicyRule
}

/** The arguments to call with and whether a person approved them, or why not. */
export type Permit = { args: unknown; isApproved: boolean; denial?: undefined } | { denial: Denial }

/** What is asked about a call: the tool, checked arguments, where it belongs, and what untrusted content reached it. */
export interface PermissionRequest {
  tool: Tool
  args: unknown
  key: string
  site: CallSite
  taint: readonly string[]
  tightened: ToolDecision | undefined
}

/** Decides for one run whether a tool may be called: circuits, policy, plugins, then a person. */
export class Permission {
  readonly #run: CallContext
  readonly #taint: TaintLog
  /** Calls that a person allowed for the whole run, and calls that a person refused: nobody is asked twice about them. */
  readonly #allowed = new Set<string>()
  readonly #refused = new Map<string, Denial>()

  constructor(run: CallContext, taint: TaintLog) {
    this.#run = run
    this.#taint = taint
  }

  /** Asks the plugins that tap `toolRequest`. */
  async tighten(tool: Tool, call: ToolCall & { agentId: string }, taint: string[]): Promise<ToolDecision | undefined> {
    const { hooks } = this.#run.env
    if (!hooks.hooks.toolRequest.isUsed()) return undefined
    return hooks.ask('toolRequest', { ...call, risk: tool.risk, taint }, this.#run)
  }

  async permit(request: PermissionRequest): Promise<Permit> {
    const { tool, args } = request
    const circuit = this.#run.steering.openCircuit(tool.id)
    if (circuit !== undefined) return refuse('policy_denied', 'rule', { rule: 'circuit', reason: circuit })
    const question = await this.#questionOf(request, args)
    const { policy } = this.#run
    const decided = stricter(policy.decide(question), request.tightened)
    // What a plugin wants asked or denied, no rule allows.
    const allowedBy = decided.rule === BY_PLUGIN || decided.decision === 'allow' ? undefined : policy.ruleFor(question)
    if (decided.decision === 'deny') return refuse('policy_denied', 'rule', decided, { allowedBy })
    if (decided.decision === 'allow') return { args, isApproved: false }
    const { approval = 'deny', allowWrites = approval === 'allow-write' } = this.#run.options
    const isWriting = tool.risk === 'read' || tool.risk === 'write'
    if (allowWrites && isWriting && decided.rule !== ALWAYS_ASKS) return { args, isApproved: false }
    const fingerprint = fingerprintOf(tool, args)
    if (this.#allowed.has(fingerprint)) return { args, isApproved: true }
    const refused = this.#refused.get(fingerprint)
    if (refused !== undefined) return { denial: refused }
    if (approval !== 'wait') {
      const reason = `${tool.id} may ${VERBS[tool.risk]} and nobody is there to approve it (${decided.reason})`
      this.#run.warn({ code: 'approval_required', message: withRule(reason, allowedBy) })
      return refuse('approval_required', 'nobody', { rule: decided.rule, reason }, { allowedBy })
    }
    return this.#askPerson(request, decided, fingerprint)
  }

  async #questionOf({ tool, site, taint }: PermissionRequest, args: unknown): Promise<PolicyQuestion> {
    const { agentId } = site
    const alwaysAsks = await look(this.#run, tool.alwaysAsks?.bind(tool), args)
    const { network } = (await tool.confinement?.(args)) ?? { network: tool.risk === 'network' }
    return {
      tool: tool.id,
      args,
      risk: tool.risk,
      taint,
      alwaysAsks,
      reachesNetwork: network || tool.risk === 'network',
      mixed: this.#taint.hasReadPrivate(agentId) && this.#taint.own(agentId).length > 0,
      profileRule: this.#run.profileOf(agentId)?.toolPolicy?.[tool.id],
    }
  }

  async #askPerson(request: PermissionRequest, { rule, reason }: PolicyAnswer, fingerprint: string): Promise<Permit> {
    const { tool, args, key, site, taint } = request
    const preview = await showCall(this.#run, tool, args)
    const { callId } = site
    const resolution = await this.#run.questions.askApproval(
      { kind: 'approval', callId, tool: tool.id, args, risk: tool.risk, reason, preview, taint: [...taint] },
      `${key}/approval`,
      site,
    )
    if (resolution.kind === 'expired') {
      this.#run.warn({ code: 'approval_expired', message: `${tool.id} was denied: nobody answered in time` })
      return refuse('approval_expired', 'nobody', { rule, reason: 'nobody answered in time' })
    }
    if (resolution.kind !== 'approval' || resolution.decision === 'deny') {
      const note = resolution.kind === 'approval' ? resolution.note : undefined
      const denied = `a person denied ${tool.id}${note === undefined ? '' : `: ${note}`}`
      this.#run.warn({ code: 'approval_denied', message: denied })
      const permit = refuse('approval_denied', 'person', { rule, reason: denied }, { note })
      this.#refused.set(fingerprint, permit.denial)
      return permit
    }
    const approved = fingerprintOf(tool, resolution.args)
    // What a person made of the arguments may be what nobody may do.
    if (approved !== fingerprint) {
      const edited = this.#run.policy.decide(await this.#questionOf(request, resolution.args))
      if (edited.decision === 'deny') return refuse('policy_denied', 'rule', edited)
    }
    if (resolution.remember === 'run') this.#allowed.add(approved)
    return { args: resolution.args, isApproved: true }
  }
}

function refuse(
  code: Denial['code'],
  by: Denial['by'],
  { rule, reason }: Pick<PolicyAnswer, 'rule' | 'reason'>,
  { note, allowedBy }: { note?: string | undefined; allowedBy?: PolicyRule | undefined } = {},
): { denial: Denial } {
  return { denial: { code, by, rule, reason, ...(note && { note }), ...(allowedBy && { allowedBy }) } }
}

const fingerprintOf = (tool: Tool, args: unknown): string => `${tool.id} ${digest(JSON.stringify(args))}`

const VERBS: Readonly<Record<Tool['risk'], string>> = {
  read: 'read',
  write: 'write',
  network: 'use the network',
  execute: 'run programs',
  destructive: 'destroy things',
}

function stricter(byPolicy: PolicyAnswer, tightened: ToolDecision | undefined): PolicyAnswer {
  if (tightened === undefined || tightened.decision === 'allow' || byPolicy.decision === 'deny') return byPolicy
  if (tightened.decision === 'ask' && byPolicy.decision === 'ask') return byPolicy
  const { decision, reason = `a plugin says ${decision}` } = tightened
  return { decision, rule: BY_PLUGIN, reason }
}
