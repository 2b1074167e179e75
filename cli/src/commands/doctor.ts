import { constants } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type ErrorInfo, type LoadedConfig, SvcError, toSvcError } from '@svc/core'
import { causeOf, checkTrust, cureOf, describeProblem, getDataDir, shown } from '@svc/core/config'
import {
  checkVendorPackages,
  describeLocalServer,
  describeUnusedKey,
  findLocalServers,
  findSandbox,
  KEY_VARIABLES,
  keyVariablesOf,
  SANDBOX_FIX,
} from '@svc/plugins'
import type { CommandContext } from '../frame/context.ts'
import { describeFiles, describeTrust } from '../render/config-files.ts'
import { renderTable } from '../render/table.ts'
import { askModel, toFix } from '../session/ask-model.ts'

interface Check {
  name: string
  result: 'ok' | 'warn' | 'fail'
  message: string
  fix?: string
}

/** `svc doctor`: can svc work here, and what would fix it? */
export default async function doctor(context: CommandContext): Promise<number> {
  const checks: Check[] = [nodeVersion(), ...(await packages())]
  const loaded = await tryLoad(context, checks)
  if (loaded !== undefined) {
    const { defaultModel, starts, checks: found } = await runtimeChecks(context)
    checks.push(...configChecks(loaded), keysPresent({ ...loaded.variables, ...context.io.env }, loaded, defaultModel))
    const local = await localServers(loaded)
    checks.push(...local, await dataFolder(context, loaded, starts), await sandbox(loaded), ...found)
  }
  context.print(checks, (columns) =>
    renderTable(
      ['', 'check', 'finding'],
      checks.map(({ result, name, message, fix }) => [
        result,
        name,
        fix === undefined ? message : `${message}. Fix: ${fix}`,
      ]),
      columns,
    ),
  )
  return checks.some(({ result }) => result === 'fail') ? 1 : 0
}

function nodeVersion(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const fits = major > 20 || (major === 20 && minor >= 19)
  return fits
    ? { name: 'node', result: 'ok', message: process.version }
    : { name: 'node', result: 'fail', message: `${process.version} is too old`, fix: 'install Node 20.19 or newer' }
}

/** The vendors' packages, which come with the command line; only requests in their formats need them. */
async function packages(): Promise<Check[]> {
  const missing = await checkVendorPackages()
  if (missing.length === 0) return [{ name: 'packages', result: 'ok', message: 'openai and @anthropic-ai/sdk load' }]
  return missing.map(({ message }) => ({ name: 'packages', result: 'fail', message }))
}

async function tryLoad(context: CommandContext, checks: Check[]): Promise<LoadedConfig | undefined> {
  try {
    return await context.load()
  } catch (thrown) {
    checks.push({
      name: 'config',
      result: 'fail',
      message: toSvcError(thrown).message,
      fix: 'correct the file, then svc config validate',
    })
    return undefined
  }
}

function configChecks({ files, problems, skipped, workspace }: LoadedConfig): Check[] {
  const trust = checkTrust(workspace)
  const standing = describeTrust(trust)
  const broken = new Set(problems.map(({ file }) => file))
  const isOpen = trust.state !== 'trusted' && trust.files.size > 0
  return [
    {
      name: 'config',
      result: 'ok',
      message: describeFiles({ files: files.filter((file) => !broken.has(file)), skipped }),
    },
    ...problems.map(
      ({ file, error }): Check => ({
        name: 'drop-in',
        result: 'warn',
        message: causeOf({ file, error }),
        fix: cureOf({ error }),
      }),
    ),
    skipped.length === 0
      ? { name: 'trust', result: 'ok', message: isOpen ? `${standing}; nothing is left out for that` : standing }
      : {
          name: 'trust',
          result: 'warn',
          message: `${standing}; left out: ${skipped.map(({ file }) => shown(file)).join(', ')}`,
          fix: 'look at them, then svc trust',
        },
  ]
}

/** Which key variables are set, never their values. */
function keysPresent(
  env: Readonly<Record<string, string | undefined>>,
  { providers }: LoadedConfig,
  defaultModel: string | undefined,
): Check {
  const unused = describeUnusedKey(env, providers)
  const names = new Set([...KEY_VARIABLES, ...providers.flatMap(({ config }) => keyVariablesOf(config))])
  const set = [...names].filter((name) => (env[name] ?? '') !== '')
  if (unused !== undefined) return { name: 'keys', result: 'warn', message: unused }
  if (set.length > 0) return { name: 'keys', result: 'ok', message: `${set.join(', ')} set` }
  if (defaultModel !== undefined && !defaultModel.startsWith('offline/'))
    return {
      name: 'keys',
      result: 'ok',
      message: `no model key is set; the default ${defaultModel} needs none of them`,
    }
  return {
    name: 'keys',
    result: 'warn',
    message: `no model key is set${defaultModel === undefined ? '' : ', so the offline provider answers'}`,
    fix: 'export ANTHROPIC_API_KEY=... or OPENAI_API_KEY=...',
  }
}

/**
 * Whether the data folder is writable, and what is kept there can be read; none is made.
 *
 * @param starts whether a runtime starts that keeps nothing: then it is the folder where one that keeps does not
 */
