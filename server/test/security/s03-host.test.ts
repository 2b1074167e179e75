/** S3: a name that somebody else pointed at this machine (DNS rebinding) is not answered. */
import * as assert from 'uvu/assert'
import { ROUTES } from '../../src/index.ts'
import { openServer, sendRaw, serverSuite } from '../fixtures/open-server.ts'

const test = serverSuite('S3 names of the server')

const ask = async (port: number, host: string | undefined, path = '/v1/runs'): Promise<string> => {
  const line = host === undefined ? '' : `Host: ${host}\r\n`
  return sendRaw(port, `GET ${path} HTTP/1.1\r\n${line}Connection: close\r\n\r\n`)
}

test('names that are not its own are answered 421', async () => {
  const world = await openServer()
  const { port } = world
  const names = [
    'evil.example:4000',
    `evil.example:${port}`,
    'localhost.evil',
    `localhost.evil:${port}`,
    `127.0.0.1.evil.example:${port}`,
    `evil@127.0.0.1:${port}`,
    `127.1:${port}`,
    `2130706433:${port}`,
    `[::ffff:127.0.0.1]:${port}`,
    `[::1%25lo]:${port}`,
    `::1:${port}`,
    '',
  ]
  for (const name of names) assert.match(await ask(port, name), /^HTTP\/1\.1 421 /, name)
  assert.match(await ask(port, undefined), /^HTTP\/1\.1 400 /)
  assert.match(await sendRaw(port, 'GET /v1/runs HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 421 /)
  for (const path of ['/health', '/metrics', '/openapi.json', '/console/'])
    assert.match(await ask(port, 'evil.example', path), /^HTTP\/1\.1 421 /, path)
})

test('probes are answered by whatever they call it, and learn nothing but that it is there', async () => {
  const { port } = await openServer()
  for (const host of ['10.0.3.7:4000', 'svc-0.svc.default.svc.cluster.local', `[fd00::7]:${port}`, 'evil.example', ''])
    for (const path of ['/livez', '/readyz', '/readyz?verbose']) {
      const answer = await ask(port, host, path)
      assert.match(answer, /^HTTP\/1\.1 200 /, `${path} of ${host}`)
      assert.match(answer, /\r\n\r\n(ok|(\[\+\](store|draining|provider|queue) ok\n){4}ok)$/, path)
    }
  const page = 'Host: evil.example\r\nOrigin: http://evil.example.org\r\n'
  const answer = await sendRaw(port, `GET /livez HTTP/1.1\r\n${page}Connection: close\r\n\r\n`)
  assert.match(answer, /^HTTP\/1\.1 403 /)
})

test('a port that was published otherwise is its own, and so is the address that it is reached at', async () => {
  const { port } = await openServer()
  for (const host of ['localhost:8080', '127.0.0.1:8080', '[::1]:8080', 'localhost', '127.0.0.1'])
    assert.match(await ask(port, host), /^HTTP\/1\.1 200 /, host)
  const crossed = 'Host: localhost:8080\r\nOrigin: http://localhost:3000\r\n'
  const refused = await sendRaw(port, `GET /v1/runs HTTP/1.1\r\n${crossed}Connection: close\r\n\r\n`)
  assert.match(refused, /^HTTP\/1\.1 403 /)
})

test('a name below a pattern and an address of a range are answered, and nothing beside them', async () => {
  const allowedHosts = [
    '*.example.com',
    '10.0.0.0/8',
    '192.168.1.5',
    'fd00::/8',
    'svc.internal:8443',
    '*.lab:81',
    '2001:db8::1',
  ]
  const { port } = await openServer({ server: { allowedHosts, publicUrl: 'https://svc.example.org/' } })
  for (const host of [
    'svc.example.com',
    'a.b.EXAMPLE.com:8443',
    '10.1.2.3:8080',
    '192.168.1.5:80',
    '[fd12::3]:4000',
    'svc.internal:8443',
    'a.lab:81',
    '[2001:db8::1]:4000',
    'svc.example.org',
    'svc.example.org:443',
  ])
    assert.match(await ask(port, host), /^HTTP\/1\.1 200 /, host)
  for (const host of [
    'example.com',
    'evilexample.com',
    'svc.example.com.evil.org',
    '.example.com.',
    'svc.example.com.',
    '11.0.0.1:4000',
    '10.0.0.1.evil.org',
    '10.evil.org',
    '167772161',
    '0xa.0.0.1',
    'fd00--1.evil.org',
    '[fe80::1]',
    'svc.internal:8444',
    'svc.internal',
    'a.lab:82',
    'svc.example.org.evil.com',
    'a.svc.example.org',
  ])
    assert.match(await ask(port, host), /^HTTP\/1\.1 421 /, host)
})

test('what allows every name, or is no host, is refused at the start with its place', async () => {
  for (const entry of [
    '*',
    '*.',
    '**.example.com',
    'a.*.com',
    'https://svc.example.com',
    '10.0.0.0/33',
    'a b',
    '',
    'x/8',
  ])
    try {
      await openServer({ server: { allowedHosts: [entry] } })
      assert.unreachable(entry)
    } catch (thrown) {
      assert.match(String(thrown), /server\.allowedHosts: .* is no host: write a name, \*\.example\.com/, entry)
    }
})

test('who is refused learns what to set, also from outside of a container', async () => {
  const { port } = await openServer()
  const answer = await ask(port, 'svc.example.com:8080')
  assert.match(answer, /SVC_SERVER_ALLOWED_HOSTS=svc\.example\.com, or with SVC_SERVER_PUBLIC_URL/)
  assert.not.match(answer, /127\.0\.0\.1/)
  assert.not.match(await ask(port, 'a;curl evil.example'), /SVC_SERVER_ALLOWED_HOSTS=/)
})

test('its own names, and those of the config, are answered', async () => {
  const world = await openServer({ server: { allowedHosts: ['svc.example', 'other.example:8080'] } })
  const { port } = world
  for (const name of [
    `127.0.0.1:${port}`,
    `LOCALHOST:${port}`,
    `[::1]:${port}`,
    'svc.example',
    `svc.example:${port}`,
    'other.example:8080',
  ])
    assert.match(await ask(port, name), /^HTTP\/1\.1 200 /, name)
  assert.match(await ask(port, 'other.example:8081'), /^HTTP\/1\.1 421 /)
})

test('a loopback address that it listens at is its own name, and no name of the other one', async () => {
  const { port } = await openServer({ server: { host: '127.0.0.2' } })
  const askThere = async (host: string): Promise<string> =>
    sendRaw(port, `GET /v1/runs HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`, false, '127.0.0.2')
  assert.match(await askThere(`127.0.0.2:${port}`), /^HTTP\/1\.1 200 /)
  assert.match(await askThere(`localhost:${port}`), /^HTTP\/1\.1 200 /)
  assert.match(await askThere('127.0.0.2'), /^HTTP\/1\.1 200 /)
  for (const name of [`127.0.0.3:${port}`, `evil.example:${port}`, `127.0.0.2.evil:${port}`])
    assert.match(await askThere(name), /^HTTP\/1\.1 421 /, name)
  const other = await openServer()
  assert.match(await ask(other.port, `127.0.0.2:${other.port}`), /^HTTP\/1\.1 421 /)
})

test('a request that names the server twice, or in its first line otherwise, is refused on every route', async () => {
  const { port } = await openServer({ server: { allowedHosts: ['svc.example'] } })
  const own = `Host: 127.0.0.1:${port}\r\n`
  const send = (target: string, hosts: string): Promise<string> =>
    sendRaw(port, `GET ${target} HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`)
  for (const { method, path } of ROUTES.filter((route) => route.method === 'GET')) {
    const at = path.replaceAll(/\{\w+\}/g, `run_${'0'.repeat(26)}`)
    assert.match(await send(at, `${own}Host: evil.example\r\n`), /^HTTP\/1\.1 400 /, `${method} ${path}`)
    assert.match(await send(`http://evil.example${at}`, own), /^HTTP\/1\.1 421 /, `${method} ${path}`)
  }
  for (const hosts of [`Host: evil.example\r\n${own}`, own + own, `${own}HOST: svc.example\r\n`])
    assert.match(await send('/v1/runs', hosts), /^HTTP\/1\.1 400 /, hosts)
  for (const target of [
    `http://evil@127.0.0.1:${port}/v1/runs`,
    `http://127.0.0.1:${port}@evil.example/v1/runs`,
    `http://localhost:${port}/v1/runs`,
    `http://127.0.0.1:${port}./v1/runs`,
    'http://svc.example/v1/runs',
    'http:///v1/runs',
    'file:///v1/runs',
    `ftp://127.0.0.1:${port}/v1/runs`,
  ])
    assert.match(await send(target, own), /^HTTP\/1\.1 (400|421) /, target)
  for (const target of [`http://127.0.0.1:${port}/v1/runs`, `HTTP://127.0.0.1:${port}/v1/runs?limit=1`])
    assert.match(await send(target, own), /^HTTP\/1\.1 200 /, target)
})

test('a name that is allowed is answered: it is the list that stops the others', async () => {
  const world = await openServer({ server: { allowedHosts: ['evil.example'] } })
  assert.match(await ask(world.port, 'evil.example:4000'), /^HTTP\/1\.1 200 /)
})

test.run()
