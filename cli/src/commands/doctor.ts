import { constants, existsSync } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type ErrorInfo, type LoadedConfig, SvcError, toSvcError } from '@svc/core'
import { causeOf, checkTrust, cureOf, describeProblem, getDataDir, shown } from '@svc/core/config'
import {
  describeLocalServer,
  describeUnusedKey,
  findLocalServers,
  findSandbox,
  KEY_VARIABLES,
  keyVariablesOf,
  SANDBOX_FIX,
} from '@svc/plugins'
import type { CommandContext } from '../frame/context.ts'
import { checkServer } from '../mcp/check-server.ts'
import { listServers } from '../mcp/configured.ts'
import { describeFiles, describeTrust } from '../render/config-files.ts'
import { renderTable } from '../render/table.ts'
import { askModel, toFix } from '../session/ask-model.ts'

type DoctorCheck = { name: string; result: 'ok' | 'warn' | 'fail'; message: string; fix?: string }

const check =
  (result: DoctorCheck['result']) =>
  (name: string, message: string, fix?: string): DoctorCheck => ({
    name,
    result,
    message,
    ...(fix !== undefined && { fix }),
  })
const [ok, warn, fail] = [check('ok'), check('warn'), check('fail')]

/** `svc doctor`: can svc work here, and what would fix it? */
export default async function doctor(context: CommandContext): Promise<number> {
  const checks: DoctorCheck[] = [nodeVersion()]
  const loaded = await context.load().catch((thrown: unknown) => {
    checks.push(fail('config', toSvcError(thrown).message, 'correct the file, then svc config validate'))
  })
  if (loaded !== undefined) {
    const { defaultModel, starts, checks: found } = await runtimeChecks(context)
    checks.push(...configChecks(loaded), keysPresent({ ...loaded.variables, ...context.io.env }, loaded, defaultModel))
    const local = await localServers(loaded)
    checks.push(
      ...local,
      ...mcpServers(loaded, context),
      await dataFolder(context, loaded, starts),
      await sandbox(loaded),
      ...found,
    )
  }
  const rows = checks.map(({ result, name, message, fix }) => [
    result,
    name,
    fix === undefined ? message : `${message}. Fix: ${fix}`,
  ])
  context.print(checks, (columns) => renderTable(['', 'check', 'finding'], rows, columns))
  return checks.some(({ result }) => result === 'fail') ? 1 : 0
}

function nodeVersion(): DoctorCheck {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const { bun, deno } = process.versions
  const other = bun === undefined ? deno && `Deno ${deno}` : `Bun ${bun}`
  const name = other === undefined ? process.version : `${other}, which stands in for Node ${process.version}`
  if (major > 20 || (major === 20 && minor >= 19)) return ok('node', name)
  return fail('node', `${process.version} is too old`, 'install Node 20.19 or newer')
}

function configChecks({ files, problems, skipped, workspace }: LoadedConfig): DoctorCheck[] {
  const trust = checkTrust(workspace)
  const standing = describeTrust(trust)
  const broken = new Set(problems.map(({ file }) => file))
  const isOpen = trust.state !== 'trusted' && trust.files.size > 0
  const leftOut = skipped.map(({ file }) => shown(file)).join(', ')
  return [
    ok('config', describeFiles({ files: files.filter((file) => !broken.has(file)), skipped })),
    ...problems.map(({ file, error }) => warn('drop-in', causeOf({ file, error }), cureOf({ error }))),
    skipped.length === 0
      ? ok('trust', isOpen ? `${standing}; nothing is left out for that` : standing)
      : warn('trust', `${standing}; left out: ${leftOut}`, 'look at them, then svc trust'),
  ]
}

/** Which key variables are set, never their values. */
function keysPresent(
  env: Readonly<Record<string, string | undefined>>,
  { providers }: LoadedConfig,
  defaultModel: string | undefined,
): DoctorCheck {
  const unused = describeUnusedKey(env, providers)
  const names = new Set([...KEY_VARIABLES, ...providers.flatMap(({ config }) => keyVariablesOf(config))])
  const set = [...names].filter((name) => (env[name] ?? '') !== '')
  if (unused !== undefined) return warn('keys', unused)
  if (set.length > 0) return ok('keys', `${set.join(', ')} set`)
  if (defaultModel !== undefined && !defaultModel.startsWith('offline/'))
    return ok('keys', `no model key is set; the default ${defaultModel} needs none of them`)
  const so = defaultModel === undefined ? '' : ', so the offline provider answers'
  return warn('keys', `no model key is set${so}`, 'export ANTHROPIC_API_KEY=... or OPENAI_API_KEY=...')
}

/**
 * Whether the data folder is writable, and what is kept there can be read; none is made.
 *
 * @param starts whether a runtime starts that keeps nothing: then it is the folder where one that keeps does not
 */
