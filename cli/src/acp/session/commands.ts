import type { AvailableCommand } from '@agentclientprotocol/sdk'
import type { LoadedConfig, RunCreate } from '@svc/core'
import { toSafeLine } from '../../frame/io.ts'
import { commandSources, expandCommand } from '../../input/slash-commands.ts'
import { didYouMean, wrong } from '../../line/wrong.ts'
import { withServers } from '../../mcp/task-parts.ts'
import type { StartedSession } from './start-session.ts'

/** Commands of a session itself; they go before others of the same name. */
const OWN: readonly AvailableCommand[] = [
  { name: 'plan', description: 'show the plan of a task without running it', input: { hint: 'task' } },
  { name: 'undo', description: 'put the files that the last turn changed back as they were' },
  { name: 'resume', description: 'go on with a turn that was cut off' },
  {
    name: 'compact',
    description: 'sum the conversation up, and go on from that; what was said stays readable',
    input: { hint: 'what matters most' },
  },
]

/** What a person may begin a prompt with, after a slash. */
export async function listCommands(loaded: LoadedConfig): Promise<AvailableCommand[]> {
  const lists = await Promise.all(commandSources({ loaded }).map((source) => source.list()))
  const names = new Set(OWN.map(({ name }) => name))
  const others = lists.flat().flatMap(({ name, description = '', argumentHint = '' }): AvailableCommand[] => {
    if (names.has(name)) return []
    names.add(name)
    const hint = argumentHint === '' ? {} : { input: { hint: toSafeLine(argumentHint) } }
    return [{ name, description: toSafeLine(description) || `the command ${name} of this folder`, ...hint }]
  })
  return [...OWN, ...others]
}

/**
 * The request that one stands for whose task may call a command, or name something of an MCP server.
 *
 * @param called the command that the task begins with; with a `:` it may be a prompt of a server
 * @throws ValidationError `validation_failed` for a command that there is not
 */
export async function expandRequest(
  request: RunCreate,
  called: string | undefined,
  { loaded, context }: StartedSession,
): Promise<RunCreate> {
  const expanded = await expandCommand(request, commandSources({ loaded }))
  if (expanded === undefined && called !== undefined && !called.includes(':')) {
    const known = (await listCommands(loaded)).map(({ name }) => `/${name}`)
    throw wrong(`there is no /${called}${didYouMean(`/${called}`, known, `: there are ${known.join(', ')}`)}`)
  }
  return withServers(context, loaded, expanded ?? request)
}
