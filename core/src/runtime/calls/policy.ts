import { resolve, sep } from 'node:path'
import type { PolicyRule, SvcConfig } from '../../contracts/config.ts'
import type { RunOptions } from '../../contracts/run.ts'
import type { ToolRisk } from '../../contracts/words.ts'

/** A tool call as the policy looks at it. */
export interface PolicyQuestion {
  tool: string
  args: unknown
  risk: ToolRisk
  /** Untrusted content that reached the agent, through itself or another. */
  taint: readonly string[]
  /** Whether the call can send data out, whatever its risk. Default: where the risk is network. */
  reachesNetwork?: boolean
  /** Why a person has to be asked, whatever is allowed. */
  alwaysAsks?: string | undefined
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
}

export interface PolicyLayers {
  /** Bounds everyone; a rule of it can only tighten. */
  managed: SvcConfig['policy'] | undefined
  /** What an untrusted folder says; it can only tighten, too. Default nothing. */
  folder?: SvcConfig['policy'] | undefined
  config: SvcConfig['policy'] | undefined
  options: Pick<RunOptions, 'tools' | 'approval'>
  workspace: string
  /** True where only a plan is made: nothing above risk read is called. */
  readOnly: boolean
}

/** The rule of a call that a person has to be asked about, whatever is allowed. */
export const ALWAYS_ASKS = 'always-asks'

const STRICTNESS: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 }
const BY_RISK: Readonly<Record<ToolRisk, Verdict>> = {
  read: 'allow',
  write: 'ask',
  network: 'ask',
  execute: 'ask',
  destructive: 'deny',
}
/** Risks that can carry something out of the house or act on it. */
const ACTING: ReadonlySet<ToolRisk> = new Set<ToolRisk>(['network', 'execute', 'destructive'])

/** Decides about tool calls: deny before ask before allow, the strictest layer wins. The model has no say. */
export class Policy {
  readonly #layers: PolicyLayers

  constructor(layers: PolicyLayers) {
    this.#layers = layers
  }

  decide(question: PolicyQuestion): PolicyAnswer {
    const { tool, risk, taint, mixed, alwaysAsks, reachesNetwork = risk === 'network' } = question
    const { allow, deny } = this.#layers.options.tools ?? {}
    if (deny?.some((pattern) => matchesGlob(pattern, tool)) === true) return no('tools.deny', `the run denies ${tool}`)
    if (allow !== undefined && !allow.some((pattern) => matchesGlob(pattern, tool))) {
      return no('tools.allow', `the run allows only ${allow.join(', ') || 'no tool'}`)
    }
    if (this.#layers.readOnly && risk !== 'read')
      return no('mode:plan', `a plan calls only tools of risk read, ${tool} is ${risk}`)
    if (reachesNetwork && mixed) {
      return no(
        'lethal-trifecta',
        `${tool} would let an agent that has read files of the workspace and untrusted content (${taint.join(', ')}) send data out`,
      )
    }
    return strictest([
      alwaysAsks === undefined ? undefined : { decision: 'ask', rule: ALWAYS_ASKS, reason: alwaysAsks },
      this.#byConfig(question),
      this.#byBound(question, this.#layers.managed, 'managed policy'),
      this.#byBound(question, this.#layers.folder, "the untrusted folder's policy"),
      question.profileRule === undefined
        ? undefined
        : {
            decision: question.profileRule,
            rule: 'agent.toolPolicy',
            reason: `the agent's profile says ${question.profileRule}`,
          },
      taint.length > 0 && ACTING.has(risk)
        ? { decision: 'ask', rule: 'taint', reason: `the agent has read untrusted content: ${taint.join(', ')}` }
        : undefined,
    ])
  }

  /**
   * The narrowest rule that would have let a call pass without a question: for its command, else its paths and hosts, else
   * the tool as a whole.
   *
   * @returns undefined where no rule would, as where another rule denies, or the agent has read untrusted content; and
   *   where it would allow far more than the call, as of a script
   */
  ruleFor(question: PolicyQuestion): PolicyRule | undefined {
    const { tool, args } = question
    if (['command', 'script'].some((name) => typeof fieldsOf(args)[name] === 'string')) return undefined
    const rule: PolicyRule = { tool, decision: 'allow' }
    const command = commandOf(args, 'allow').filter((word) => typeof word === 'string')
    const paths = [...new Set(textsOf(args, (name) => PATH_NAME.test(name)))]
    const hosts = [...new Set(hostsOf(args))]
    if (command.length > 0) rule.command = command
    else {
      if (paths.length > 0) rule.paths = paths
      if (hosts.length > 0) rule.hosts = hosts
    }
    if (paths.some((path) => path.includes('*')) || JSON.stringify(rule).length > MAX_RULE_CHARS) return undefined
    const { config } = this.#layers
    const layers = { ...this.#layers, config: { ...config, rules: [...(config?.rules ?? []), rule] } }
    return new Policy(layers).decide(question).decision === 'allow' ? rule : undefined
  }

  /** Rules before the default; but one that asks, which any folder may add, lifts nothing that risk denies. */
  #byConfig(question: PolicyQuestion): PolicyAnswer {
    const answers = this.#byRules(question, this.#layers.config?.rules, 'policy.rules')
    const byDefault = this.#byDefault(question.risk)
    const loosened = answers.some(({ decision }) => decision === 'allow')
    if (BY_RISK[question.risk] === 'deny' && !loosened) return strictest([...answers, byDefault])
    return strictestOf(answers) ?? byDefault
  }

  /** What a policy that only tightens says of a call; its default is not about reading. */
  #byBound(question: PolicyQuestion, bound: SvcConfig['policy'], layer: string): PolicyAnswer | undefined {
    const answers = this.#byRules(question, bound?.rules, layer)
    if (answers.length > 0) return strictest(answers)
    const { risk } = question
    if (bound?.default === undefined || risk === 'read') return undefined
    return { decision: bound.default, rule: layer, reason: `${risk} tools: ${bound.default}` }
  }

