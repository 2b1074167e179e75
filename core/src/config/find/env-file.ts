import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { readBytes } from '../read/read-data.ts'
import { kindOf } from './paths.ts'

/** What a `.env` may set: settings of svc, its keys, and keys and addresses of model providers. */
const TAKEN = /^(?:SVC_\w+|SERVICE_API_KEY|\w+_API_KEY|\w+_BASE_URL|OLLAMA_HOST)$/
/** These say what is read, and where things are kept, before a `.env` is read. */
const TOO_LATE: ReadonlySet<string> = new Set(['SVC_CONFIG', 'SVC_TRUST', 'SVC_DATA_DIR', 'SVC_LOG', 'SVC_URL'])

/** The variables of a `.env` that svc takes; none where it cannot be read. */
export function readEnvFile(file: string): Record<string, string> {
  try {
    return parseEnvFile(readBytes(file))
  } catch {
    return {}
  }
}

/** The variables that svc takes of what stands in a `.env`. */
export function parseEnvFile(bytes: Buffer): Record<string, string> {
  const found = Object.entries(parseEnv(bytes.toString('utf8'))).flatMap(([name, value]): [string, string][] =>
    value !== undefined && TAKEN.test(name) && !TOO_LATE.has(name) ? [[name, value]] : [],
  )
  return Object.fromEntries(found)
}

/** The `.env` of a folder, where it sets something that svc takes; one of another program is none of svc's business. */
export function findEnvFile(folder: string): string | undefined {
  const file = join(folder, '.env')
  return kindOf(file) === 'file' && Object.keys(readEnvFile(file)).length > 0 ? file : undefined
}