async function dataFolder(context: CommandContext, loaded: LoadedConfig, starts: boolean): Promise<DoctorCheck> {
  const folder = getDataDir(loaded, context.io.env)
  try {
    const existing = nearestExisting(folder)
    if (!(await stat(existing)).isDirectory()) throw new Error(`${existing} is a file`)
    await access(existing, constants.W_OK)
    if (starts && loaded.config.store?.url === undefined && existsSync(join(folder, 'svc.db')))
      await context.use({}, async () => {})
    const { bavail, bsize } = await statfs(existing)
    const freeMb = Math.floor((bavail * bsize) / 1e6)
    return freeMb < 100
      ? warn('data folder', `${folder}: only ${freeMb} MB free`, 'make room, or set SVC_DATA_DIR')
      : ok('data folder', `${folder} (${freeMb} MB free)`)
  } catch (thrown) {
    const message = SvcError.isInstance(thrown) ? thrown.message : `${folder}: ${toSvcError(thrown).message}`
    return fail('data folder', message, 'set SVC_DATA_DIR to a folder you can write to')
  }
}

const nearestExisting = (folder: string): string =>
  existsSync(folder) || folder === dirname(folder) ? folder : nearestExisting(dirname(folder))

/** Which sandbox the programs of tools run in, by running one. */
async function sandbox({ config }: LoadedConfig): Promise<DoctorCheck> {
  const { sandbox: choice = 'auto', sandboxImage } = config.policy ?? {}
  if (choice === 'none') {
    const message = 'none: policy.sandbox says so, and programs of tools see all that you see'
    return warn('sandbox', message, 'take policy.sandbox out of the config')
  }
  const { kind, problems } = await findSandbox(choice, sandboxImage)
  if (kind === undefined) return warn('sandbox', `run_command is refused: ${problems.join('; ')}`, SANDBOX_FIX)
  return ok('sandbox', [kind, ...problems].join('; '))
}

async function runtimeChecks(
  context: CommandContext,
): Promise<{ defaultModel?: string; starts: boolean; checks: DoctorCheck[] }> {
  try {
    return await context.useOwn({ persist: false }, async ({ runtime, loaded }) => {
      const said = new Set(loaded.problems.map(describeProblem))
      const { defaultModel, defaultModelError, plugins, tools, providers } = await runtime.describe()
      const usable = providers.flatMap(({ id, error }) => (error === undefined ? id : []))
      const checks = [
        defaultModelError === undefined
          ? ok('model', defaultModel)
          : fail('model', ...causeAndFix(defaultModel, toModelFix(defaultModelError))),
        ...providers.flatMap(({ id, error }) =>
          error === undefined || said.has(error) ? [] : [warn(`provider ${id}`, ...causeAndFix(error))],
        ),
        ...(context.flags.online ? await reach(context, usable) : []),
        ok('plugins', plugins.map(({ name }) => name).join(', ')),
        ok('tools', tools.map(({ id }) => id).join(', ')),
      ]
      return { starts: true, checks, ...(defaultModelError === undefined && { defaultModel }) }
    })
  } catch (thrown) {
    return { starts: false, checks: [fail('runtime', ...causeAndFix(toSvcError(thrown).message))] }
  }
}

/** A message that says itself what to do, as its cause and its cure; else with the cure given. */
function causeAndFix(message: string, otherwise?: string): [cause: string, fix: string | undefined] {
  const [cause = message, fix = otherwise] = message.split('. Fix: ')
  return [cause, fix]
}

const UNREACHED: ReadonlySet<string> = new Set(['provider_unavailable', 'provider_timeout'])

function toModelFix({ code }: ErrorInfo): string {
  if (UNREACHED.has(code)) return 'start the model server, or correct its address (SVC_MODEL_BASE_URL, or baseUrl)'
  if (code === 'provider_auth') return 'correct the key'
  return 'name a model, as SVC_MODEL=provider/model or as model in the config'
}

/** Asks each provider for one short answer. */
async function reach(context: CommandContext, ids: readonly string[]): Promise<DoctorCheck[]> {
  const checks: DoctorCheck[] = []
  for (const id of ids) {
    const { problem, learnt } = await askModel(context, id)
    const result = problem === undefined ? ok : fail
    const message = problem ?? (learnt.length === 0 ? 'answered' : 'answered, asked in its own way')
    checks.push(result(`provider ${id}`, message, learnt.length === 0 ? undefined : toFix(id, learnt)))
  }
  return checks
}

/** The MCP servers of the config; none of them is started. */
const mcpServers = (loaded: LoadedConfig, { io }: CommandContext): DoctorCheck[] =>
  listServers(loaded).map((server) => {
    const { isFine, message, fix } = checkServer(server, loaded, io.env)
    return (isFine === false ? warn : ok)(`MCP server ${server.name}`, message, fix)
  })

/** Model servers of this machine that no provider is at. */
async function localServers(loaded: LoadedConfig): Promise<DoctorCheck[]> {
  const used = new Set(loaded.providers.map(({ config }) => config.baseUrl?.replace('localhost', '127.0.0.1')))
  const found = await findLocalServers()
  return found
    .filter(({ baseUrl }) => !used.has(baseUrl))
    .map((server) => ok('local models', describeLocalServer(server)))
}
