/** svc's client in the scenarios of the official conformance suite. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { buildProgram } from '../../../.tools/build-program.mjs'
import { removeBuild } from '../../../.tools/build-tests.mjs'

const test = suite('the conformance suite of MCP')

const SUITE = join(
  createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'),
  '..',
  'dist/index.js',
)
const OLD_NODE = fileURLToPath(new URL('../fixtures/mcp/old-node.mjs', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-'))
let command = ''

/** What is said of each scenario of a suite, or of one by itself. */
function run(name: string, kind: 'suite' | 'scenario' = 'suite'): Promise<Record<string, string>> {
  const words = ['client', '--command', command, `--${kind}`, name, '--timeout', '300000', '--output-dir', folder]
  return new Promise((resolve) => {
    execFile(process.execPath, ['--import', OLD_NODE, SUITE, ...words], { maxBuffer: 1 << 26 }, (_error, out, err) => {
      const alone = /^Passed: (\d+)\/\d+, (.*), 0 warnings$/m.exec(err)
      if (alone !== null) return resolve({ [name]: `${alone[1]} passed, ${alone[2]}` })
      const lines = [...`${out}\n${err}`.matchAll(/^[✓✗] (\S+): (\d+ passed, .*)$/gm)]
      resolve(Object.fromEntries(lines.map(([, scenario = '', verdict = '']) => [scenario, verdict])))
    })
  })
}

/** Measures how late a client comes back, which a busy machine decides. */
const TIMED = 'sse-retry'

/** The scenarios that are not passed whole. */
const missed = (verdicts: Record<string, string>): string[] =>
  Object.entries(verdicts).flatMap(([scenario, verdict]) =>
    scenario === TIMED || /^\d+ passed, 0 failed$/.test(verdict) ? [] : [`${scenario}: ${verdict}`],
  )

test.before(async () => {
  command = [
    process.execPath,
    ...(await buildProgram(new URL('../fixtures/mcp/conformance-client.ts', import.meta.url))),
  ].join(' ')
})
test.after(() => {
  removeBuild()
  rmSync(folder, { recursive: true, force: true })
})

// Of the extensions of the suite, those are left out that sign in by workload identity or enterprise login, bind tokens to keys
// (DPoP), or load skills from servers: svc does none of these.

test('what servers of the two revisions before the current one need is done, signing in included', async () => {
  const verdicts = await run('core')
  assert.is(Object.keys(verdicts).length, 18)
  // There is no public address that describes svc as a client, so it registers itself instead: a should, not a must.
  assert.equal(missed(verdicts), ['auth/basic-cimd: 17 passed, 0 failed, 1 warnings'])
})

test('what the current revision needs is done', async () => {
  const verdicts = await run('draft')
  assert.is(Object.keys(verdicts).length, 17)
  assert.equal(missed(verdicts), [])
})

test('a schema of a tool is kept as the server wrote it', async () => {
  assert.equal(await run('json-schema-2020-12-preservation', 'scenario'), {
    'json-schema-2020-12-preservation': '9 passed, 0 failed',
  })
})

test('servers that sign people in as the first revisions did are signed in to', async () => {
  const verdicts = await run('backcompat')
  assert.is(Object.keys(verdicts).length, 2)
  assert.equal(missed(verdicts), [])
})

test('svc signs in as itself, with a secret or a key, where no person does', async () => {
  for (const scenario of ['auth/client-credentials-basic', 'auth/client-credentials-jwt'])
    assert.match((await run(scenario, 'scenario'))[scenario] ?? '', /^[1-9]\d* passed, 0 failed$/, scenario)
})

test.run()
