/** Runs Python test modules, each in a process of its own. */
import { execFileSync, spawn } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'uvu'
import * as assert from 'uvu/assert'
import { argumentsFor } from '../../.tools/launch.ts'

export const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'python')
const python = process.env.SVC_TEST_PYTHON ?? 'python3'
const LANES = 2

interface Ran {
  code: number | null
  output: string
}

/** Modules that a `python-<name>.test.ts` runs, so that no file takes long; `python.test.ts` runs all others. */
export const MODULES = {
  package: ['test_package', 'test_restart', 'test_examples'],
  questions: ['test_approvals', 'test_inputs'],
  streams: ['test_streams', 'test_async'],
} as const satisfies Record<string, readonly string[]>

/** Every module of this folder, the longest file first: it takes longest. */
export function findModules(): string[] {
  const sizeOf = (name: string): number => statSync(join(folder, 'tests', `${name}.py`)).size
  return readdirSync(join(folder, 'tests'))
    .flatMap((name) => /^(test_.*)\.py$/.exec(name)?.slice(1, 2) ?? [])
    .sort((a, b) => sizeOf(b) - sizeOf(a))
}

/** Adds a test for each module; where no Python is, each says so instead. */
export function addModules(test: Test, modules: readonly string[]): void {
  const missing = findMissing()
  const runs = new Map<string, Promise<Ran>>()
  test.before(() => {
    if (missing !== undefined) return
    const queue: (() => Promise<void>)[] = []
    for (const name of modules) {
      runs.set(name, new Promise((resolve) => queue.push(() => runModule(name).then(resolve))))
    }
    const work = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) await next()
    }
    for (let lane = 0; lane < LANES; lane++) void work()
  })
  for (const name of modules) {
    if (missing !== undefined) {
      test(`${name} is skipped: ${missing}`, () => console.log(`skipped ${name}: ${missing}`))
      continue
    }
    test(`${name} passes`, async () => {
      const { code, output } = (await runs.get(name)) ?? { code: 1, output: 'it was not run' }
      for (const [, what, why] of output.matchAll(/^(\w+) .*skipped '(.*)'$/gm)) console.log(`skipped ${what}: ${why}`)
      const [, count = '0'] = /^Ran (\d+) tests? in/m.exec(output) ?? []
      assert.ok(code === 0 && Number(count) > 0, output)
    })
  }
}

/** Why no Python test can run here; undefined where they can. */
function findMissing(): string | undefined {
  try {
    execFileSync(python, ['-c', 'import sys; assert sys.version_info >= (3, 9)'], { stdio: 'pipe' })
    return undefined
  } catch {
    return `there is no ${python} of version 3.9 or newer`
  }
}

function runModule(name: string): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(python, ['-m', 'unittest', '-v', `tests.${name}`], {
      cwd: folder,
      env: {
        ...process.env,
        PYTHONPATH: join(folder, 'src'),
        PYTHONDONTWRITEBYTECODE: '1',
        SVC_TEST_COMMAND: JSON.stringify([process.execPath, ...argumentsFor(join(root, 'cli/src/main.ts'))]),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    const add = (chunk: Buffer): void => {
      output += chunk.toString()
    }
    child.stdout.on('data', add)
    child.stderr.on('data', add)
    child.on('close', (code) => resolve({ code, output }))
  })
}
