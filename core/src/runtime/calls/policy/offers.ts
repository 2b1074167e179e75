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
  const paths = folderOf(policy.workspace, touched)
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

/** All that lies in the folder of the paths of a call, as an absolute glob: a rule of a person holds in every folder. */
function folderOf(workspace: string, { paths = [], command }: Touched): string[] | undefined {
  if (paths.length === 0 || command !== undefined) return undefined
  const folders = paths.map((path) => toSlashes(path)).map((path) => (path === '.' ? path : posix.dirname(path)))
  const isOutside = (folder: string): boolean =>
    posix.isAbsolute(folder) || /^[A-Za-z]:/.test(folder) || folder.split('/').includes('..')
  const root = toSlashes(workspace)
  // A `*` would be more than the name that has it.
  if ([root, ...folders].some((text) => text.includes('*')) || folders.some(isOutside)) return undefined
  const [first = '.', ...others] = folders.map((folder) => posix.normalize(folder))
  const shared = others.reduce(commonFolder, first)
  const folder = posix.join(root, shared)
  return folder === '/' || /^[A-Za-z]:\/?$/.test(folder) ? undefined : [`${folder}/**`]
}

function commonFolder(one: string, other: string): string {
  const [words, others] = [one.split('/'), other.split('/')]
  const end = words.findIndex((word, index) => word !== others[index])
  return (end < 0 ? words : words.slice(0, end)).join('/') || '.'
}

const toSlashes = (path: string): string => (sep === '/' ? path : path.replaceAll(sep, '/'))
