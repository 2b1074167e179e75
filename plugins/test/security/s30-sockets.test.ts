/** S30: programs of this machine are not spoken to through their sockets, and a program's own are. */

import { chmod, link, mkdir, symlink } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type CommandResult, createShell } from '../../src/tools/programs/run-command.ts'
import { ProgramRunner } from '../../src/tools/sandbox/program-runner.ts'
import { createContext, createWorkspace } from '../fixtures/tool-context.ts'
import { kindsHere } from './s30-attack.ts'

const test = suite('S30 sockets')

/** Connects to each path that it is called with, and prints what answers. */
const ASK = `
for (const path of process.argv.slice(2)) {
  const socket = require('net').connect(path)
  socket.on('data', (said) => { console.log(path + ' ' + said); socket.destroy() }).on('error', () => {})
}`
const OWN = `
const net = require('net')
for (const [name, ...at] of [['tcp', 0, '127.0.0.1'], ['other', 0, '127.0.0.2'], ['name', 0, 'localhost'], ['file', '/tmp/own.sock'], ['here', 'own.sock']]) {
  const server = net.createServer((socket) => socket.end(name)).listen(...at, () => {
    const { port } = server.address()
    const socket = port === undefined ? net.connect(at[0]) : net.connect(port, at[1])
    socket.on('data', (said) => console.log(name + ' ' + said)).on('error', (error) => console.log(name + ' ' + error.code)).on('close', () => server.close())
  })
}`

async function listen(path: string, cwd?: string): Promise<Server> {
  const server = createServer((socket) => socket.end('canary'))
  const before = process.cwd()
  if (cwd !== undefined) process.chdir(cwd)
  await new Promise<void>((resolve) => server.listen(path, resolve))
  process.chdir(before)
  return server
}

for (const kind of await kindsHere()) {
  const shellOf = (network: boolean) =>
    createShell(new ProgramRunner({ sandbox: kind, network, guarded: { folders: [], programs: [] } }))
  const run = async (workspace: string, script: string, { network = false, isApproved = false } = {}) =>
    (await shellOf(network).run(
      { script, timeoutMs: 60_000 },
      createContext(workspace, { isApproved }),
    )) as CommandResult

  test(`${kind}: no socket of another program in the workspace answers, by any name, place or way of the call`, async () => {
    const { top, workspace } = await createWorkspace({
      'ask.js': ASK,
      'deep/er/a': '',
      'node_modules/a/b': '',
      '.git/HEAD': '',
    })
    for (const name of ['out', 'closed']) await mkdir(join(top, name))
    const servers = [
      await listen(join(workspace, 'service.sock')),
      await listen('relative.sock', workspace),
      await listen(join(workspace, 'deep/er/s')),
      await listen(join(workspace, 'node_modules/a/s')),
      await listen(join(workspace, '.git/fsmonitor--daemon.ipc')),
      await listen(join(top, 'out/linked.sock')),
      await listen(join(workspace, 'deep/mode.sock')),
      await listen(join(top, 'closed/s')),
    ]
    await symlink('deep/er/s', join(workspace, 'link'))
    await symlink(join(top, 'out/linked.sock'), join(workspace, 'outside'))
    await link(join(workspace, 'deep/er/s'), join(workspace, 'hard'))
    await chmod(join(workspace, 'deep/mode.sock'), 0o777)
    const names =
      'service.sock relative.sock deep/er/s node_modules/a/s .git/fsmonitor--daemon.ipc link outside hard deep/mode.sock'
    // the system tells of this one too, and nobody may look at it
    await chmod(join(top, 'closed'), 0)
    for (const how of [{}, { network: true }, { isApproved: true }]) {
      // Without a filter of system calls nothing runs with network while a server of svc is on this machine, as beside other tests.
      if ('network' in how && kind !== 'bwrap') continue
      const { stdout } = await run(
        workspace,
        `node ask.js ${names}; mv deep/er deep/moved; node ask.js deep/moved/s; mv deep/moved deep/er`,
        how,
      )
      assert.is(stdout, '')
    }
    await chmod(join(top, 'closed'), 0o755)
    for (const server of servers) server.close()
  })

  test(`${kind}: a program reaches its own servers, by address, by name and by path`, async () => {
    const { workspace } = await createWorkspace({ 'own.js': OWN })
    const { stdout, stderr } = await run(workspace, 'node own.js')
    assert.is(stdout.trim().split('\n').sort().join(), 'file file,here here,name name,other other,tcp tcp', stderr)
  })
}

test.run()
