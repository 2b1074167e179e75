import type { Warning } from '../../contracts/warning.ts'
import { nearest } from '../../text/nearest.ts'
import type { EnvironmentVariables } from '../find/paths.ts'
import type { Layer } from '../merge/merge.ts'
import { checkConfig } from './check-config.ts'
import { invalid } from './config-error.ts'
import { type ConfigVariable, configVariables } from './config-variables.ts'
import { readRegularFile } from './read-regular-file.ts'

/**
 * Reads the settings of environment variables, one layer for each. An empty one counts as unset.
 *
 * @throws ConfigError `config_invalid` naming the variable
 */
export function readEnvironment(env: EnvironmentVariables): Layer[] {
  const layers: Layer[] = []
  for (const name of Object.keys(env).filter(isOwn).sort()) {
    const variable = configVariables().get(name)
    const text = env[name]?.trim()
    if (variable?.path === undefined || text === undefined || text === '') continue
    const source = `environment variable ${name}`
    const value = toValue(text, variable.kind)
    if (value === undefined)
      throw invalid(source, `must be ${EXPECTED[variable.kind]}, not "${text.slice(0, 80)}"${cureOf(text)}`)
    const config = variable.path.reduceRight<unknown>((inner, field) => ({ [field]: inner }), value)
    layers.push({ source, config: checkConfig(config, source) })
  }
  return layers
}

/** The same of a project's `.env`, which names no code and no programs: what trust covers is read from files. */
export const readProjectVariables = (env: EnvironmentVariables): Layer[] =>
  readEnvironment(Object.fromEntries(Object.entries(env).filter(([name]) => !namesCode(name))))

function namesCode(name: string): boolean {
  const { kind, path } = configVariables().get(name) ?? {}
  return kind === 'json' || kind === 'module' || path?.[0] === 'plugins'
}

/** A pod gets such variables of each service beside it: of one called `svc-server`, `SVC_SERVER_PORT`. */
const cureOf = (text: string): string =>
  text.startsWith('tcp://')
    ? ', which Kubernetes sets for a service of that name: leave it out by enableServiceLinks: false'
    : ''

const isOwn = (name: string): boolean => name.startsWith('SVC_')

const EXPECTED: Readonly<Record<ConfigVariable['kind'], string>> = {
  text: 'a text',
  integer: 'a whole number',
  number: 'a number',
  switch: '1 or 0, or true or false',
  list: 'words separated by commas, or a list in JSON',
  module: 'the path of a module, or false',
  json: 'JSON',
}

function toValue(text: string, kind: ConfigVariable['kind']): unknown {
  switch (kind) {
    case 'text':
      return text
    case 'module':
      return text === 'false' ? false : text
    case 'switch':
      return isOn(text) ? true : text === '0' || text.toLowerCase() === 'false' ? false : undefined
    case 'list':
      return text.startsWith('[') ? toJson(text) : text.split(',').flatMap((word) => word.trim() || [])
    case 'json':
      return toJson(text)
    default: {
      const number = /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : Number.NaN
      return Number.isNaN(number) || (kind === 'integer' && !Number.isInteger(number)) ? undefined : number
    }
  }
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Whether a switch such as `SVC_TRUST` is on. */
export const isOn = (value: string | undefined): boolean => value === '1' || value?.toLowerCase() === 'true'

/** Variables that are read elsewhere. */
const OTHERS = ['SVC_LOG', 'SVC_URL', 'SVC_MODEL_BASE_URL', 'SVC_MODEL_API_KEY', 'SVC_MCP_DEPTH']

/** Names each variable that nothing reads and that is nearly the name of one: nobody is to wait for what it sets. */
export function findMisspelt(env: EnvironmentVariables): Warning[] {
  const names = [...configVariables().keys(), ...OTHERS]
  return Object.keys(env).flatMap((name) => {
    const own = name.replace(/_FILE$/, '')
    if (!isOwn(name) || names.includes(own)) return []
    const meant = nearest(own, names)
    if (meant === undefined) return []
    return { code: 'config_unread', message: `environment variable ${name} is not read: did you mean ${meant}?` }
  })
}

const MOST_BYTES = 1 << 20
const SUFFIX = '_FILE'
/** Keys of model providers; those of a server are read by the server itself, which takes new ones while it runs. */
const PROVIDER_KEY = /^(?!SERVICE_)\w+_API_KEY$/

/**
 * Reads the files that variables name: of `OPENAI_API_KEY_FILE`, `SVC_DATABASE_URL_FILE` and each other setting or key of a
 * provider, the content of the file without the white space around it counts as the variable without `_FILE`.
 *
 * @throws ConfigError `config_invalid` for a file that cannot be read, and where both variables are set
 */
export function readFileVariables(env: EnvironmentVariables): Record<string, string> {
  const read: Record<string, string> = {}
  for (const { variable, name, file } of fileVariables(env)) {
    const source = `environment variable ${variable}`
    if ((env[name] ?? '') !== '') throw invalid(source, `${name} is set as well: take one of them away`)
    const content = readRegularFile(file, MOST_BYTES)
    if ('problem' in content) throw invalid(source, `${file} ${content.problem}`)
    read[name] = content.bytes.toString('utf8').trim()
  }
  return read
}

/** The variables that name a file with the value of another one. */
export function fileVariables(env: EnvironmentVariables): { variable: string; name: string; file: string }[] {
  return Object.entries(env).flatMap(([variable, file]) => {
    if (file === undefined || file === '' || !variable.endsWith(SUFFIX)) return []
    const name = variable.slice(0, -SUFFIX.length)
    if (configVariables().get(name)?.path === undefined && !PROVIDER_KEY.test(name)) return []
    return { variable, name, file }
  })
}
