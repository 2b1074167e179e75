/** S30: a program neither reads nor replaces what svc keeps (key of the server, audit log, store), wherever that lies. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { link, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type CommandResult, createShell } from '../../src/tools/programs/run-command.ts'
import { ProgramRunner } from '../../src/tools/sandbox/program-runner.ts'
import { callTools } from '../fixtures/call-tools.ts'
import { createContext, createWorkspace, failureOf } from '../fixtures/tool-context.ts'
import { kindsHere } from './s30-attack.ts'

const test = suite('S30 data')

// without the toolchains of this machine there is less to read through
Object.assign(process.env, { HOME: '/nonexistent', PATH: '/usr/bin:/bin' })

const CANARY = 'canary-4711'
const FILES = ['server.key', 'audit.jsonl', 'svc.db', 'payloads/aa']
/** Reads every file there is, by each of its names and by open descriptors, and says where the canary stands. */
const READ_ALL = `find / -path /proc -prune -o -path /dev -prune -o -path /usr -prune -o -type f -exec grep -ls ${CANARY} {} + 2>/dev/null
find -L /proc/[0-9]*/fd -maxdepth 1 -type f -exec grep -ls ${CANARY} {} + 2>/dev/null
cat /proc/*/root/$DATA/server.key /proc/*/cwd/*/server.key 2>/dev/null | grep -ao ${CANARY}
find . -follow -type f -exec grep -ls ${CANARY} {} + 2>/dev/null; true`

async function keep(data: string): Promise<void> {
  await mkdir(join(data, 'payloads'), { recursive: true })
  for (const name of FILES) await writeFile(join(data, name), CANARY, { mode: 0o600 })
}

