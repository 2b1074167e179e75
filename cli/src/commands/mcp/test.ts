import type { ToolRisk } from '@svc/core'
import { defaultUserDir } from '@svc/core/config'
import {
  chooseTools,
  comparePins,
  describeChanges,
  McpPins,
  type McpServer,
  riskOfServerTool,
  type Vetted,
  vetTools,
} from '@svc/plugins'
import type { CommandContext } from '../../frame/context.ts'
import { toSafe } from '../../frame/io.ts'
import { findConfigured } from '../../mcp/configured.ts'
import { withServer } from '../../mcp/open-server.ts'
import { renderTable } from '../../render/table.ts'

/** As with a folder that nobody trusts. */
const NOT_TAKEN = 3

/** `svc mcp test <name>`: what does a server offer, and may its tools be used as they are now? */
export default async function test(context: CommandContext, [name = '']: string[]): Promise<number> {
  const { io } = context
  const loaded = await context.load()
  const found = findConfigured(loaded, name)
  const { config } = found
  return withServer(context, loaded, found, async (server) => {
    const offer = await readOffer(server)
    const vetted = vetTools(config, offer.tools)
    const pins = new McpPins(defaultUserDir(io.env))
    const pinned = pins.read(config)
    const changes = comparePins(pinned ?? [], vetted.tools)
    const isNew = pinned === undefined
    const isChanged = changes.added.length + changes.changed.length > 0
    const state = !isChanged ? 'pinned' : isNew ? 'new' : 'changed'
    const { era, protocolVersion, info } = server
    const offered = chooseTools(config, vetted.tools)
    const tools = offered.tools.map((tool) => ({ ...tool, risk: riskOfServerTool(config, tool.name) }))
    const { resources, prompts } = offer
    context.print({ name, protocolVersion, era, info, tools, resources, prompts, state }, (columns) =>
      render(name, server, tools, offer, columns),
    )
    for (const warning of [...vetted.warnings, ...offered.warnings]) io.err(toSafe(`svc: ${name}: ${warning}\n`))
    if (!isChanged) return 0
    if (!isNew)
      io.show(toSafe(`svc: the tools of ${name} are not what they were:\n${await describeChanges(changes)}\n`))
    if (!(await isTaken(context, isNew))) return isNew ? 0 : NOT_TAKEN
    pins.write(name, config, vetted.tools)
    io.err(`svc: the tools of ${name} are taken as they are now; a change asks again\n`)
    return 0
  })
}

interface Offer {
  tools: Awaited<ReturnType<McpServer['tools']>>
  resources: Awaited<ReturnType<McpServer['resources']>>
  prompts: Awaited<ReturnType<McpServer['prompts']>>
}

async function readOffer(server: McpServer): Promise<Offer> {
  const [tools, resources, prompts] = await Promise.all([server.tools(), server.resources(), server.prompts()])
  return { tools, resources, prompts }
}

/** Nobody is asked without a terminal: a first use takes what it sees anyway, a change is left as it is. */
async function isTaken({ flags, io }: CommandContext, isNew: boolean): Promise<boolean> {
  if (flags.yes) return true
  if (!io.isInteractive) return false
  const { askChoice } = await import('../../ask/prompt.ts')
  const question = isNew ? 'Take these tools as they are now?' : 'Take them as they are now?'
  return (await askChoice(io, question, ['yes', 'no'])) === 'yes'
}

function render(
  name: string,
  { protocolVersion, info }: McpServer,
  tools: readonly (Vetted['tools'][number] & { risk: ToolRisk })[],
  { resources, prompts }: Offer,
  columns: number,
): string {
  const what = [info.name, info.version].filter(Boolean).join(' ')
  const part = (head: readonly string[], rows: readonly (readonly string[])[], none: string): string =>
    rows.length === 0 ? none : renderTable(head, rows, columns, { cuts: true })
  return [
    `${name}: ${what || 'it does not say what it is'}, protocol ${protocolVersion}`,
    part(
      ['tool', 'risk', 'what it does'],
      tools.map((tool) => [tool.name, tool.risk, tool.description]),
      'no tools',
    ),
    part(
      ['resource', 'name', 'what it is'],
      resources.map(({ uri, name: title, description = '', mimeType = '' }) => [uri, title, description || mimeType]),
      'no resources',
    ),
    part(
      ['prompt', 'arguments', 'what it is for'],
      prompts.map(({ name: prompt, arguments: given, description = '' }) => [
        prompt,
        given.map((argument) => (argument.required ? argument.name : `[${argument.name}]`)).join(' '),
        description,
      ]),
      'no prompts',
    ),
  ].join('\n\n')
}
