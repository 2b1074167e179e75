/** A folder with an experiment and a scripted model, with nothing of this machine in it. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { definePlugin, type ModelRequest, type SvcConfig, toText } from '@svc/core'
import { type ScriptedAnswer, scriptedProvider } from '@svc/core/testing'
import { type ExperimentOptions, type PreparedExperiment, prepareExperiment } from '../../src/experiment/index.ts'

const made: string[] = []
process.on('exit', () => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true })
})

export interface World {
  work: string
  env: Record<string, string>
  put(name: string, content: unknown): string
}

export function makeWorld(files: Record<string, unknown> = {}): World {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'svc-experiment-')))
  made.push(top)
  const work = join(top, 'work')
  const env = { HOME: join(top, 'home'), XDG_CONFIG_HOME: join(top, 'home/.config'), PATH: process.env.PATH ?? '' }
  const put = (name: string, content: unknown): string => {
    const file = join(work, name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
    return file
  }
  put('.git/HEAD', '')
  for (const [name, content] of Object.entries(files)) put(name, content)
  return { work, env, put }
}

/** All that a model is asked, as one text. */
export const textOf = ({ messages }: ModelRequest): string => messages.map(({ content }) => toText(content)).join('\n')

/** Settings with a model that answers from a script; `asked` fills with what it is asked. */
export function scripted(
  answer: (text: string, request: ModelRequest) => ScriptedAnswer | Promise<ScriptedAnswer>,
  price?: { input: number; output: number },
): { flags: SvcConfig; asked: ModelRequest[] } {
  const asked: ModelRequest[] = []
  const provider = scriptedProvider(
    'scripted',
    (request) => {
      asked.push(request)
      return answer(textOf(request), request)
    },
    { models: [{ id: 'scripted', tools: true, json: 'schema', ...(price && { price }) }] },
  )
  const model = definePlugin('scripted-model', ({ providers }) => providers.add('scripted', provider))()
  return { flags: { plugins: [model], model: 'scripted/scripted' }, asked }
}

/** Checks an experiment of a world; what is no text becomes JSON. */
export const prepareIn = (
  world: World,
  experiment: unknown,
  options: ExperimentOptions = {},
): Promise<PreparedExperiment> =>
  prepareExperiment(world.put('experiment.json', experiment), { cwd: world.work, env: world.env, ...options })

/** The same for what JSON cannot hold: functions and plugins. */
export function prepareCode(
  world: World,
  experiment: unknown,
  options: ExperimentOptions = {},
): Promise<PreparedExperiment> {
  const name = `experiment${++codes}`
  Reflect.set(globalThis, name, experiment)
  const file = world.put(`${name}.mjs`, `export default globalThis.${name}\n`)
  return prepareExperiment(file, { cwd: world.work, env: world.env, trust: true, ...options })
}
let codes = 0
