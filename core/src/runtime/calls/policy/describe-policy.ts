import type { ManagedConfig, SvcConfig, Tightening } from '../../../contracts/config.ts'
import type { PolicyInForce } from '../../../contracts/runtime/runtime.ts'
import type { ToolRisk } from '../../../contracts/words.ts'
import { redact } from '../../../support/secrets.ts'
import { decideByDefault, STRICTNESS, type Verdict } from './policy.ts'

/** Where rules come from, and the folder that tools are confined to. */
interface Sources {
  readonly config: SvcConfig
  /** Which file or layer each value of the config came from, by JSON pointer. */
  readonly origin: Readonly<Record<string, string>>
  readonly managed: ManagedConfig | undefined
  readonly tightening: Tightening | undefined
  readonly workspace: string
}

/** The rules that tool calls of every run are held against, and which source each came from. */
export function describePolicy({ config, origin, managed, tightening, workspace }: Sources): PolicyInForce {
  const sources = [
    { policy: config.policy, sourceOf: (field: string) => origin[`/policy/${field}`] ?? GIVEN },
    { policy: managed?.policy, sourceOf: () => 'managed' },
    { policy: tightening?.policy, sourceOf: () => tightening?.source ?? GIVEN },
  ]
  const defaults = sources.flatMap(({ policy, sourceOf }) =>
    policy?.default === undefined ? [] : [{ decision: policy.default, source: sourceOf('default') }],
  )
  const [strictest] = defaults.sort((a, b) => STRICTNESS[b.decision] - STRICTNESS[a.decision])
  const sandbox = config.policy?.sandbox
  return {
    ...(strictest && { default: strictest.decision, defaultSource: strictest.source }),
    rules: sources.flatMap(({ policy, sourceOf }) =>
      (policy?.rules ?? []).map((rule, index) => ({
        rule: redact(rule) as typeof rule,
        source: sourceOf(`rules/${index}`),
      })),
    ),
    builtIn: describeBuiltIn(config.policy?.default, strictest?.decision),
    ...(sandbox && { sandbox }),
    root: workspace,
  }
}

/** Of a config that was not read from files. */
const GIVEN = 'given by the program'

const RISKS: readonly ToolRisk[] = ['read', 'write', 'network', 'execute', 'destructive']

/** What holds where no rule speaks, and beside every rule. */
function describeBuiltIn(set: Verdict | undefined, bound: Verdict | undefined): string[] {
  const byRisk = RISKS.map((risk) => {
    const decision = decideByDefault(risk, set)
    const isBound = bound !== undefined && risk !== 'read' && STRICTNESS[bound] > STRICTNESS[decision]
    return `tools of risk ${risk}: ${isBound ? bound : decision}, where no rule is about the call`
  })
  return [
    ...byRisk,
    'a tool of risk network, execute or destructive: ask, once the agent has read untrusted content',
    'a call that can send data out: deny, once the agent has read both files of the workspace and untrusted content',
    'a call that its tool wants asked about: ask, whatever is allowed',
  ]
}
