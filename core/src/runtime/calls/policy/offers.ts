import { posix, sep } from 'node:path'
import type { PolicyRule } from '../../../contracts/policy-rule.ts'
import type { GrantOffer } from '../../../contracts/run/approval.ts'
import type { Touched } from '../../../contracts/tool/tool.ts'
import { commandPrefix } from './command-prefix.ts'
import { toHost } from './match-rule.ts'
import type { Policy, PolicyQuestion } from './policy.ts'

/** Nobody reads a longer rule. */
const MAX_RULE_CHARS = 500

/**
 * What a person may allow beyond a call that they are asked about, the narrowest first. Only what would have let the call pass
 * as a rule of the config: so nothing where another rule asks or denies, or the agent has read untrusted content.
 */
export function offersFor(policy: Policy, question: PolicyQuestion): GrantOffer[] {
  const { tool, touched = {} } = question
  if (tool.includes('*')) return []
  const allow = { tool, decision: 'allow' } as const
  const command = commandPrefix(touched.command)
  const paths = foldersOf(policy.workspace, touched)
  const hosts = touched.hosts?.length ? [...new Set(touched.hosts.map((text) => toHost(text) ?? text))] : undefined
  const offers: [GrantOffer['scope'], PolicyRule | undefined][] = [
    ['prefix', command && { ...allow, command }],
    ['folder', paths && { ...allow, paths, ...(hosts && { hosts }) }],
    // A tool that runs any program is not allowed as a whole, nor one for all hosts.
    ['tool', touched.command === undefined ? { ...allow, ...(hosts && { hosts }) } : undefined],
  ]
  return offers.flatMap(([scope, rule]) =>
    rule !== undefined &&
    JSON.stringify(rule).length <= MAX_RULE_CHARS &&
    policy.with([rule]).decide(question).decision === 'allow'
      ? [{ scope, rule }]
      : [],
  )
}

/** All that lies in the folders of the paths of a call, as absolute globs: a rule of a person holds in every folder. */
function foldersOf(workspace: string, { paths = [], command }: Touched): string[] | undefined {
  const root = toSlashes(workspace)
  const folders = paths.map((path) => posix.normalize(path === '.' ? path : posix.dirname(toSlashes(path))))
  const isOutside = (folder: string): boolean => /^(?:\/|~|[A-Za-z]:|\.\.(?:\/|$))/.test(folder)
  // A `*` would be more than the name that has it.
  const isUnclear = [root, ...folders].some((text) => text.includes('*'))
  if (paths.length === 0 || command !== undefined || isUnclear || folders.some(isOutside)) return undefined
  const places = [...new Set(folders)].map((folder) => posix.join(root, folder))
  return places.some((place) => /^(?:[A-Za-z]:)?\/?$/.test(place)) ? undefined : places.map((place) => `${place}/**`)
}

const toSlashes = (path: string): string => (sep === '/' ? path : path.replaceAll(sep, '/'))
