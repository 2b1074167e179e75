import { resolve } from 'node:path'
import type { SvcConfig } from '../../../contracts/config.ts'
import type { PolicyRule } from '../../../contracts/policy-rule.ts'
import type { RunOptions } from '../../../contracts/run/run.ts'
import type { ClosedPaths } from '../../../contracts/tool/tool.ts'
import type { ToolRisk } from '../../../contracts/words.ts'
import { matchesGlob } from '../../../support/settings/matches-glob.ts'
import { applies, isWithin, type RuledCall, textsOf, toHost } from './match-rule.ts'

/** A tool call as the policy looks at it. */
export interface PolicyQuestion extends RuledCall {
  risk: ToolRisk
  /** Untrusted content that reached the agent, through itself or another. */
  taint: readonly string[]
  /** Whether the call can send data out, whatever its risk. Default: where the risk is network. */
  reachesNetwork?: boolean
  /** Why a person has to be asked, whatever is allowed. */
  alwaysAsks?: string | undefined
  /** The tool itself says that this call needs nobody's approval. */
  isWaived?: boolean
  /** Whether the agent itself has read both files of the workspace and untrusted content. */
  mixed: boolean
  /** The agent profile's own rule for this tool. */
  profileRule?: Verdict | undefined
}

export type Verdict = 'allow' | 'ask' | 'deny'

export interface PolicyAnswer {
  decision: Verdict
  /** Which rule spoke. */
  rule: string
  reason: string
  /** Every rule that said so. */
  rules: readonly string[]
}

/** What one layer or rule says. */
type Voice = Omit<PolicyAnswer, 'rules'>

export interface PolicyLayers {
  /** Bounds everyone; a rule of it can only tighten. */
  managed: SvcConfig['policy'] | undefined
  /** What an untrusted folder says; it can only tighten, too. Default nothing. */
  folder?: SvcConfig['policy'] | undefined
  config: SvcConfig['policy'] | undefined
  options: Pick<RunOptions, 'tools' | 'approval'>
  workspace: string
  /** True where a run only plans: nothing above risk read is called. */
  readOnly: boolean
}

export const MANAGED = 'managed policy'
/** How the rule begins that holds where nobody has made one. */
export const BY_RISK_RULE = 'risk:'
/** The rule of a call that a person has to be asked about, whatever is allowed. */
export const ALWAYS_ASKS = 'always-asks'
/** The rule of what a tool itself says of the approval of a call. */
export const NEEDS_APPROVAL = 'needs-approval'

export const STRICTNESS: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 }
const BY_RISK: Readonly<Record<ToolRisk, Verdict>> = {
  read: 'allow',
  write: 'ask',
  network: 'ask',
  execute: 'ask',
  destructive: 'deny',
}
/** Nobody pastes a longer rule. */
const MAX_RULE_CHARS = 500
/** Risks that can carry something out of the house or act on it. */
const ACTING: ReadonlySet<ToolRisk> = new Set<ToolRisk>(['network', 'execute', 'destructive'])

/** Decides about tool calls: deny before ask before allow, the strictest layer wins. The model has no say. */
export class Policy {
  readonly #layers: PolicyLayers

  constructor(layers: PolicyLayers) {
    this.#layers = { ...layers, workspace: resolve(layers.workspace) }
  }

