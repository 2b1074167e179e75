/** S16: a key goes to the origin that it was named for, whatever that one answers. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { attackWithout } from '../../../.tools/weakened.mjs'
import { createGuardedFetch } from '../../src/tools/web/guarded-fetch.ts'
import { failureOf } from '../fixtures/tool-context.ts'
import { attack, KEY_HEADERS, openOrigins, seenFromTool } from './s16-redirect-attack.ts'

const test = suite('S16 redirects')

const ATTACK = 'plugins/test/security/s16-redirect-attack.ts'

test('a redirect to another origin takes along no header of whatever name, no body and no change', async () => {
  assert.equal(await attack(), { tool: [], putBody: [], providers: [] })
  const origins = await openOrigins()
  for (const method of ['GET', 'POST', 'PUT', 'DELETE'] as const)
    for (const status of [302, 307])
      assert.equal(await seenFromTool(origins, method, status), [], `${method} ${status}`)
  origins.close()
})

test('without the list of what may go along, all keys do, and the body and the change do too', async () => {
  const guard = 'plugins/src/tools/web/guarded-fetch.ts'
  const seen = (await attackWithout(ATTACK, [
    { file: guard, name: 'isForeign', weaken: '() => () => false' },
    { file: 'plugins/src/providers/create-provider.ts', name: 'keepAtHome', weaken: '() => (fetcher) => fetcher' },
  ])) as Awaited<ReturnType<typeof attack>>
  assert.equal(seen.tool, [...KEY_HEADERS].sort())
  assert.equal(seen.putBody, [...KEY_HEADERS, 'body', 'PUT'].sort())
  assert.ok(seen.providers.includes('x-api-key'), JSON.stringify(seen.providers))
  assert.ok(seen.providers.includes('body'), JSON.stringify(seen.providers))
})

test('another port, another name and a way back are other origins; the same one keeps its headers', async () => {
  const seen: IncomingHttpHeaders[] = []
  const servers = [0, 1].map(() =>
    createServer((request, response) => {
      seen.push(request.headers)
      const to = new URL(request.url ?? '', 'http://x').searchParams.get('to')
      if (to === null) response.end('end')
      else response.writeHead(307, { location: to }).end()
    }),
  )
  for (const server of servers) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const [home, other] = servers.map((server) => (server.address() as AddressInfo).port)
  const guarded = createGuardedFetch({ allowHosts: ['127.0.0.1', 'localhost'] })
  const via = (to: string) => `http://127.0.0.1:${home}/?to=${encodeURIComponent(to)}`
  const headers = { 'x-api-key': 'k', accept: 'text/plain', 'accept-language': 'de', 'user-agent': 'me' }
  for (const [to, kept] of [
    ['/end', 'k'],
    [via('/end'), 'k'],
    [`http://localhost:${home}/`, undefined],
    [`http://127.0.0.1:${other}/`, undefined],
    [`http://127.0.0.1:${other}/?to=${encodeURIComponent(`http://127.0.0.1:${home}/`)}`, undefined],
  ] as const) {
    assert.is(await (await guarded(via(to), { headers })).text(), 'end', to)
    const { 'x-api-key': key, ...rest } = seen.at(-1) ?? {}
    assert.is(key, kept, to)
    assert.is(`${rest.accept} ${rest['accept-language']} ${rest['user-agent']}`, 'text/plain de me')
  }
  const refused = await failureOf(guarded(via(`http://localhost:${home}/`), { method: 'POST', body: 'x', headers }))
  assert.is(refused.code, 'tool_failed')
  assert.match(refused.message, `redirects a POST to http://localhost:${home}`)
  for (const server of servers) server.close()
})

test.run()
