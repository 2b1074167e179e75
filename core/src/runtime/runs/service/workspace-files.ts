import type { RunCreate } from '../../../contracts/run/run.ts'
import type { ToolContext } from '../../../contracts/tool/tool.ts'
import { type FileNames, FileQuery } from '../../../contracts/tool/workspace-files.ts'
import { PolicyError, ValidationError } from '../../../errors.ts'
import { parse } from '../../../validate.ts'
import { Policy, type Verdict } from '../../calls/policy/policy.ts'
import type { Environment } from '../../environment.ts'

/**
 * A request with the files that it names in its context.
 *
 * @throws as `WorkspaceFiles.attach`
 */
export async function withFiles(env: Environment, create: RunCreate): Promise<RunCreate> {
  const { files = [], context } = create
  if (files.length === 0) return create
  if (env.files === undefined) {
    const message = 'cannot be read: this runtime has no workspace, put them into /context'
    throw new ValidationError('validation_failed', `run: /files ${message}`, { errors: [{ path: '/files', message }] })
  }
  const attached = await env.files.attach(files, context, checkFor(env, ['read_file']))
  return attached === undefined ? create : { ...create, context: attached }
}

/** Files whose name or path begins with a text come before those that hold it elsewhere; among them the short ones. */
export async function findFiles(env: Environment, query: FileQuery = {}): Promise<FileNames> {
  const { q = '', limit = 20 } = parse(FileQuery, query, 'files')
  const wanted = q.toLowerCase()
  const names = (await env.files?.list(checkFor(env, ['list_files', 'read_file']))) ?? []
  const found = names.flatMap((name) => {
    const path = name.toLowerCase()
    const at = path.indexOf(wanted)
    if (at === -1) return []
    const isPrefix = at === 0 || path.startsWith(wanted, path.lastIndexOf('/') + 1)
    return [{ name, rank: isPrefix ? 0 : 1 }]
  })
  if (wanted !== '')
    found.sort((a, b) => a.rank - b.rank || a.name.length - b.name.length || (a.name < b.name ? -1 : 1))
  return { data: found.slice(0, limit).map(({ name }) => name), hasMore: found.length > limit }
}

/**
 * What the policy says to a path, as it would to a tool. Nobody is there to be asked: what has to be asked for is refused.
 * What the run says of tools is about its agents.
 */
function checkFor(
  { managed, tightening, config, workspace }: Environment,
  tools: readonly string[],
): NonNullable<ToolContext['check']> {
  const policy = new Policy({
    managed: managed?.policy,
    folder: tightening?.policy,
    config: config.policy,
    options: {},
    workspace,
    readOnly: true,
  })
  const decide = (tool: string, path: string) =>
    policy.decide({ tool, args: { path }, touched: { paths: [path] }, risk: 'read', taint: [], mixed: false })
  const alike = new Map(
    tools.filter((tool) => !policy.tellsApart(tool, 'paths')).map((tool) => [tool, decide(tool, '.')]),
  )
  return (touch) => {
    if (!('path' in touch)) return
    for (const tool of tools) {
      const { decision, reason } = alike.get(tool) ?? decide(tool, touch.path)
      if (isGiven(decision)) continue
      const why = decision === 'ask' ? 'has to be asked for, which only an agent can' : 'is denied'
      throw new PolicyError('policy_denied', `the path ${JSON.stringify(touch.path)} ${why} (${reason})`)
    }
  }
}

function isGiven(decision: Verdict): boolean {
  return decision === 'allow'
}