  #byDefault(risk: ToolRisk): PolicyAnswer {
    const byRisk = BY_RISK[risk]
    const set = this.#layers.config?.default
    const decision = set === undefined || byRisk === 'deny' ? byRisk : risk === 'read' && set !== 'deny' ? 'allow' : set
    return {
      decision,
      rule: set === undefined ? `risk:${risk}` : 'policy.default',
      reason: `${risk} tools: ${decision}`,
    }
  }

  #byRules(question: PolicyQuestion, rules: readonly PolicyRule[] | undefined, layer: string): PolicyAnswer[] {
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

const no = (rule: string, reason: string): PolicyAnswer => ({ decision: 'deny', rule, reason })

function strictest(answers: readonly (PolicyAnswer | undefined)[]): PolicyAnswer {
  const given = answers.filter((answer) => answer !== undefined)
  return given.reduce((a, b) => (STRICTNESS[b.decision] > STRICTNESS[a.decision] ? b : a))
}

const strictestOf = (answers: readonly PolicyAnswer[]): PolicyAnswer | undefined =>
  answers.length === 0 ? undefined : strictest(answers)

function applies(rule: PolicyRule, { tool, args }: PolicyQuestion, workspace: string): boolean {
  if (!matchesGlob(rule.tool, tool)) return false
  const { paths, hosts, command } = rule
  // What is allowed has to lie wholly within the rule; what is forbidden need only touch it, whatever the argument is called.
  const isMet = (values: readonly string[], matches: (value: string) => boolean): boolean =>
    rule.decision === 'allow' ? values.length > 0 && values.every(matches) : values.some(matches)
  if (paths !== undefined) {
    const named = rule.decision === 'allow' ? (name: string) => PATH_NAME.test(name) : () => true
    const values = textsOf(args, named).filter(canBePath)
    if (!isMet(values, (path) => paths.some((glob) => matchesPath(glob, path, workspace)))) return false
  }
  if (hosts !== undefined && !isMet(hostsOf(args), (host) => hosts.some((glob) => matchesHost(glob, host))))
    return false
  if (command !== undefined) {
    const called = commandOf(args, rule.decision)
    if (called.length === 0 && rule.decision === 'allow') return false
    if (!command.every((word, index) => called[index] === word)) return false
  }
  return true
}

/** Arguments that an allow rule takes for paths; one that forbids looks at every text. */
const PATH_NAME = /path|file|folder|dir|source|target|dest/i
const MAX_PATH_CHARS = 4_096
/** Nobody pastes a longer rule. */
const MAX_RULE_CHARS = 500

const canBePath = (text: string): boolean => text.length <= MAX_PATH_CHARS && !text.includes('\n')

const fieldsOf = (args: unknown): Record<string, unknown> =>
  typeof args === 'object' && args !== null ? (args as Record<string, unknown>) : {}

/** Every text in the arguments, at any depth, under a field whose name is wanted. */
function textsOf(value: unknown, isWanted: (name: string) => boolean, name = '', wanted = false): string[] {
  if (typeof value === 'string') return wanted ? [value] : []
  if (Array.isArray(value)) return value.flatMap((item) => textsOf(item, isWanted, name, wanted))
  return Object.entries(fieldsOf(value)).flatMap(([key, item]) => textsOf(item, isWanted, key, wanted || isWanted(key)))
}

function hostsOf(args: unknown): string[] {
  const urls = textsOf(args, () => true).filter((text) => URL.canParse(text))
  return urls.map((url) => new URL(url).hostname.replace(/\.$/, ''))
}

/** Program and arguments of a call. A text may hold more commands than its first words say, so that no text is allowed by them. */
function commandOf(args: unknown, decision: Verdict): unknown[] {
  const { command } = fieldsOf(args)
  if (Array.isArray(command)) return command
  return typeof command === 'string' && decision !== 'allow' ? command.trim().split(/\s+/) : []
}

function matchesPath(glob: string, path: string, workspace: string): boolean {
  const absolute = resolve(workspace, path)
  const relative = absolute.startsWith(workspace + sep) ? absolute.slice(workspace.length + 1) : absolute
  return matchesGlob(glob, relative) || matchesGlob(glob, absolute)
}

const matchesHost = (glob: string, host: string): boolean =>
  glob.startsWith('*.') ? host.endsWith(glob.slice(1)) || host === glob.slice(2) : host === glob

/** Whether a text matches a pattern in which `*` stands for any run of characters. Linear in the text for each `*`. */
export function matchesGlob(pattern: string, text: string): boolean {
  if (!pattern.includes('*')) return pattern === text
  const [head = '', ...rest] = pattern.split(/\*+/)
  if (!text.startsWith(head)) return false
  const tail = rest.pop() ?? ''
  let at = head.length
  for (const part of rest) {
    const foundAt = text.indexOf(part, at)
    if (foundAt === -1) return false
    at = foundAt + part.length
  }
  return text.length - tail.length >= at && text.endsWith(tail)
}
