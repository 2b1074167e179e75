/** The MCP server in the scenarios of the official conformance suite, of both eras. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import express, { type NextFunction, type Request, type Response } from 'express'
import * as assert from 'uvu/assert'
import { inAnyShape } from '../../src/adapters/any-shape.ts'
import { McpEndpoint } from '../../src/adapters/mcp/http/endpoint.ts'
import { mcpRoutes } from '../../src/adapters/mcp/http/routes.ts'
import { loadMcpPackage } from '../../src/adapters/mcp/load-package.ts'
import { StreamHub } from '../../src/events/stream-hub.ts'
import { dispatch } from '../../src/http/dispatch.ts'
import { knownHosts } from '../../src/http/request/hosts.ts'
import { RateLimit } from '../../src/http/request/rate-limit.ts'
import { sendError } from '../../src/http/send.ts'
import type { RouteRequest } from '../../src/index.ts'
import { Metrics } from '../../src/observe/metrics.ts'
import { ProviderWatch } from '../../src/observe/provider-watch.ts'
import { StoreWatch } from '../../src/observe/store-watch.ts'
import { HeldRequests } from '../../src/runs/held-requests.ts'
import { Waiters } from '../../src/runs/waiters.ts'
import type { ServerContext } from '../../src/server-context.ts'
import { everything } from '../fixtures/mcp-everything.ts'
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
  const words = [
    'server',
    '--url',
    `${url}/mcp`,
    '--suite',
    'all',
    '--spec-version',
    revision,
    '--timeout',
    '300000',
    '-o',
    folder,
  ]
  return new Promise((resolve) => {
    execFile(process.execPath, ['--import', OLD_NODE, SUITE, ...words], { maxBuffer: 1 << 26 }, (_error, out) => {
      resolve(
        new Map(
          [...out.matchAll(/^[✓✗] (\S+): (\d+ passed, \d+ failed)/gm)].map(([, name = '', verdict = '']) => [
            name,
            verdict,
          ]),
        ),
      )
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

/** Not passed: the package checks headers for arguments where a server is made of its other class, which the adapter does not use. */
const MISSED: Readonly<Record<string, readonly string[]>> = {
  '2025-11-25': [],
  '2026-07-28': ['http-custom-header-server-validation'],
}

for (const [revision, names] of Object.entries(MISSED))
  test(`${revision}: a server that has what the scenarios ask for passes them over the transport of the adapter`, async () => {
    const server = await serveEverything()
    const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-'))
    const verdicts = await run(server.url, revision, folder)
    rmSync(folder, { recursive: true, force: true })
    await server.close()
    const missed = [...verdicts].filter(([, verdict]) => !/ 0 failed$/.test(verdict)).map(([name]) => name)
    assert.ok(verdicts.size >= 33, `${verdicts.size} scenarios`)
    assert.equal(missed, names)
  })

/** A server of HTTP whose one route is the endpoint of the adapter over the other server. */
async function serveEverything(): Promise<{ url: string; close(): Promise<void> }> {
  const world = await openServer()
  const endpoint = new McpEndpoint(await loadMcpPackage(), everything)
  const { runtime } = world
  const limits = {
    requestsPerMinute: 1_000_000,
    bodyBytes: 1e6,
    conversationBytes: 1e6,
    jsonDepth: 64,
    sseTotal: 100,
    ssePerKey: 100,
    sseBufferBytes: 1e6,
    payloadBytes: 1e6,
    taskChars: 1_000,
  }
  const streams = new StreamHub(runtime, limits)
  const context: ServerContext = {
    runtime,
    limits,
    streams,
    experiments: undefined,
    metrics: new Metrics(() => 0, runtime),
    store: new StoreWatch(runtime),
    providers: new ProviderWatch(),
    waiters: new Waiters(runtime, () => false),
    isDraining: false,
    hasKeys: false,
    heldRequests: new HeldRequests(),
    exchange: () => undefined,
  }
  const app = express()
  const routes = mcpRoutes.map((route) => ({ ...route, handle: (request: RouteRequest) => endpoint.handle(request) }))
  dispatch(app, routes, {
    context,
    keys: () => [],
    localKeys: () => ['x'],
    localKeyFile: undefined,
    shapeOfMissing: inAnyShape,
    switchedOff: [],
    rateLimit: new RateLimit(limits.requestsPerMinute),
    signIn: undefined,
    addresses: { isKnownHost: knownHosts([]), allowedOrigins: [] },
    onAuthFailure: () => {},
  })
  app.use((thrown: unknown, request: Request, response: Response, _next: NextFunction) =>
    sendError(thrown, request, response),
  )
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      streams.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test.run()