/** Whether this process may show something under another name. */
function bind(from: string, to: string): boolean {
  try {
    execFileSync('mount', ['--bind', from, to], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

for (const kind of await kindsHere()) {
  const run = async (workspace: string, data: string, script: string) =>
    (await createShell(new ProgramRunner({ sandbox: kind, guarded: { folders: [data], programs: [] } })).run(
      { script: `DATA=${data}; ${script}`, timeoutMs: 60_000 },
      createContext(workspace),
    )) as CommandResult

  const places: Readonly<Record<string, (top: string, workspace: string) => string>> = {
    'where svc puts it': (_, workspace) => join(workspace, '.svc/data'),
    'deep in the workspace': (_, workspace) => join(workspace, 'var/lib/data'),
    'around the workspace': (top) => top,
    'beside the workspace': (top) => join(top, 'data'),
    'in a folder of programs': (top) => join(top, 'tools/bin/data'),
  }
  for (const [name, placeOf] of Object.entries(places))
    test(`${kind}: with the data ${name}, nothing of it is read`, async () => {
      const { top, workspace } = await createWorkspace({ 'a.txt': 'a' })
      const data = placeOf(top, workspace)
      await keep(data)
      await symlink(data, join(workspace, 'link'))
      const { PATH } = process.env
      await mkdir(join(top, 'tools/bin'), { recursive: true })
      Object.assign(process.env, { PATH: `${PATH}:${join(top, 'tools/bin')}` })
      try {
        assert.is((await run(workspace, data, READ_ALL)).stdout, '')
      } finally {
        Object.assign(process.env, { PATH })
      }
    })

  test(`${kind}: the database of a store.url is hidden, and cannot be replaced`, async () => {
    const { workspace } = await createWorkspace({ 'a.txt': 'a', 'lib/runs.db': CANARY, 'lib/runs.db-wal': CANARY })
    const files = ['', '-wal', '-shm'].map((end) => join(workspace, 'lib/runs.db') + end)
    const guarded = { folders: [], files, programs: [] }
    const shell = createShell(new ProgramRunner({ sandbox: kind, guarded }))
    const script = `${READ_ALL}; rm -f lib/*; mv lib l2; mkdir lib; echo mine > lib/runs.db; true`
    const { stdout } = (await shell.run({ script }, createContext(workspace))) as CommandResult
    assert.is(stdout, '')
    assert.is(await readFile(join(workspace, 'lib/runs.db'), 'utf8'), CANARY)
  })

  test(`${kind}: in a runtime, the data of a workspace that is named by a link is hidden from the first run on`, async () => {
    const { top, workspace } = await createWorkspace({ 'a.txt': 'a' })
    await symlink(workspace, join(top, 'named'))
    const named = join(top, 'named/var')
    for (const store of [{ dir: join(named, 'data') }, { url: `sqlite:${named}/runs.db` }]) {
      const command = ['sh', '-c', 'cat var/data/* var/runs.db* | wc -c; ls var']
      const config = { store, policy: { sandbox: kind, rules: [{ tool: 'run_command', decision: 'allow' as const }] } }
      const calls = [{ tool: 'run_command', args: { command } }]
      const { outcomes } = await callTools(join(top, 'named'), calls, { config })
      assert.match(outcomes[0]?.text ?? '', '"stdout":"0\\n')
    }
  })

  test(`${kind}: programs do not run where the data is the workspace itself`, async () => {
    const { workspace } = await createWorkspace({ 'a.txt': 'a' })
    await keep(workspace)
    assert.is((await failureOf(run(workspace, workspace, READ_ALL))).code, 'policy_denied')
  })

  test(`${kind}: further names of it are hidden: hard links, and mounts of the folder, of one around it and of a file`, async () => {
    const { top, workspace } = await createWorkspace({ 'deep/a.txt': 'a', 'b.txt': '' })
    const data = join(top, 'store/data')
    await keep(data)
    await link(join(data, 'server.key'), join(workspace, 'deep/harmless.txt'))
    for (const folder of ['one', 'two']) await mkdir(join(workspace, folder))
    const mounted = [
      [data, join(workspace, 'one')],
      [join(top, 'store'), join(workspace, 'two')],
      [join(data, 'audit.jsonl'), join(workspace, 'b.txt')],
    ].filter(([from = '', to = '']) => bind(from, to))
    try {
      assert.is((await run(workspace, data, READ_ALL)).stdout, '')
      assert.is((await run(workspace, data, 'cat deep/a.txt')).stdout, 'a')
    } finally {
      for (const [, to = ''] of mounted) execFileSync('umount', [to])
    }
  })

  test(`${kind}: a program puts no folder of its own in its place`, async () => {
    const plant = (path: string) => `mkdir -p ${path}; echo mine > ${path}/server.key`
    for (const inner of ['var/lib/data', '.svc/data', 'data']) {
      const { workspace } = await createWorkspace({ 'a.txt': 'a' })
      const data = join(workspace, inner)
      await run(workspace, data, plant('$DATA')).catch(() => {})
      assert.not.ok(existsSync(join(data, 'server.key')), `${inner}, which was not there`)
      await rm(join(workspace, inner.split('/')[0] ?? ''), { recursive: true, force: true })
      await keep(data)
      const moved = ['$DATA', ...(inner.includes('/') ? ['$(dirname $DATA)', 'var'] : [])]
      await run(workspace, data, moved.map((path) => `mv ${path} moved; ${plant('$DATA')}`).join('; '))
      assert.is(await readFile(join(data, 'server.key'), 'utf8'), CANARY, inner)
    }
  })

  test(`${kind}: what lies beside it is used as before, and svc writes to it while a program runs`, async () => {
    const { workspace } = await createWorkspace({ 'var/lib/a.txt': 'a' })
    const data = join(workspace, 'var/lib/data')
    await keep(data)
    const wait = 'until [ -e go ]; do sleep 0.05; done'
    const running = run(
      workspace,
      data,
      `cat var/lib/a.txt; echo b > var/lib/b.txt; mkdir out; mv var/lib/b.txt out; ${wait}`,
    )
    await writeFile(join(data, 'server.key.new'), 'new')
    await rename(join(data, 'server.key.new'), join(data, 'server.key'))
    await writeFile(join(workspace, 'go'), '')
    assert.is((await running).stdout, 'a')
    assert.is(await readFile(join(data, 'server.key'), 'utf8'), 'new')
    assert.equal(readdirSync(join(workspace, 'out')), ['b.txt'])
  })
}

test.run()
