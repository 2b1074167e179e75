/** The MCP server in the scenarios of the official conformance suite, of both eras. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { openServer, serverSuite } from '../fixtures/open-server.ts'

const test = serverSuite('the conformance suite of MCP for servers')

const SUITE = join(
  createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'),
  '..',
  'dist/index.js',
)
const OLD_NODE = fileURLToPath(new URL('../../../plugins/test/fixtures/mcp/old-node.mjs', import.meta.url))

/** How each scenario of a revision came out. */
function run(url: string, revision: string, folder: string): Promise<Map<string, string>> {
  const words = ['server', '--url', `${url}/mcp`, '--suite', 'all', '--spec-version', revision, '--timeout', '300000', '-o', folder]
  return new Promise((resolve) => {
    execFile(process.execPath, ['--import', OLD_NODE, SUITE, ...words], { maxBuffer: 1 << 26 }, (_error, out) => {
      resolve(new Map([...out.matchAll(/^[✓✗] (\S+): (\d+ passed, \d+ failed)/gm)].map(([, name = '', verdict = '']) => [name, verdict])))
    })
  })
}

/** Scenarios that any server can pass. The others ask for tools, resources and prompts with certain names, which svc does not have. */
const FOR_ALL: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': [
    'server-initialize',
    'server-session-lifecycle',
    'ping',
    'tools-list',
    'server-sse-multiple-streams',
    'resources-list',
    'prompts-list',
    'dns-rebinding-protection',
  ],
  '2026-07-28': [
    'tools-list',
    'server-sse-multiple-streams',
    'resources-list',
    'sep-2164-resource-not-found',
    'prompts-list',
    'dns-rebinding-protection',
    'caching',
    'http-header-validation',
    'input-required-result-unsupported-methods',
    'input-required-result-validate-input',
  ],
}
/** Of its 28 checks four ask for tools that are made for them. */
const STATELESS = '24 passed, 4 failed'

for (const [revision, names] of Object.entries(FOR_ALL))
  test(`${revision}: what asks for nothing but an MCP server is passed`, async () => {
    const world = await openServer()
    await world.runtime.runs.wait((await world.runtime.runs.create({ task: 'A run that is a resource' })).id)
    const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-'))
    const verdicts = await run(world.url, revision, folder)
    rmSync(folder, { recursive: true, force: true })
    assert.ok(verdicts.size >= 33, `${verdicts.size} scenarios`)
    for (const name of names) assert.match(verdicts.get(name) ?? 'was not run', /^[1-9]\d* passed, 0 failed$/, name)
    if (revision === '2026-07-28') assert.is(verdicts.get('server-stateless'), STATELESS)
  })

test.run()
