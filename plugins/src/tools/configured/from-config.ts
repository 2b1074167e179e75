/** Tools that a config or a drop-in file describes. */
import {
  type CheckedFetch,
  ConfigError,
  findErrors,
  PolicyError,
  type Tool,
  type ToolContext,
  ToolError,
} from '@svc/core'
import { mustFit, TOOL_SLUG, ToolConfig } from '@svc/core/schema'
import { nearest } from '@svc/core/text'
import { whyAskAboutProgram } from '../programs/ask-about-program.ts'
import { toPrinted } from '../programs/program-output.ts'
import { runProgram, scrubbedEnv } from '../programs/run-program.ts'
import type { ProgramRunner } from '../sandbox/program-runner.ts'
import { coversHost, createGuardedFetch, parseHost } from '../web/guarded-fetch.ts'
import { fetchText } from '../web/response-text.ts'
import { fill, fillJson, namesIn, namesInJson, onlyName, ownValue, toText } from './template.ts'
import { createTouches } from './touched-arguments.ts'

/** The files that a command runs, as they are and as they were trusted. */
export interface TrustedPrograms {
  /** Why a person has to be asked again; undefined where they are as they were. */
  whyChanged(): string | undefined
  /** The arguments, and what changed, as a unified diff. */
  preview(args: unknown): Promise<string>
}

type Args = Readonly<Record<string, unknown>>
type Http = NonNullable<ToolConfig['http']>
type Run = (args: Args, context: ToolContext) => Promise<unknown>

export interface ToToolOptions {
  /** Makes the `fetch` of an http tool for its hosts. Default: `createGuardedFetch`. */
  createFetch?: (hosts: readonly string[]) => CheckedFetch
  /** Where `{env:NAME}` in a header is looked up, when the tool is called. Default `process.env`. */
  env?: Readonly<Record<string, string | undefined>>
  /** The files that its command runs, against what they were when they were trusted. Default: nothing is compared. */
  programs?: TrustedPrograms | undefined
  /** Runs programs. Default: they are run without a sandbox. */
  runner?: ProgramRunner
}

const ENV = /\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g
const OUTPUT_BYTES = 65_536
const TIMEOUT_MS = 30_000
const RESPONSE_BYTES = 1_048_576

/**
 * The tool that a config describes. The declared risk counts: a config that gets here is the user's own word.
 *
 * - `http`: `{arg}` in the address is url-encoded, in headers and body put as it is; only `hosts` are reached. A value
 *   within a JSON body that is one `{arg}` and nothing else keeps its type. `{env:NAME}` in a header is an environment
 *   variable. Answers as `http_fetch` does, without its first line.
 * - `command`: an element that is one `{arg}` becomes that argument, of a list several elements, of a missing one none.
 *   No shell. A text from the model that begins with `-` is refused where a program could take it for an option, unless
 *   `--` stands before it or the schema limits the argument by `enum`, `const` or `pattern`.
 *   The runner's sandbox shows the workspace, to be read only by a tool of risk `read`, and the network to one of risk
 *   `network`. Where there is no sandbox a person is asked; with `sandbox: false` the program runs without.
 * - `run`: the function itself.
 *
 * Arguments that are paths have to lie in the workspace: those that `touches` names, else those of a `command` whose names say
 * so.
 *
 * @throws ConfigError `config_invalid` naming the tool and the field
 */
