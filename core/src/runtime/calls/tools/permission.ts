import type { StepRow } from '../../../contracts/log/journal.ts'
import type { ToolCall } from '../../../contracts/model/message.ts'
import type { PolicyRule } from '../../../contracts/policy-rule.ts'
import type { Resolution } from '../../../contracts/run/approval.ts'
import type { Confinement, Tool, ToolDecision } from '../../../contracts/tool/tool.ts'
import { digest } from '../../../support/ids.ts'
import { requestMark } from '../../journal/keyed-journal.ts'
import type { CallContext, CallSite } from '../call-context.ts'
import { offersFor } from '../policy/offers.ts'
import {
  ALWAYS_ASKS,
  BY_RISK_RULE,
  MANAGED,
  NEEDS_APPROVAL,
  type Policy,
  type PolicyAnswer,
  type PolicyQuestion,
} from '../policy/policy.ts'
import { suggestRule } from '../policy/suggest-rule.ts'
import type { TaintLog } from '../policy/taint.ts'
import { look, lookAtConfinement, lookAtNeed, lookAtTouched, showCall } from './look-at-call.ts'
import { type Arguments, readArguments } from './tool-arguments.ts'
import { TouchCheck } from './touch-check.ts'

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

/** The arguments to call with, whether a person approved them, what the call may touch and where it runs; or why not. */
export type Permit =
  | {
      args: unknown
      shown: unknown
      isApproved: boolean
      touching: TouchCheck
      confinement: Confinement
      denial?: undefined
    }
  | { denial: Denial; touching?: undefined }

/** What the policy was asked about a call, and what it says. */
interface Judged extends Arguments {
  question: PolicyQuestion
  answer: PolicyAnswer
  confinement: Confinement
}

/** What is asked about a call: the tool, checked arguments, where it belongs, and what untrusted content reached it. */
export interface PermissionRequest extends Arguments {
  tool: Tool
  key: string
  site: CallSite
  taint: readonly string[]
  tightened: ToolDecision | undefined
}

/** Decides for one run whether a tool may be called: circuits, policy, plugins, then a person. */
export class Permission {
  readonly #run: CallContext
  readonly #taint: TaintLog
  /** With the rules that a person gave for the whole run. */
  #policy: Policy
  /** Calls that a person allowed for the whole run, and calls that a person refused: nobody is asked twice about them. */
  readonly #allowed = new Set<string>()
  readonly #refused = new Map<string, Denial>()

  /** @param rules that a person gave for the whole run in an earlier life of it */
  constructor(run: CallContext, taint: TaintLog, rules: readonly PolicyRule[]) {
    this.#run = run
    this.#taint = taint
    this.#policy = run.policy.with(rules)
  }

  /** Takes over what a person said of a call that was made in an earlier life of the run. */
  recall(tool: string, key: string): Resolution | undefined {
    const { journal } = this.#run.recorder
    const said = journal.outcomeOf(approvalKey(key)) as Resolution | undefined
    const isYes =
      said?.kind === 'approval' && said.decision === 'approve' && said.rule === undefined && isForTheRun(said)
    if (isYes && journal.isFor(approvalKey(key), requestMark(tool, said.args)))
      this.#allowed.add(fingerprintOf(tool, said.args))
    return said
  }

