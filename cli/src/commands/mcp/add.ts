import type { McpServerConfig } from '@svc/core'
import { checkConfig } from '@svc/core/config'
import { mustFit, SERVER_NAME } from '@svc/core/schema'
import type { CommandContext } from '../../frame/context.ts'
import { invalid, wrong } from '../../line/wrong.ts'
import { changeOwnServers, listServers, ownServersFile } from '../../mcp/configured.ts'

/** `svc mcp add <name>`: adds a server to the person's own. */
export default async function add(context: CommandContext, [name = '', ...words]: string[]): Promise<number> {
  const { flags, io } = context
  if (!SERVER_NAME.test(name))
    throw wrong(`"${name.slice(0, 80)}" is no name of a server: it must ${mustFit(SERVER_NAME.source)}`)
  const server = toServer(context, words)
  checkConfig({ mcpServers: { [name]: server } }, 'svc mcp add')
  const file = ownServersFile(io.env)
  await changeOwnServers(io.env, (blocks) => {
    if (blocks[name] !== undefined && !flags.own.is('force'))
      throw wrong(`"${name}" is in ${file} already: --force replaces it, svc mcp remove ${name} takes it out`)
    blocks[name] = server
  })
  context.print({ name, file }, () => `added ${name} to ${file}: svc mcp test ${name} starts it and shows its tools`)
  const loaded = await context.load()
  const other = listServers(loaded).find((one) => one.name === name && one.source !== file)
  if (other !== undefined) io.err(`svc: here ${other.source} has another ${name}, which goes before it\n`)
  return 0
}

function toServer({ flags: { url, own } }: CommandContext, [command, ...args]: string[]): McpServerConfig {
  if (command === undefined && url === undefined)
    throw wrong('svc mcp add needs a command after --, as in svc mcp add files -- npx -y <package>, or --url <address>')
  if (command !== undefined && url !== undefined)
    throw invalid('url', 'names a server by its address, and the words after the name a command: leave one out')
  const [headers, env] = [toMap(own.list('header'), 'header'), toMap(own.list('env'), 'env')]
  if (url !== undefined) {
    if (env !== undefined) throw invalid('env', 'is for a command; a server with an address has --header')
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw invalid('url', `must be an address such as https://mcp.example.com/mcp, not "${url.slice(0, 200)}"`)
    return { url, ...(headers && { headers }) }
  }
  if (headers !== undefined) throw invalid('header', 'is for a server with --url; a command has --env')
  return { command: command ?? '', args, ...(env && { env }) }
}

const SHAPES = {
  header: { pattern: /^([!#$%&'*+.^_`|~\w-]+)\s*:\s*(\S.*)$/, shape: '"Name: value"' },
  env: { pattern: /^([A-Za-z_]\w*)=(.*)$/s, shape: 'NAME=value' },
} as const

/** The pairs of an option that may be given again. */
function toMap(pairs: readonly string[], option: keyof typeof SHAPES): Record<string, string> | undefined {
  const { pattern, shape } = SHAPES[option]
  if (pairs.length === 0) return undefined
  const entries = pairs.map((pair): [string, string] => {
    const [, name = '', value = ''] = pattern.exec(pair) ?? []
    // What was given may be a key, so it is not repeated.
    if (name === '') throw invalid(option, `must be ${shape}`)
    return [name, value]
  })
  return Object.fromEntries(entries)
}
