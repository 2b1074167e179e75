/** S3: a name that somebody else pointed at this machine (DNS rebinding) is not answered. */
import * as assert from 'uvu/assert'
import { ROUTES } from '../../src/index.ts'
import { openServer, sendRaw, serverSuite } from '../fixtures/open-server.ts'

const test = serverSuite('S3 names of the server')

const ask = async (port: number, host: string | undefined): Promise<string> => {
  const line = host === undefined ? '' : `Host: ${host}\r\n`
  return sendRaw(port, `GET /v1/runs HTTP/1.1\r\n${line}Connection: close\r\n\r\n`)
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
    `127.0.0.1:${port + 1}`,
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
  assert.match(
    await sendRaw(port, 'GET /health HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n'),
    /^HTTP\/1\.1 421 /,
  )
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
  for (const name of [
    '127.0.0.2',
    `127.0.0.3:${port}`,
    `evil.example:${port}`,
    `127.0.0.2.evil:${port}`,
    `127.0.0.2:${port + 1}`,
  ])
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
