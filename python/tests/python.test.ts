/** The Python client's own tests, each module in a process of its own, and whether its types are those of the schemas. */
import { execFileSync, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { generatePython } from '../../.tools/generate-python.ts'
import { argumentsFor } from '../../.tools/launch.ts'

const test = suite('python')
const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'python')
const modules = readdirSync(join(folder, 'tests')).filter((name) => /^test_.*\.py$/.test(name))
const python = process.env.SVC_TEST_PYTHON ?? 'python3'
const missing = findMissing()

/** Why no Python test can run here; undefined where they can. */
function findMissing(): string | undefined {
  try {
    execFileSync(python, ['-c', 'import sys; assert sys.version_info >= (3, 9)'], { stdio: 'pipe' })
    return undefined
  } catch {
    return `there is no ${python} of version 3.9 or newer`
  }
}

function runModule(name: string): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(python, ['-X', 'dev', '-m', 'unittest', '-v', `tests.${name.replace(/\.py$/, '')}`], {
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
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    child.stderr.on('data', (chunk) => {
      output += chunk
    })
    child.on('close', (code) => resolve({ code, output }))
  })
}

test('the types of the Python client are what the schemas say: npm run python:types', () => {
  for (const [path, text] of Object.entries(generatePython())) {
    assert.is(readFileSync(join(root, path), 'utf8') === text, true, `${path} is not what the generator writes`)
  }
})

/** Two at once: the longest module takes as long as all others together. */
const runs = new Map<string, Promise<{ code: number | null; output: string }>>()
test.before(() => {
  if (missing !== undefined) return
  const lanes: Promise<unknown>[] = [Promise.resolve(), Promise.resolve()]
  modules.forEach((name, index) => {
    const ran = (lanes[index % 2] as Promise<unknown>).then(() => runModule(name))
    lanes[index % 2] = ran
    runs.set(name, ran)
  })
})

for (const name of modules) {
  if (missing !== undefined) {
    test(`${name} is skipped: ${missing}`, () => console.log(`skipped ${name}: ${missing}`))
    continue
  }
  test(`${name} passes`, async () => {
    const { code, output } = (await runs.get(name)) ?? { code: 1, output: 'was not run' }
    for (const [, what, why] of output.matchAll(/^(\w+) .*skipped '(.*)'$/gm)) console.log(`skipped ${what}: ${why}`)
    const [, count = '0'] = /^Ran (\d+) tests? in/m.exec(output) ?? []
    assert.is(code, 0, output)
    assert.ok(Number(count) > 0, output)
  })
}

test.run()