async function dataFolder(context: CommandContext, loaded: LoadedConfig, starts: boolean): Promise<Check> {
  const folder = getDataDir(loaded, context.io.env)
  try {
    const existing = await nearestExisting(folder)
    if (!(await stat(existing)).isDirectory()) throw new Error(`${existing} is a file`)
    await access(existing, constants.W_OK)
    if (starts && loaded.config.store?.url === undefined && (await isThere(join(folder, 'svc.db')))) {
      await context.use({}, async () => {})
    }
    const { bavail, bsize } = await statfs(existing)
    const freeMb = Math.floor((bavail * bsize) / 1e6)
    if (freeMb < 100)
      return {
        name: 'data folder',
        result: 'warn',
        message: `${folder}: only ${freeMb} MB free`,
        fix: 'make room, or set SVC_DATA_DIR',
      }
    return { name: 'data folder', result: 'ok', message: `${folder} (${freeMb} MB free)` }
  } catch (thrown) {
    return {
      name: 'data folder',
      result: 'fail',
      message: SvcError.isInstance(thrown) ? thrown.message : `${folder}: ${toSvcError(thrown).message}`,
      fix: 'set SVC_DATA_DIR to a folder you can write to',
    }
  }
}

/** Which sandbox the programs of tools run in, by running one. */
async function sandbox({ config }: LoadedConfig): Promise<Check> {
  const { sandbox: choice = 'auto' } = config.policy ?? {}
  if (choice === 'none') {
    const message = 'none: policy.sandbox says so, and programs of tools see all that you see'
    return { name: 'sandbox', result: 'warn', message, fix: 'take policy.sandbox out of the config' }
  }
  const { kind, problems } = await findSandbox(choice)
  if (kind === undefined) {
    const message = `run_command is refused: ${problems.join('; ')}`
    return { name: 'sandbox', result: 'warn', message, fix: SANDBOX_FIX }
  }
  return { name: 'sandbox', result: 'ok', message: [kind, ...problems].join('; ') }
}

async function nearestExisting(folder: string): Promise<string> {
  for (let path = folder; ; path = dirname(path)) {
    if ((await isThere(path)) || path === dirname(path)) return path
  }
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

async function runtimeChecks(
  context: CommandContext,
): Promise<{ defaultModel?: string; starts: boolean; checks: Check[] }> {
  try {
    return await context.useOwn({ persist: false }, async ({ runtime, loaded }) => {
      const said = new Set(loaded.problems.map(describeProblem))
      const { defaultModel, defaultModelError, plugins, tools, providers } = await runtime.describe()
      const usable = providers.flatMap(({ id, error }) => (error === undefined ? id : []))
      const model: Check =
        defaultModelError === undefined
          ? { name: 'model', result: 'ok', message: defaultModel }
          : { name: 'model', result: 'fail', ...withFix(defaultModel, toModelFix(defaultModelError)) }
      const checks: Check[] = [
        model,
        ...providers.flatMap(({ id, error }): Check[] =>
          error === undefined || said.has(error) ? [] : [{ name: `provider ${id}`, result: 'warn', ...withFix(error) }],
        ),
        ...(context.flags.online ? await reach(context, usable) : []),
        { name: 'plugins', result: 'ok', message: plugins.map(({ name }) => name).join(', ') },
        { name: 'tools', result: 'ok', message: tools.map(({ id }) => id).join(', ') },
      ]
      return { starts: true, checks, ...(defaultModelError === undefined && { defaultModel }) }
    })
  } catch (thrown) {
    const error = toSvcError(thrown)
    return { starts: false, checks: [{ name: 'runtime', result: 'fail', ...withFix(error.message) }] }
  }
}

/** A message that says itself what to do, as its cause and its cure; else with the cure given. */
function withFix(message: string, otherwise?: string): Pick<Check, 'message' | 'fix'> {
  const [cause = message, fix = otherwise] = message.split('. Fix: ')
  return { message: cause, ...(fix !== undefined && { fix }) }
}

const UNREACHED: ReadonlySet<string> = new Set(['provider_unavailable', 'provider_timeout'])

function toModelFix({ code }: ErrorInfo): string {
  if (UNREACHED.has(code)) return 'start the model server, or correct its address (SVC_MODEL_BASE_URL, or baseUrl)'
  if (code === 'provider_auth') return 'correct the key'
  return 'name a model, as SVC_MODEL=provider/model or as model in the config'
}

/** Asks each provider for one short answer. */
async function reach(context: CommandContext, ids: readonly string[]): Promise<Check[]> {
  const checks: Check[] = []
  for (const id of ids) {
    const { problem, learnt } = await askModel(context, id)
    checks.push({
      name: `provider ${id}`,
      result: problem === undefined ? 'ok' : 'fail',
      message: problem ?? (learnt.length === 0 ? 'answered' : 'answered, asked in its own way'),
      ...(learnt.length === 0 ? {} : { fix: toFix(id, learnt) }),
    })
  }
  return checks
}

/** Model servers of this machine that no provider is at. */
async function localServers(loaded: LoadedConfig): Promise<Check[]> {
  const used = new Set(loaded.providers.map(({ config }) => config.baseUrl?.replace('localhost', '127.0.0.1')))
  const found = await findLocalServers()
  return found
    .filter(({ baseUrl }) => !used.has(baseUrl))
    .map((server) => ({ name: 'local models', result: 'ok', message: describeLocalServer(server) }))
}
