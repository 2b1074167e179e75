/** S30: a program with network does not reach svc itself: a server of this process, of another one, or the database. */
import { spawn } from 'node:child_process'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { release } from 'node:os'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type CommandResult, createShell } from '../../src/tools/programs/run-command.ts'
import { ProgramRunner } from '../../src/tools/sandbox/program-runner.ts'
import { pathOf } from '../../src/tools/sandbox/wrap.ts'
import { createContext, createWorkspace, failureOf } from '../fixtures/tool-context.ts'
import { kindsHere } from './s30-attack.ts'

const test = suite('S30 port')

const TCP = `use Socket qw(:all); my $to = sockaddr_in($ARGV[0], inet_aton($ARGV[1] // "127.0.0.1"));`
/** Each prints what the server says where it gets through. */
const WAYS: Readonly<Record<string, string>> = {
  'by TCP': `${TCP} socket(S, AF_INET, SOCK_STREAM, 0); connect(S, $to) and print scalar <S>`,
  'by MPTCP': `${TCP} socket(S, AF_INET, SOCK_STREAM, 262); connect(S, $to) and print scalar <S>`,
  'by SMC': `${TCP} socket(S, AF_INET, SOCK_STREAM, 256); connect(S, $to) and print scalar <S>`,
  'by SMC of its own family': `${TCP} socket(S, 43, SOCK_STREAM, 0); connect(S, $to) and print scalar <S>`,
  'with the first data': `${TCP} socket(S, AF_INET, SOCK_STREAM, 0); defined(send(S, "x", 0x20000000, $to)) and print scalar <S>`,
  'by IPv6': `use Socket qw(:all); socket(S, AF_INET6, SOCK_STREAM, 0); connect(S, pack_sockaddr_in6($ARGV[0], inet_pton(AF_INET6, "::ffff:127.0.0.1"))) and print scalar <S>`,
  'in a thread of its own': `${TCP} if (fork == 0) { socket(S, AF_INET, SOCK_STREAM, 0); connect(S, $to) and print scalar <S>; exit } wait`,
  'at any address': `${TCP} for my $host ("127.0.0.2", "0.0.0.0", "127.255.255.254") { socket(S, AF_INET, SOCK_STREAM, 0); connect(S, sockaddr_in($ARGV[0], inet_aton($host))) and print scalar <S> }`,
}

/** A server in a process of another name. */
async function serveElsewhere(title: string): Promise<{ port: number; stop(): void }> {
  const code = `process.title = process.argv[1]; require('net').createServer((s) => s.end('canary\\n')).listen(0, '0.0.0.0', function () { console.log(this.address().port) })`
  const child = spawn(process.execPath, ['-e', code, title], { stdio: ['ignore', 'pipe', 'inherit'] })
  const port = await new Promise<number>((resolve) => child.stdout.once('data', (said) => resolve(Number(said))))
  return { port, stop: () => child.kill() }
}

async function serveHere(): Promise<{ port: number; stop(): void }> {
  const server = createServer((socket) => socket.end('canary\n'))
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve))
  return { port: (server.address() as AddressInfo).port, stop: () => server.close() }
}

const hasScopes = (): boolean => {
  const [major = 0, minor = 0] = release().split('.').map(Number)
  return major > 6 || (major === 6 && minor >= 12)
}

const [kind] = await kindsHere()
if (kind === 'bwrap' && pathOf('perl') !== undefined) {
  const run = async (port: number, closedPorts: number[] = []) => {
    const files = Object.entries(WAYS).map(([name, code]) => [`${name}.pl`, code] as const)
    const { workspace } = await createWorkspace(Object.fromEntries(files))
    const runner = new ProgramRunner({
      sandbox: kind,
      network: true,
      closedPorts,
      guarded: { folders: [], programs: [] },
    })
    const script = `for way in *.pl; do timeout 5 perl "$way" ${port} 2>/dev/null | sed "s/^/$way /"; done`
    return (await createShell(runner).run({ script, timeoutMs: 60_000 }, createContext(workspace))) as CommandResult
  }

  test('no way leads to a server of this process, of another svc, or to a port that is named', async () => {
    const here = await serveHere()
    const svc = await serveElsewhere('svc serve')
    const database = await serveElsewhere('postgres')
    try {
      for (const port of [here.port, svc.port, database.port]) assert.is((await run(port, [database.port])).stdout, '')
    } finally {
      for (const { stop } of [here, svc, database]) stop()
    }
  })

  test('while svc listens, abstract sockets of others are not reached, and own ones are', async () => {
    const here = await serveHere()
    const name = `svc-test-${process.pid}`
    const abstract = createServer((socket) => socket.end('canary\n'))
    await new Promise<void>((resolve) => abstract.listen(`\0${name}`, resolve))
    const connect = `require('net').connect('\\0' + process.argv[1]).on('data', (d) => process.stdout.write(d)).on('error', (e) => console.log(e.code))`
    const own = `require('net').createServer((s) => s.end('own')).listen('\\0own', () => require('net').connect('\\0own').on('data', (d) => { console.log(String(d)); process.exit() }))`
    const { workspace } = await createWorkspace({ 'connect.js': connect, 'own.js': own })
    const runner = new ProgramRunner({ sandbox: kind, network: true, guarded: { folders: [], programs: [] } })
    const script = `node -e "$(cat connect.js)" ${name}; node own.js`
    try {
      const { stdout, stderr } = (await createShell(runner).run({ script }, createContext(workspace))) as CommandResult
      // before Linux 6.12 there is no such rule
      if (hasScopes()) assert.is(stdout, 'EPERM\nown\n', stderr)
    } finally {
      abstract.close()
      here.stop()
    }
  })

  test('other servers are reached, also while svc listens, and most of these ways reach them where it does not', async () => {
    const other = await serveElsewhere('another')
    const stops = [other.stop]
    try {
      const first = (await run(other.port)).stdout
      for (const name of ['by TCP', 'by IPv6', 'at any address']) assert.match(first, `${name}.pl canary`)
      stops.push((await serveHere()).stop)
      const second = (await run(other.port)).stdout
      for (const name of ['by TCP', 'by IPv6', 'at any address']) assert.match(second, `${name}.pl canary`)
    } finally {
      for (const stop of stops) stop()
    }
  })
}

for (const other of (await kindsHere()).slice(1))
  test(`${other}: where nothing keeps a program from svc's port, it does not run with network`, async () => {
    const here = await serveHere()
    const { workspace } = await createWorkspace()
    const shell = (network: boolean) =>
      createShell(new ProgramRunner({ sandbox: other, network, guarded: { folders: [], programs: [] } }))
    try {
      const failure = await failureOf(Promise.resolve(shell(true).run({ script: 'true' }, createContext(workspace))))
      assert.is(failure.code, 'sandbox_unavailable')
      // That of this test, or of another server on this machine.
      assert.match(failure.message, /port \d+/)
      const { exitCode } = (await shell(false).run({ script: 'true' }, createContext(workspace))) as CommandResult
      assert.is(exitCode, 0)
    } finally {
      here.stop()
    }
  })

test.run()
