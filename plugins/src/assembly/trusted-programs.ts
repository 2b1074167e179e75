import { createHash } from 'node:crypto'
import { basename, relative, resolve } from 'node:path'
import type { LoadedConfig, McpServerConfig, ToolConfig } from '@svc/core'
import { checkTrust, defaultUserDir, PROJECT_MCP_FILE, programsOf, readRegularFile, toPointer } from '@svc/core/config'
import type { TrustedPrograms } from '../tools/configured/from-config.ts'
import { unifiedDiff } from '../tools/files/line-diff.ts'
import { isInside } from '../tools/files/workspace.ts'

const MOST_BYTES = 256 << 20
/** Of a longer file the difference is not shown. */
const MOST_SHOWN = 1_000_000

interface Program {
  readonly hash: string
  /** Undefined: it is no text, or too long. */
  readonly text: string | undefined
}

/**
 * Compares what the commands of tools run with what it was: by the record of trust for a tool of a project that has one, else
 * as the runtime found it when it was made.
 */
export function createTrustedPrograms(
  loaded: LoadedConfig,
  workspace: string,
  env: Readonly<Record<string, string | undefined>>,
): (config: Pick<ToolConfig, 'command'>, source: string) => TrustedPrograms | undefined {
  const folder = resolve(workspace)
  const trust = () => checkTrust(loaded.workspace, { userDir: defaultUserDir(env) })
  let atFirst: ReturnType<typeof trust> | undefined
  return ({ command }, source) => {
    if (command === undefined) return undefined
    const isOfProject = isOfProjectFile(loaded, source)
    if (isOfProject) atFirst ??= trust()
    const record = isOfProject && atFirst?.state !== 'unknown' ? atFirst?.loadable : undefined
    const known = new Map<string, Program>()
    const found = programsOf(command, folder).map((path) => [path, read(path)] as const)
    for (const [path, program] of found)
      if (record === undefined || record.get(path) === program.hash) known.set(path, program)
    const unseen = new Set(found.flatMap(([path]) => (known.has(path) ? [] : [path])))
    /** Those that are not as they were, unless the person trusted them since. */
    const findChanged = (): [path: string, now: Program][] => {
      const now = programsOf(command, folder).map((path): [string, Program] => [path, read(path)])
      const changed = now.filter(([path, { hash }]) => known.get(path)?.hash !== hash)
      if (changed.length === 0 || !isOfProject) return changed
      const { state, loadable } = trust()
      if (state !== 'trusted') return changed
      const again = changed.filter(([path, { hash }]) => loadable.get(path) === hash)
      for (const [path, program] of again) known.set(path, program)
      return changed.filter((one) => !again.includes(one))
    }
    const nameOf = (path: string): string => relative(folder, path)
    return {
      whyChanged() {
        const changed = findChanged()
        if (changed.length === 0) return undefined
        const names = changed.map(([path]) => nameOf(path)).join(', ')
        const how = changed.every(([path]) => unseen.has(path))
          ? 'was not seen when this folder was trusted'
          : 'changed since it was trusted'
        return `${names}, which its command runs, ${how}: svc trust ${names.replaceAll(',', '')} covers it`
      },
      async preview(args) {
        const changed = findChanged()
        if (changed.length === 0) return ''
        const shown = changed.map(async ([path, { text }]) => {
          const before = known.get(path)?.text
          return text === undefined || (before === undefined && known.has(path))
            ? `${nameOf(path)} changed, and is no text that can be shown`
            : unifiedDiff(nameOf(path), before, text)
        })
        return [JSON.stringify(args), ...(await Promise.all(shown))].join('\n\n')
      },
    }
  }
}

const isOfProjectFile = ({ projectDir }: LoadedConfig, source: string): boolean =>
  basename(source) === PROJECT_MCP_FILE || (projectDir !== undefined && isInside(projectDir, source))

/**
 * Why a server of a project is not started: what its command runs is not what it was. A person's own server runs what the
 * person changes.
 *
 * @returns made for a server once; says why by then, or undefined
 */
export function createServerCheck(
  loaded: LoadedConfig,
  workspace: string,
  env: Readonly<Record<string, string | undefined>>,
): (name: string, config: McpServerConfig) => (() => string | undefined) | undefined {
  return (name, { command, args = [], cwd = '' }) => {
    const pointer = `${toPointer('/mcpServers', name)}/`
    const source = Object.entries(loaded.origin).find(([key]) => key.startsWith(pointer))?.[1] ?? ''
    if (command === undefined || !isOfProjectFile(loaded, source)) return undefined
    const programs = createTrustedPrograms(loaded, resolve(workspace, cwd), env)
    return programs({ command: [command, ...args] }, source)?.whyChanged
  }
}

function read(path: string): Program {
  const found = readRegularFile(path, MOST_BYTES)
  if (!('bytes' in found)) return { hash: found.problem, text: undefined }
  const { bytes } = found
  const isText = bytes.length <= MOST_SHOWN && !bytes.includes(0)
  return { hash: createHash('sha256').update(bytes).digest('hex'), text: isText ? bytes.toString('utf8') : undefined }
}