export function toTool(id: string, config: ToolConfig, options: ToToolOptions = {}): Tool {
  const fail = (field: string, message: string): never => {
    throw new ConfigError('config_invalid', `tools.${id}${field}: ${message}`, {
      errors: [{ path: `/tools/${id}${field.replaceAll('.', '/')}`, message }],
    })
  }
  if (!TOOL_SLUG.test(id)) fail('', `its id must ${mustFit(TOOL_SLUG.source)}`)
  const [error] = findErrors(ToolConfig, config)
  if (error) fail(error.path.replaceAll('/', '.'), error.message)
  const ways = (['http', 'command', 'run'] as const).filter((way) => config[way] !== undefined)
  if (ways.length !== 1) {
    const found = ways.length === 0 ? 'none of them' : ways.join(' and ')
    fail('', `needs exactly one of http, command and run, has ${found}`)
  }
  const { parameters } = config
  if (typeof parameters !== 'object' || parameters === null || Array.isArray(parameters)) {
    fail('.parameters', 'has to be a JSON Schema of type object')
  }
  const known = Object.keys(propertiesOf(parameters))
  const checkNames = (field: string, names: readonly string[]) => {
    for (const name of names) {
      if (known.includes(name)) continue
      const meant = nearest(name, known)
      const hint = meant ? `; did you mean {${meant}}?` : `; {{${name}}} would be the text itself`
      fail(field, `{${name}} is not among the parameters (${known.join(', ') || 'there are none'})${hint}`)
    }
  }
  const touches = createTouches(config, {
    url: (args) => toUrl(config.http?.url ?? '', args),
    argv: (args) => toArgv(config.command ?? [], args, propertiesOf(parameters)),
  })
  for (const kind of ['paths', 'hosts'] as const) checkNames(`.touches.${kind}`, config.touches?.[kind] ?? [])
  const { runner, programs } = options
  const run =
    config.http !== undefined
      ? fromHttp(config.http, options, checkNames, fail)
      : config.command !== undefined
        ? fromCommand(config.command, config, runner, checkNames, fail)
        : (config.run as Run)
  return {
    id,
    description: config.description,
    parameters,
    risk: config.risk,
    keepsChanges: config.http !== undefined || (config.command !== undefined && runner !== undefined),
    untrusted: config.run === undefined || config.risk === 'network',
    ...(config.idempotent !== undefined && { idempotent: config.idempotent }),
    ...(config.timeoutMs !== undefined && { timeoutMs: config.timeoutMs }),
    ...(config.maxOutputBytes !== undefined && { maxOutputBytes: config.maxOutputBytes }),
    ...(touches && { touches: (args, context) => touches.find(args as Args, context) }),
    ...(runner && config.command && confined(runner, config, programs)),
    async run(args, context) {
      context.signal.throwIfAborted()
      if (typeof args !== 'object' || args === null || Array.isArray(args)) {
        throw new ToolError('tool_bad_args', `${id}: the arguments have to be an object`)
      }
      await touches?.confine(args as Args, context)
      const why = context.isApproved === true ? undefined : programs?.whyChanged()
      if (why !== undefined) throw new PolicyError('policy_denied', `${id}: ${why}`)
      return run(args as Args, context)
    },
  }
}

/** What is said of a program before it runs: where it does, and why a person has to be asked. */
function confined(
  runner: ProgramRunner,
  { risk, sandbox }: ToolConfig,
  programs: TrustedPrograms | undefined,
): Pick<Tool, 'alwaysAsks' | 'confinement' | 'preview'> {
  const network = risk === 'network'
  const isConfined = sandbox !== false
  return {
    alwaysAsks: async (_, context) =>
      programs?.whyChanged() ?? whyAskAboutProgram(runner, context, { needsNone: isConfined, isConfined }),
    ...(programs && { preview: (args) => programs.preview(args) }),
    confinement: async () => ({ sandbox: isConfined ? (await runner.confinement(network)).sandbox : 'none', network }),
  }
}

type CheckNames = (field: string, names: readonly string[]) => void
type Fail = (field: string, message: string) => never