  decide(question: PolicyQuestion): PolicyAnswer {
    const { tool, risk, taint, alwaysAsks, profileRule, reachesNetwork = risk === 'network' } = question
    const { allow, deny } = this.#layers.options.tools ?? {}
    if (deny?.some((pattern) => matchesGlob(pattern, tool)) === true) return no('tools.deny', `the run denies ${tool}`)
    if (allow !== undefined && !allow.some((pattern) => matchesGlob(pattern, tool))) {
      return no('tools.allow', `the run allows only ${allow.join(', ') || 'no tool'}`)
    }
    if (this.#layers.readOnly && risk !== 'read')
      return no('mode:plan', `this run only plans: it calls tools of risk read, and ${tool} is ${risk}`)
    if (reachesNetwork && hasMixed(question)) {
      return no(
        'lethal-trifecta',
        `${tool} would let an agent that has read files of the workspace and untrusted content (${taint.join(', ')}) send data out`,
      )
    }
    return strictest([
      ...(alwaysAsks === undefined ? [] : [{ decision: 'ask', rule: ALWAYS_ASKS, reason: alwaysAsks } as const]),
      ...this.#byConfig(question),
      ...this.#byBound(question, this.#layers.managed, MANAGED),
      ...this.#byBound(question, this.#layers.folder, "the untrusted folder's policy"),
      ...(profileRule === undefined
        ? []
        : [{ decision: profileRule, rule: 'agent.toolPolicy', reason: `the agent's profile says ${profileRule}` }]),
      ...(actsOnTaint(question)
        ? [
            {
              decision: 'ask',
              rule: 'taint',
              reason: `the agent has read untrusted content: ${taint.join(', ')}`,
            } as const,
          ]
        : []),
    ])
  }

  /**
   * The paths that a call may not touch, for a tool that cannot ask about each: those of rules that deny, and of rules that
   * ask, but for what a person has approved under its name.
   */
  closedPaths(call: RuledCall, isApproved: boolean): ClosedPaths {
    const { workspace } = this.#layers
    const named = isApproved ? namedBy(call) : []
    const globs = this.#rules.flatMap(({ paths = [], ...rule }) => {
      if (rule.decision === 'allow' || !applies(rule, call, workspace)) return []
      if (rule.decision === 'deny') return paths
      return paths.filter((glob) => !named.some((path) => isWithin(glob, path, workspace)))
    })
    return { globs, has: (path) => globs.some((glob) => isWithin(glob, path, workspace)) }
  }

  /** Whether rules about a tool tell one path, or one host, from another. */
  tellsApart(tool: string, kind: 'paths' | 'hosts'): boolean {
    return this.#rules.some((rule) => rule[kind] !== undefined && matchesGlob(rule.tool, tool))
  }

  /**
   * The narrowest rule that would have let a call pass without a question: for its command, else its paths and hosts, else
   * the tool as a whole.
   *
   * @returns undefined where no rule would, as where another rule denies, or the agent has read untrusted content; and
   *   where it would allow far more than the call, as of a script, or of a tool that does not say what it touches
   */
  ruleFor(question: PolicyQuestion): PolicyRule | undefined {
    const { tool, args, touched } = question
    const { command, paths = [], hosts = [] } = touched ?? {}
    if (typeof command === 'string' || (touched === undefined && textsOf(args).length > 0)) return undefined
    const rule: PolicyRule = { tool, decision: 'allow' }
    if (command !== undefined && command.length > 0) rule.command = [...command]
    else {
      if (paths.length > 0) rule.paths = [...paths]
      if (hosts.length > 0) rule.hosts = [...new Set(hosts.map((text) => toHost(text) ?? text))]
    }
    if (paths.some((path) => path.includes('*')) || JSON.stringify(rule).length > MAX_RULE_CHARS) return undefined
    return this.with([rule]).decide(question).decision === 'allow' ? rule : undefined
  }

  /** The same with more rules in the config. */
  with(rules: readonly PolicyRule[]): Policy {
    const { config } = this.#layers
    return new Policy({ ...this.#layers, config: { ...config, rules: [...(config?.rules ?? []), ...rules] } })
  }

  /** The folder that tools are confined to. */
  get workspace(): string {
    return this.#layers.workspace
  }

  /** Rules before the default; but one that asks, which any folder may add, lifts nothing that risk denies. */
  #byConfig(question: PolicyQuestion): Voice[] {
    const answers = this.#byRules(question, this.#layers.config?.rules, 'policy.rules')
    const byDefault = this.#byDefault(question)
    const loosened = answers.some(({ decision }) => decision === 'allow')
    if (BY_RISK[question.risk] === 'deny' && !loosened) return [...answers, byDefault]
    return answers.length > 0 ? answers : [byDefault]
  }

  /** What a policy that only tightens says of a call; its default is not about reading. */
  #byBound(question: PolicyQuestion, bound: SvcConfig['policy'], layer: string): Voice[] {
    const answers = this.#byRules(question, bound?.rules, layer)
    if (answers.length > 0 || bound?.default === undefined || question.risk === 'read') return answers
    return [{ decision: bound.default, rule: layer, reason: `${question.risk} tools: ${bound.default}` }]
  }

  /** The rules of every layer. */
  get #rules(): PolicyRule[] {
    const { config, managed, folder } = this.#layers
    return [config, managed, folder].flatMap((layer) => layer?.rules ?? [])
  }

  #byDefault({ tool, risk, isWaived = false }: PolicyQuestion): Voice {
    const set = this.#layers.config?.default
    const decision = decideByDefault(risk, set)
    if (isWaived && set === undefined && decision === 'ask')
      return { decision: 'allow', rule: NEEDS_APPROVAL, reason: `${tool} says that this call needs no approval` }
    return {
      decision,
      rule: set === undefined ? `${BY_RISK_RULE}${risk}` : 'policy.default',
      reason: `${risk} tools: ${decision}`,
    }
  }

  #byRules(question: PolicyQuestion, rules: readonly PolicyRule[] | undefined, layer: string): Voice[] {
    return (rules ?? [])
      .map((rule, index) => ({ rule, index }))
      .filter(({ rule }) => applies(rule, question, this.#layers.workspace))
      .map(({ rule, index }) => ({
        decision: rule.decision,
        rule: `${layer}[${index}]`,
        reason: `rule for ${rule.tool}: ${rule.decision}`,
      }))
  }
}

/** What holds for a tool that no rule is about. @param set the config's default */
export function decideByDefault(risk: ToolRisk, set: Verdict | undefined): Verdict {
  const byRisk = BY_RISK[risk]
  if (set === undefined || byRisk === 'deny') return byRisk
  return risk === 'read' && set !== 'deny' ? 'allow' : set
}

const no = (rule: string, reason: string): PolicyAnswer => ({ decision: 'deny', rule, reason, rules: [rule] })

function strictest(voices: readonly Voice[]): PolicyAnswer {
  const first = voices.reduce((a, b) => (STRICTNESS[b.decision] > STRICTNESS[a.decision] ? b : a))
  const same = voices.filter(({ decision }) => decision === first.decision)
  return { ...first, rules: same.map(({ rule }) => rule) }
}

/** The words of a call that a person saw. */
function namedBy({ args, touched }: RuledCall): string[] {
  if (touched === undefined) return textsOf(args)
  return [...(touched.paths ?? []), ...[touched.command ?? []].flat()]
}

function hasMixed({ mixed }: PolicyQuestion): boolean {
  return mixed
}

function actsOnTaint({ taint, risk }: PolicyQuestion): boolean {
  return taint.length > 0 && ACTING.has(risk)
}
