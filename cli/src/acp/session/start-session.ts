import { statSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import type { McpServer } from '@agentclientprotocol/sdk'
import { secretsOfConfig } from '@svc/core'
import type { EditorFiles } from '@svc/plugins'
import { type CommandContext, createContext } from '../../frame/context.ts'
import { toSafe } from '../../frame/io.ts'
import { wrong } from '../../line/wrong.ts'
import { loadOwn, type OwnStarted, startOwn } from '../../session/start-own.ts'
import { withEditorServers } from './servers.ts'

/** How long a runtime that is closed waits for what is at work. */
const DRAIN_MS = 2_000

/** What an editor says of a session that is opened. */
export interface SessionPlace {
  cwd: string
  mcpServers: readonly McpServer[]
}

/** A runtime of one session. */
export interface StartedSession extends OwnStarted {
  context: CommandContext
  /** What the person should know before the first answer. */
  notices: string[]
}

/** @throws ValidationError `validation_failed` for a folder that cannot be worked in */
export function checkFolder(cwd: string): void {
  if (!isAbsolute(cwd) || cwd.includes('\0'))
    throw wrong(`cwd must be an absolute path, not ${JSON.stringify(cwd.slice(0, 200))}`, 'cwd')
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    throw wrong(`cwd ${JSON.stringify(cwd.slice(0, 200))} is not a folder that is there`, 'cwd')
}

/**
 * Reads the config of the session's folder, and starts a runtime over it. Nobody is asked to trust the folder: what is left out
 * for that is said.
 *
 * @throws SvcError for a folder or a config that cannot be used
 */
export async function startSession(
  { flags, io }: CommandContext,
  { cwd, mcpServers }: SessionPlace,
  editor: EditorFiles | undefined,
): Promise<StartedSession> {
  checkFolder(cwd)
  const notices: string[] = []
  const warn = (message: string): void => {
    if (notices.includes(message)) return
    notices.push(message)
    io.err(toSafe(`svc: ${message}\n`))
  }
  const own = { ...flags, cwd, quiet: true, output: 'json' as const }
  const loaded = withEditorServers(await loadOwn(own, io, warn), mcpServers)
  io.hide(secretsOfConfig(loaded.config, { ...loaded.variables, ...io.env }))
  const options = { claims: 'own' as const, drainMs: DRAIN_MS, ...(editor && { editor }) }
  const started = await startOwn(loaded, own, io, warn, options)
  for (const { message } of (await started.runtime.health()).warnings) warn(message)
  return { ...started, context: createContext(own, io, undefined), notices }
}