function fromHttp(http: Http, options: ToToolOptions, checkNames: CheckNames, fail: Fail): Run {
  if (!/^https?:\/\//i.test(http.url)) fail('.http.url', 'has to begin with http:// or https://')
  if (http.hosts.length === 0) fail('.http.hosts', 'has to name the hosts that the tool may reach')
  checkNames('.http.url', namesIn(http.url))
  for (const [name, value] of Object.entries(http.headers ?? {})) checkNames(`.http.headers.${name}`, namesIn(value))
  checkNames('.http.body', namesInJson(http.body))
  const authority = http.url.split(/[/?#]/)[2] ?? ''
  if (namesIn(authority).length === 0 && !http.hosts.some((entry) => coversHost(entry, parseHost(authority)))) {
    fail('.http.hosts', `does not name the host of the url, ${authority}`)
  }
  const fetcher = (options.createFetch ?? ((allowHosts) => createGuardedFetch({ allowHosts })))(http.hosts)
  return async (args, { signal, idempotencyKey, check }) => {
    const url = toUrl(http.url, args)
    const headers = toHeaders(http.headers ?? {}, args, options.env ?? process.env)
    const body = toBody(http.body, args, headers)
    if (http.method !== 'GET' && !headers.has('idempotency-key')) headers.set('idempotency-key', idempotencyKey)
    const checked: typeof fetch = (input, init) => fetcher(input, init, (host) => check?.({ host }))
    const init = { method: http.method, headers, signal, ...(body !== undefined && { body }) }
    const { text, isCut } = await fetchText(checked, url, init, RESPONSE_BYTES)
    return isCut ? `${text}\n… cut after ${RESPONSE_BYTES} bytes` : text
  }
}

function toUrl(whole: string, args: Args): string {
  const template = dropMissing(whole, args)
  const url = fill(template, args, encodeURIComponent)
  // `..` survives url-encoding and would climb to another address
  const path = url.split(/[?#]/)[0] ?? ''
  const wanted = (template.split(/[?#]/)[0] ?? '').split('/')
  for (const [index, segment] of path.split('/').entries()) {
    const isClimb = segment === '' || segment === '.' || segment === '..'
    if (isClimb && namesIn(wanted[index] ?? '').length > 0) {
      const names = namesIn(wanted[index] ?? '').join(', ')
      throw new ToolError('tool_bad_args', `${names}: has to be a text other than "", "." and ".."`)
    }
  }
  return url
}

/** Leaves out `name={arg}` of a query whose argument was not given. */
function dropMissing(template: string, args: Args): string {
  const question = template.indexOf('?')
  if (question < 0) return template
  const [query = '', ...hash] = template.slice(question + 1).split('#')
  const kept = query.split('&').filter((pair) => {
    const name = onlyName(pair.slice(pair.indexOf('=') + 1))
    return name === undefined || ownValue(args, name) !== undefined
  })
  const start = template.slice(0, question)
  return [kept.length === 0 ? start : `${start}?${kept.join('&')}`, ...hash].join('#')
}

function toHeaders(templates: Readonly<Record<string, string>>, args: Args, env: ToToolOptions['env'] = {}): Headers {
  const headers = new Headers()
  for (const [name, template] of Object.entries(templates)) {
    const filled = fill(template, args, (value) => {
      if (/[\r\n\0]/.test(value)) throw new ToolError('tool_bad_args', `a line break cannot be part of header ${name}`)
      return value.replaceAll('{env:', '{ env:') // only the config names variables
    })
    const value = filled.replace(ENV, (_mark: string, variable: string) => {
      const found = env[variable]
      if (found === undefined) throw new ToolError('tool_failed', `environment variable ${variable} is not set`)
      return found
    })
    try {
      headers.set(name, value)
    } catch {
      throw new ToolError('tool_bad_args', `header ${name} would hold characters that no header can hold`)
    }
  }
  return headers
}

function toBody(template: unknown, args: Args, headers: Headers): string | undefined {
  if (template === undefined) return undefined
  if (typeof template === 'string' && onlyName(template) === undefined) {
    const isForm = headers.get('content-type')?.includes('application/x-www-form-urlencoded') === true
    return fill(template, args, isForm ? encodeURIComponent : (value) => value)
  }
  if (!headers.has('content-type')) headers.set('content-type', 'application/json')
  return JSON.stringify(fillJson(template, args) ?? null)
}

function fromCommand(
  command: readonly string[],
  { parameters, risk, sandbox, timeoutMs = TIMEOUT_MS, maxOutputBytes: headBytes = OUTPUT_BYTES }: ToolConfig,
  runner: ProgramRunner | undefined,
  checkNames: CheckNames,
  fail: Fail,
): Run {
  const [program = ''] = command
  if (program.trim() === '') fail('.command', 'has to begin with a program')
  if (namesIn(program).length > 0) fail('.command.0', 'the program itself cannot be an argument')
  for (const [index, element] of command.entries()) {
    if (element.includes('\0')) fail(`.command.${index}`, 'holds a NUL character, which no argument of a program can')
    checkNames(`.command.${index}`, namesIn(element))
  }
  return async (args, context) => {
    const argv = toArgv(command, args, propertiesOf(parameters))
    const { workspace: folder, signal, output: onOutput } = context
    const bounds = { timeoutMs, network: risk === 'network', writes: risk !== 'read', headBytes, needsNone: true }
    const runFree = () => runProgram(argv, { folder, env: scrubbedEnv(), signal, headBytes, onOutput })
    const ended =
      runner !== undefined && sandbox !== false
        ? await runner.run(argv, context, bounds)
        : await (runner === undefined ? runFree() : runner.keeping(context, false, runFree))
    return toPrinted(program, ended)
  }
}

function toArgv(command: readonly string[], args: Args, properties: Args): string[] {
  const argv: string[] = []
  let optionsEnded = false
  for (const element of command) {
    if (element === '--') optionsEnded = true
    const [first] = namesIn(element)
    const mayBeOption =
      first !== undefined && element.startsWith(`{${first}}`) && !optionsEnded && !isLimited(properties[first])
    for (const { text, isNumber } of toElements(element, args)) {
      if (text.includes('\0')) throw new ToolError('tool_bad_args', `${first}: holds a NUL character`)
      if (mayBeOption && !isNumber && text.startsWith('-')) {
        throw new ToolError(
          'tool_bad_args',
          `${first}: may not begin with "-", which the program would take for an option`,
        )
      }
      argv.push(text)
    }
  }
  return argv
}

function toElements(element: string, args: Args): { text: string; isNumber: boolean }[] {
  const name = onlyName(element)
  if (name === undefined) return [{ text: fill(element, args, (value) => value), isNumber: false }]
  const value = ownValue(args, name)
  if (value === undefined || value === null) return []
  const values: unknown[] = Array.isArray(value) ? value : [value]
  return values.map((item) => ({ text: toText(item), isNumber: typeof item === 'number' }))
}

/** Whether the config's author said which texts an argument may be. */
function isLimited(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && ('enum' in schema || 'const' in schema || 'pattern' in schema)
}

function propertiesOf(schema: ToolConfig['parameters']): Args {
  const { properties } = schema
  return typeof properties === 'object' && properties !== null ? (properties as Args) : {}
}