  /** Asks the plugins that tap `toolRequest`. */
  async tighten(tool: Tool, call: ToolCall & { agentId: string }, taint: string[]): Promise<ToolDecision | undefined> {
    const { hooks } = this.#run.env
    if (!hooks.isUsed('toolRequest')) return undefined
    return hooks.ask('toolRequest', { ...call, risk: tool.risk, taint }, this.#run.context)
  }

  /**
   * @throws ToolError `tool_timeout` where the tool does not say in time what the call touches, `tool_bad_args` where a person made
   *   of the arguments what does not fit; why the run was stopped
   */
  async permit(request: PermissionRequest): Promise<Permit> {
    const { tool, shown } = request
    const circuit = this.#run.control.steering.openCircuit(tool.id)
    if (circuit !== undefined) return refuse('policy_denied', 'rule', { rule: 'circuit', reason: circuit })
    const first = await this.#judge(request, request)
    const { question } = first
    const decided = stricter(first.answer, request.tightened)
    const judged = { ...first, answer: decided }
    // What a plugin wants asked or denied, no rule allows.
    const isOpen = decided.rule !== PLUGIN && decided.decision !== 'allow'
    const allowedBy = isOpen ? this.#policy.ruleFor(question) : undefined
    if (decided.decision === 'deny') return refuse('policy_denied', 'rule', decided, { allowedBy })
    if (decided.decision === 'allow' || this.#isPassed(judged)) {
      // Under an earlier config it was asked about.
      this.#run.control.questions.withdraw(approvalKey(request.key), request.site)
      return this.#grant(tool, judged, false)
    }
    const fingerprint = fingerprintOf(tool.id, shown)
    if (this.#allowed.has(fingerprint)) return this.#grant(tool, judged, true)
    const refused = this.#refused.get(fingerprint)
    if (refused !== undefined) return { denial: refused }
    if (this.#run.facts.options.approval !== 'wait') {
      const reason = `${tool.id} may ${VERBS[tool.risk]} and nobody is there to approve it (${decided.reason})`
      this.#run.recorder.warn({ code: 'approval_required', message: suggestRule(reason, allowedBy) })
      return refuse('approval_required', 'nobody', { rule: decided.rule, reason }, { allowedBy })
    }
    return this.#askPerson(request, judged, fingerprint)
  }

  /**
   * Whether the run makes calls unasked that only write. A plugin, the managed policy, and what always asks are not passed by;
   * nor is any rule by a run that the config bounds.
   */
  #isPassed({ question, answer }: Pick<Judged, 'question' | 'answer'>): boolean {
    const { options, isBounded } = this.#run.facts
    const { approval = 'deny', allowWrites = approval === 'allow-write' } = options
    const isHeld = (rule: string): boolean => isFirm(rule) || (isBounded && !isDefault(rule))
    return allowWrites && onlyWrites(question) && answer.decision === 'ask' && !answer.rules.some(isHeld)
  }

  #grant(tool: Tool, { question, answer, ...made }: Judged, isApproved: boolean): Permit {
    const touching = new TouchCheck({
      policy: this.#policy,
      question,
      answer,
      isApproved,
      isDeclared: tool.touches !== undefined,
      isPassed: (again) => this.#isPassed({ question, answer: again }),
    })
    return { ...made, isApproved, touching }
  }

