import { ConnectionError, type LoadedConfig, type RunCreate } from '@svc/core'
import { Attachments, nearest } from '@svc/core/text'
import type { McpBlock, McpPrompt, McpPromptMessage } from '@svc/plugins'
import type { CommandContext } from '../frame/context.ts'
import { wrong } from '../line/wrong.ts'
import { findConfigured, listServers } from './configured.ts'
import { withServer } from './open-server.ts'

/** `@server:uri`; what ends a sentence is none of it. */
const MENTION = /(?<!\S)@([A-Za-z0-9][\w-]{0,63}):(\S{1,2000})/g
const SENTENCE_END = /(?<![.,;:!?)\]}'"])[.,;:!?)\]}'"]+$/
/** `/server:prompt` and what follows it. */
const PROMPT = /^\/([A-Za-z0-9][\w-]{0,63}):(\S{1,200})(?:\s+([\s\S]*))?$/
/** `name=value`, `"two words"` or a word. */
const ARGUMENT = /(?:([\w-]{1,100})=)?(?:"([^"]*)"|(\S+))/g

/**
 * A request with what its task names of MCP servers: each `@server:uri` comes with it as material, and a task
 * `/server:prompt arguments` is that prompt. All of it is somebody else's words, and taints the run.
 *
 * @param loaded undefined of a server, which has MCP servers of its own: the task stays as it is
 * @throws ConnectionError `connection_failed`, ValidationError `validation_failed`; as `findConfigured`
 */
export async function withServers(
  context: CommandContext,
  loaded: LoadedConfig | undefined,
  request: RunCreate,
): Promise<RunCreate> {
  if (loaded === undefined) return request
  const known = listServers(loaded).map(({ name }) => name)
  const skipped = loaded.skipped.flatMap(({ defines }) =>
    defines.flatMap(({ kind, id }) => (kind === 'server' ? id : [])),
  )
  const names = [...known, ...skipped]
  const attachments = new Attachments()
  const untrusted: string[] = []
  const attach = (name: string, content: Buffer): void => {
    const problem = attachments.add(name, content)
    if (problem !== undefined) throw wrong(`${name} ${problem}`)
    untrusted.push(name)
  }
  let { task } = request
  for (const [, server = '', word = ''] of request.task.matchAll(MENTION)) {
    if (!names.includes(server)) continue
    const uri = word.replace(SENTENCE_END, '')
    const contents = await withServer(context, loaded, findUsable(loaded, server), (open) => open.readResource(uri))
    for (const content of contents) attach(`@${server}:${uri}`, bytesOf(content))
  }
  const [, server = '', prompt = '', rest = ''] = PROMPT.exec(request.task.trim()) ?? []
  if (names.includes(server)) {
    const messages = await withServer(context, loaded, findUsable(loaded, server), async (open) => {
      const prompts = await open.prompts()
      const found = prompts.find(({ name }) => name === prompt)
      if (found === undefined) throw noPrompt(server, prompt, prompts)
      return open.getPrompt(prompt, toArguments(found, rest, `/${server}:${prompt}`))
    })
    task = toTask(messages, `/${server}:${prompt}`, attach)
    untrusted.push(`/${server}:${prompt}`)
  } else if (server !== '' && nearest(server, names) !== undefined) findConfigured(loaded, server)
  if (untrusted.length === 0) return request
  const material = attachments.after(request.context)
  return {
    ...request,
    task,
    untrusted: [...new Set([...(request.untrusted ?? []), ...untrusted])],
    ...(material !== undefined && { context: material }),
  }
}

function findUsable(loaded: LoadedConfig, name: string) {
  const found = findConfigured(loaded, name)
  if (found.config.disabled === true) throw wrong(`the MCP server "${name}" is switched off in ${found.source}`)
  return found
}

function noPrompt(server: string, prompt: string, prompts: readonly McpPrompt[]) {
  const names = prompts.map(({ name }) => name)
  const near = nearest(prompt, names)
  const hint = near !== undefined ? `did you mean ${near}?` : `it has ${names.join(', ') || 'none'}`
  return wrong(`the MCP server "${server}" has no prompt "${prompt}": ${hint}`)
}

/** Words fill the arguments in their order, `name=value` one by its name; what is left over belongs to the last. */
function toArguments({ arguments: declared }: McpPrompt, rest: string, name: string): Record<string, string> {
  const given: Record<string, string> = {}
  const [only] = declared
  if (declared.length === 1 && only !== undefined && !rest.startsWith(`${only.name}=`)) {
    if (rest.trim() !== '') given[only.name] = rest.trim()
  } else {
    const words: string[] = []
    for (const [whole, key, quoted, word = ''] of rest.matchAll(ARGUMENT)) {
      if (declared.some((argument) => argument.name === key)) given[key ?? ''] = quoted ?? word
      else words.push(key === undefined ? (quoted ?? word) : whole)
    }
    const open = declared.filter((argument) => given[argument.name] === undefined)
    for (const [at, argument] of open.entries()) {
      const value = at === open.length - 1 ? words.splice(0).join(' ') : words.shift()
      if (value !== undefined && value !== '') given[argument.name] = value
    }
    if (words.length > 0)
      throw wrong(`${name} takes ${describe(declared)}: "${words.join(' ').slice(0, 100)}" is too much`)
  }
  const missing = declared.filter((argument) => argument.required && given[argument.name] === undefined)
  if (missing.length > 0)
    throw wrong(`${name} needs ${missing.map((argument) => argument.name).join(', ')}: it takes ${describe(declared)}`)
  return given
}

const describe = (declared: McpPrompt['arguments']): string =>
  declared.map(({ name, required }) => (required ? name : `[${name}]`)).join(' ') || 'no arguments'

/** The words of a prompt; what else it holds is handed over beside them. */
function toTask(
  messages: readonly McpPromptMessage[],
  name: string,
  attach: (name: string, content: Buffer) => void,
): string {
  const isTalk = messages.some(({ role }) => role === 'assistant')
  const texts = messages.flatMap(({ role, content }) => {
    const text = textOf(content, name, attach)
    if (text === undefined) return []
    return isTalk ? `${role === 'assistant' ? 'Assistant' : 'User'}: ${text}` : text
  })
  if (texts.every((text) => text.trim() === ''))
    throw new ConnectionError('connection_failed', `${name} holds no text that could be a task`)
  return texts.join('\n\n')
}

function textOf(block: McpBlock, name: string, attach: (name: string, content: Buffer) => void): string | undefined {
  if (block.type === 'text') return block.text
  if (block.type === 'image') attach(name, Buffer.from(block.data, 'base64'))
  if (block.type !== 'resource') return undefined
  attach(block.resource.uri, bytesOf(block.resource))
  return undefined
}

const bytesOf = ({ text, blob = '' }: Extract<McpBlock, { type: 'resource' }>['resource']): Buffer =>
  text === undefined ? Buffer.from(blob, 'base64') : Buffer.from(text)
