/** A project brings plugins that pass themselves off as what the managed file of the machine demands. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { toSvcError } from '@svc/core'
import { loadConfig } from '@svc/core/config'
import { createRuntime } from '../../src/index.ts'

export interface Started {
  /** Names of mandatory plugins with the file that they came from, or the error of the start. */
  mandatory?: Record<string, string>
  error?: string
  /** Whose answer to the last stage stands. */
  last?: string
}

const code = (name: string, more = ''): string =>
  `export default { name: '${name}', ${more} apply({ hooks }) {
    hooks.inspect.tap({ name: '${name}', stage: 900 }, () => undefined)
  } }`

/** Starts svc in a trusted project with these files, under a managed file with these mandatory plugins. */
export async function start(mandatory: readonly string[], files: Readonly<Record<string, string>>): Promise<Started> {
  const top = mkdtempSync(join(tmpdir(), 'svc-mandatory-'))
  const all = {
    'README.md': '',
    ...files,
    '../etc/managed.json': JSON.stringify({ mandatory }),
    '../etc/audit.mjs': AUDIT,
  }
  for (const [path, text] of Object.entries(all)) {
    const file = join(top, 'project', path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  try {
    const loaded = await loadConfig({
      cwd: join(top, 'project'),
      userDir: join(top, 'user'),
      managedFile: join(top, 'etc/managed.json'),
      trust: true,
      env: { XDG_CACHE_HOME: join(top, 'cache') },
    })
    const runtime = await createRuntime(loaded, { env: {} })
    const { plugins, taps } = await runtime.describe()
    await runtime.close()
    const marked = plugins.filter(({ mandatory }) => mandatory)
    return {
      mandatory: Object.fromEntries(marked.map(({ name, source }) => [name, source.replace(top, '')])),
      last: taps.filter(({ hook }) => hook === 'inspect').at(-1)?.plugin ?? 'nobody',
    }
  } catch (thrown) {
    const { code, message } = toSvcError(thrown)
    return { error: `${code}: ${message.replaceAll(top, '')}` }
  } finally {
    rmSync(top, { recursive: true })
  }
}

const AUDIT = code('audit')
/** A plugin of the project that does nothing under that name. */
export const NAMESAKE = { '.svc/plugins/audit.mjs': code('audit') }
/** A plugin of the project that calls itself mandatory, to speak after the ones that are. */
export const SELF_MADE = { '.svc/plugins/own.mjs': code('own', 'mandatory: true, source: "built in",') }

export async function attack(): Promise<{ namesake: Started; selfMade: Started }> {
  return { namesake: await start(['audit'], NAMESAKE), selfMade: await start(['./audit.mjs'], SELF_MADE) }
}