  /** What plugins say of arguments that a person has changed. */
  async #tightenAgain({ tool, site, taint }: PermissionRequest, { args, answer }: Judged): Promise<PolicyAnswer> {
    const call = { callId: site.callId, tool: tool.id, agentId: site.agentId, args }
    return stricter(answer, await this.tighten(tool, call, [...taint]))
  }

  async #judge({ tool, site, taint, key }: PermissionRequest, { args, shown }: Arguments): Promise<Judged> {
    const { agentId } = site
    // A call that a person was asked about in an earlier life goes by that answer, and not by what was said with it.
    const said = this.#run.recorder.journal.outcomeOf(approvalKey(key)) as Resolution | undefined
    const policy = said?.kind === 'approval' ? this.#run.policy : this.#policy
    const touched = await lookAtTouched(this.#run, tool, args)
    const call = {
      tool: tool.id,
      args: args === shown ? args : [shown, args],
      touched: typeof touched === 'string' ? undefined : touched,
    }
    const closedPaths = policy.closedPaths(call, false)
    const need = await lookAtNeed(this.#run, tool, args)
    const alwaysAsks =
      typeof touched === 'string' ? touched : (need.ask ?? (await look(this.#run, tool, args, closedPaths)))
    const confinement = await lookAtConfinement(this.#run, tool, args)
    const question: PolicyQuestion = {
      ...call,
      risk: tool.risk,
      taint,
      alwaysAsks,
      isWaived: need.isWaived === true,
      reachesNetwork: confinement.network || tool.risk === 'network',
      mixed: this.#taint.hasReadPrivate(agentId) && this.#taint.own(agentId).length > 0,
      profileRule: this.#run.profileOf(agentId)?.toolPolicy?.[tool.id],
    }
    const answer: PolicyAnswer =
      need.deny === undefined
        ? policy.decide(question)
        : { decision: 'deny', rule: NEEDS_APPROVAL, reason: need.deny, rules: [NEEDS_APPROVAL] }
    return { args, shown, question, answer, confinement }
  }

  async #askPerson(request: PermissionRequest, judged: Judged, fingerprint: string): Promise<Permit> {
    const { tool, shown, key, site, taint } = request
    const { rule, reason, rules } = judged.answer
    const offers = rules.includes(PLUGIN) ? [] : offersFor(this.#policy, judged.question)
    const preview = await showCall(this.#run, tool, request, judged.question.touched)
    const { callId } = site
    const resolution = await this.#run.control.questions.askApproval(
      { kind: 'approval', callId, tool: tool.id, args: shown, risk: tool.risk, reason, preview, taint: [...taint] },
      approvalKey(key),
      site,
      offers,
    )
    if (resolution.kind === 'expired') {
      this.#run.recorder.warn({ code: 'approval_expired', message: `${tool.id} was denied: nobody answered in time` })
      return refuse('approval_expired', 'nobody', { rule, reason: 'nobody answered in time' })
    }
    if (resolution.kind !== 'approval' || resolution.decision === 'deny') {
      const note = resolution.kind === 'approval' ? resolution.note : undefined
      const denied = `${tool.id} was not approved${note === undefined ? '' : `: ${note}`}`
      this.#run.recorder.warn({ code: 'approval_denied', message: denied })
      const permit = refuse('approval_denied', 'person', { rule, reason: denied }, { note })
      this.#refused.set(fingerprint, permit.denial)
      return permit
    }
    const approved = fingerprintOf(tool.id, resolution.args)
    // What a person made of the arguments may be what nobody may do.
    const granted =
      approved === fingerprint ? judged : await this.#judge(request, await readArguments(tool, resolution.args))
    const answer = approved === fingerprint ? granted.answer : await this.#tightenAgain(request, granted)
    if (answer.decision === 'deny') return refuse('policy_denied', 'rule', answer)
    if (resolution.rule !== undefined) this.#policy = this.#policy.with([resolution.rule])
    else if (isForTheRun(resolution)) this.#allowed.add(approved)
    return this.#grant(tool, granted, true)
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

/** The rule of a plugin that tightens the policy. */
const PLUGIN = 'plugin'

const fingerprintOf = (tool: string, args: unknown): string => `${tool} ${digest(JSON.stringify(args))}`

const approvalKey = (key: string): string => `${key}/approval`

/** The rules that a person gave for the whole run, as it is recorded. */
export const rulesIn = (steps: readonly StepRow[]): PolicyRule[] =>
  steps.flatMap(({ effect, outcome }) => {
    const said = effect === 'wait' ? (outcome as Partial<Resolution> | undefined) : undefined
    return said?.kind === 'approval' && said.decision === 'approve' && said.rule !== undefined ? [said.rule] : []
  })

const VERBS: Readonly<Record<Tool['risk'], string>> = {
  read: 'read',
  write: 'write',
  network: 'use the network',
  execute: 'run programs',
  destructive: 'destroy things',
}

function stricter(byPolicy: PolicyAnswer, tightened: ToolDecision | undefined): PolicyAnswer {
  if (tightened === undefined || tightened.decision === 'allow' || byPolicy.decision === 'deny') return byPolicy
  if (tightened.decision === 'ask' && byPolicy.decision === 'ask')
    return { ...byPolicy, rules: [...byPolicy.rules, PLUGIN] }
  const { decision, reason = `a plugin says ${decision}` } = tightened
  return { decision, rule: PLUGIN, reason, rules: [PLUGIN] }
}

function onlyWrites({ risk }: PolicyQuestion): boolean {
  return risk === 'write'
}

/** Whether a rule asks whatever the run's options say. */
function isFirm(rule: string): boolean {
  return rule === ALWAYS_ASKS || rule === PLUGIN || rule.startsWith(MANAGED)
}

/** Whether nobody has said it: it is what svc does by itself. */
const isDefault = (rule: string): boolean => rule.startsWith(BY_RISK_RULE)

function isForTheRun({ remember }: { remember?: 'once' | 'run' | 'always' }): boolean {
  return remember === 'run' || remember === 'always'
}
