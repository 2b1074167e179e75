/** Ways to this machine and its network, and to a host that a rule closes. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { definePlugin, type PolicyRule, startRuntime, type Tool, toSvcError } from '@svc/core'
import { scriptedProvider } from '@svc/core/testing'
import { execution, tiny } from '../../../core/test/fixtures/tiny-plugins.ts'
import { httpFetch, toTool } from '../../src/tools/index.ts'
import { createGuardedFetch } from '../../src/tools/web/guarded-fetch.ts'

/** A server on every address of this machine, which sends to where `to` says, and notes who reached it. */
export async function openTrap() {
  const reached: string[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://x')
    reached.push(`${request.headers.host?.split(':')[0]}${url.pathname}`)
    const to = url.searchParams.get('to')
    if (to === null) response.end('canary')
    else response.writeHead(302, { location: to }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = (): void => {
    server.closeAllConnections()
    server.close()
  }
  return { reached, port, close }
}

/** Each is an address of this machine or its network, or no address of the web. */
export const NOTATIONS = (
  '127.0.0.1 127.1 2130706433 0x7f000001 0177.0.0.1 0x7f.1 017700000001 [::1] [::ffff:7f00:1] [::ffff:127.0.0.1] ' +
  '[64:ff9b::7f00:1] [64:ff9b:1::7f00:1] [2002:7f00:1::] 0 0.0.0.0 [::] localhost localhost. LOCALHOST a.localhost ' +
  '100.64.0.1 169.254.169.254 10.0.0.1 172.16.0.1 192.168.0.1 198.18.0.1 224.0.0.1 255.255.255.255 [fd00::1] [fe80::1] ' +
  '[ff02::1] [::127.0.0.1] [100::1] [2001:db8::1] [fec0::1] 168.63.129.16 192.0.0.192 240.0.0.1 ⓛocalhost １２７.０.０.１ ①②⑦.⓪.⓪.① 127。0。0。1 user@127.0.0.1 user:pass@127.0.0.1 example.org@127.0.0.1'
).split(' ')
export const SCHEMES = ['file:///etc/passwd', 'gopher://127.0.0.1/', 'data:text/plain,x', 'ftp://127.0.0.1/', 'blob:x']

/**
 * What a fetch that is guarded reached of this machine: by notation, by a name that changes its mind, by a redirect.
 *
 * @param patienceMs how long it waits for addresses of other networks, which may not answer; a refusal comes at once
 */
export async function reachLocal(patienceMs = 60_000): Promise<string[]> {
  const { reached, port, close } = await openTrap()
  const codes: string[] = []
  const call = async (fetcher: typeof fetch, url: string): Promise<void> => {
    const signal = AbortSignal.timeout(patienceMs)
    const code = await fetcher(url, { signal }).then(
      () => 'ok',
      (error) => toSvcError(error).code,
    )
    if (code !== 'ssrf_blocked') codes.push(`${url} ${code}`)
  }
  const plain = createGuardedFetch()
  const addresses = NOTATIONS.map((host) => `http://${host}:${port}/`)
  const notations = [...addresses, ...SCHEMES].map((url) => call(plain, url))
  let asked = 0
  // public when it is looked up first, and private from then on
  const lookup = async () => [{ address: asked++ === 0 ? '192.0.2.1' : '127.0.0.1', family: 4 }]
  const flipping = createGuardedFetch({ lookup, timeoutMs: 2_000 })
  for (let tries = 0; tries < 3; tries++) await call(flipping, `http://flip.example:${port}/`)
  const named = createGuardedFetch({ allowHosts: [`127.0.0.1:${port}`] })
  const targets = [`http://localhost:${port}/`, `http://[::1]:${port}/`, 'http://10.0.0.1/', ...SCHEMES]
  const redirects = targets.map((to) => call(named, `http://127.0.0.1:${port}/start?to=${encodeURIComponent(to)}`))
  await Promise.all([...notations, ...redirects])
  close()
  return [...codes, ...reached.filter((one) => one !== '127.0.0.1/start')]
}

export const HOST_RULES: Readonly<Record<string, PolicyRule[]>> = {
  allow: [{ tool: '*', decision: 'allow', hosts: ['good.example'] }],
  deny: [
    { tool: '*', decision: 'allow' },
    { tool: '*', decision: 'deny', hosts: ['evil.example'] },
  ],
  ask: [{ tool: '*', decision: 'ask' }],
}

/** What became of a call of http_fetch, a drop-in and a tool in code, that good.example sends on to evil.example. */
export async function redirectPastRules(rules: readonly PolicyRule[], start = 'good', end = 'evil') {
  const { reached, port, close } = await openTrap()
  const fetcher = createGuardedFetch({
    allowPrivate: true,
    lookup: async () => [{ address: '127.0.0.1', family: 4 }],
  })
  const url = `http://${start}.example:${port}/start?to=${encodeURIComponent(`http://${end}.example:${port}/`)}`
  const http = { method: 'GET' as const, url: '{url}', hosts: ['good.example', 'evil.example'] }
  const parameters = { type: 'object', properties: { url: { type: 'string' } } }
  const shared = { description: 'Reads.', parameters, risk: 'network' as const }
  const template = url.replace('/start', '/{path}')
  const dropIn = toTool(
    'drop_in',
    { ...shared, parameters: { type: 'object', properties: { path: {} } }, http: { ...http, url: template } },
    { createFetch: () => fetcher },
  )
  const inCode: Tool = {
    ...shared,
    id: 'in_code',
    touches: async (args) => ({ hosts: [(args as { url: string }).url] }),
    run: async (args, context) => (await context.fetch((args as { url: string }).url)).text(),
  }
  const codes: string[] = []
  const act = tiny({
    execute: async (run) => {
      for (const [index, tool] of [httpFetch.id, 'drop_in', 'in_code'].entries()) {
        const args = tool === 'drop_in' ? { path: 'start' } : { url }
        const { ok, error } = await run.tool({ key: `c${index}`, callId: `c${index}`, agentId: 'agent-1', tool, args })
        codes.push(ok ? 'ok' : (error?.code ?? 'failed'))
      }
      return execution('done')
    },
  })
  const tools = definePlugin('tools', (host) => {
    for (const tool of [httpFetch, dropIn, inCode]) host.tools.add(tool.id, tool)
    host.providers.add(
      'scripted',
      scriptedProvider('scripted', () => 'x'),
    )
  })()
  const runtime = await startRuntime({
    plugins: [{ plugin: tools }, { plugin: act }],
    defaultModel: 'scripted',
    config: { policy: { rules: [...rules] } },
    fetch: fetcher,
  })
  runtime.onEvent(({ type, data }) => {
    if (type === 'approval.requested') {
      runtime.approvals.resolve((data as { id: string }).id, { decision: 'approve' }).catch(() => {})
    }
  })
  const { id } = await runtime.runs.create({ task: 'x', approval: 'wait' })
  for (let run = await runtime.runs.wait(id); run.status === 'waiting'; run = await runtime.runs.wait(id)) {
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  await runtime.close()
  close()
  return { codes, evil: reached.filter((one) => one.startsWith('evil.example')).length }
}

export async function attack() {
  const past: Record<string, Awaited<ReturnType<typeof redirectPastRules>>> = {}
  for (const [name, rules] of Object.entries(HOST_RULES)) past[name] = await redirectPastRules(rules)
  return { local: await reachLocal(10_000), past }
}
