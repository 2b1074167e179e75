import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile as read, readdir, rm, symlink, writeFile as write } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type CommandResult, createRunCommand, createShell } from '../src/tools/programs/run-command.ts'
import { unavailable } from '../src/tools/sandbox/find-sandbox.ts'
import { ProgramRunner, type ProgramRunnerOptions } from '../src/tools/sandbox/program-runner.ts'
import { createContext, createWorkspace, failureOf } from './fixtures/tool-context.ts'
import { until } from './fixtures/until.ts'
import { kindsHere } from './security/s30-attack.ts'

const test = suite('programs in the sandbox')

const runnerOf = (settings: Partial<ProgramRunnerOptions> = {}) =>
  new ProgramRunner({ guarded: { folders: [], programs: [] }, ...settings })

/** Whether a process runs whose command line holds a text. */
async function isRunning(text: string): Promise<boolean> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const line = await read(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    if (line.includes(text) && !line.includes('bwrap') && !line.includes('unshare')) return true
  }
  return false
}

/** For how long programs of this file sleep, which no other process of the machine does. */
const NIGHT = `8639.${process.pid}`

for (const [index, kind] of (await kindsHere()).entries()) {
  const shellIn = async (workspace: string, script: string, settings: Partial<ProgramRunnerOptions> = {}, more = {}) =>
    (await createShell(runnerOf({ sandbox: kind, ...settings })).run(
      { script, timeoutMs: 60_000, ...more },
      createContext(workspace),
    )) as CommandResult

  test(`${kind}: a command answers with its code and what it printed, and changes the workspace`, async () => {
    const { workspace } = await createWorkspace({ 'a.js': 'console.log(process.argv[2]); console.error("e")' })
    const runCommand = createRunCommand(runnerOf({ sandbox: kind }))
    const chunks: string[] = []
    const context = createContext(workspace, { output: (chunk) => chunks.push(chunk) })
    assert.equal(await runCommand.run({ command: ['node', 'a.js', '; rm -rf $HOME'] }, context), {
      exitCode: 0,
      stdout: '; rm -rf $HOME\n',
      stderr: 'e\n',
      truncated: false,
    })
    assert.is(chunks.sort().join(''), '; rm -rf $HOME\ne\n')
    const failed = (await runCommand.run({ command: ['node', '-e', 'process.exit(3)'] }, context)) as CommandResult
    assert.is(failed.exitCode, 3)
    const { exitCode } = await shellIn(workspace, 'mkdir -p out && echo made > out/made.txt')
    assert.is(exitCode, 0)
    assert.is(await read(join(workspace, 'out/made.txt'), 'utf8'), 'made\n')
    assert.match(
      (await failureOf(runCommand.run({ command: ['no-such-program'] }, context))).message,
      'cannot be started',
    )
    assert.equal(await runCommand.confinement?.({ command: ['x'] }), { sandbox: kind, network: false })
  })

  test(`${kind}: a sandbox that cannot be made is said in its words, and is no result of the command`, async () => {
    const { workspace } = await createWorkspace()
    const run = (argv: readonly string[], readable: string[]) =>
      runnerOf({ sandbox: kind }).run(argv, createContext(workspace), {
        timeoutMs: 60_000,
        network: false,
        writes: true,
        headBytes: 4_096,
        readable,
      })
    const missing = await failureOf(run(['true'], [join(workspace, '..', 'never')]))
    assert.is(missing.code, 'sandbox_unavailable')
    assert.match(missing.message, /could not make the sandbox, and nothing was run: .*never/s)
    assert.is((await run(['false'], [])).exitCode, 1)
    if (kind === 'bwrap') assert.is((await run(['sh', '-c', 'kill -9 $$'], [])).exitCode, 137)
  })

  test(`${kind}: files of /etc are the machine's, and cannot be changed`, async () => {
    const { workspace } = await createWorkspace()
    const names = ['passwd', 'group', 'hosts', 'nsswitch.conf', 'ld.so.cache', 'services']
    for (const file of names.map((name) => `/etc/${name}`).filter((path) => existsSync(path))) {
      const { stdout } = await shellIn(
        workspace,
        `echo x >> ${file}; rm -f ${file}; mv here ${file}; sha256sum < ${file}`,
      )
      assert.is(
        stdout.slice(0, 64),
        createHash('sha256')
          .update(await read(file))
          .digest('hex'),
        file,
      )
    }
  })

  test(`${kind}: nothing is lost by being moved out of the workspace`, async () => {
    const workspace = await mkdtemp('/var/tmp/svc-sandbox-')
    await write(join(workspace, 'precious.txt'), 'kept')
    const { exitCode } = await shellIn(workspace, 'mv precious.txt ..')
    assert.is.not(exitCode, 0)
    assert.is(await read(join(workspace, 'precious.txt'), 'utf8'), 'kept')
    await rm(workspace, { recursive: true })
  })

  // how a sandbox is made differs from kind to kind; what is put into it does not, and S30 looks for ways out of each
  if (index > 0) continue

  test(`${kind}: a program of a version manager below the home folder is found, and the home folder is no workspace`, async () => {
    const { top, workspace } = await createWorkspace()
    const home = join(top, 'home')
    const bin = join(home, '.nvm/versions/node/v1/bin')
    await mkdir(bin, { recursive: true })
    await write(join(bin, 'home-tool'), '#!/bin/sh\necho of home\n', { mode: 0o755 })
    const { HOME, PATH } = process.env
    Object.assign(process.env, { HOME: home, PATH: `${bin}:${PATH}` })
    try {
      assert.is((await shellIn(workspace, 'home-tool')).stdout, 'of home\n')
      assert.is((await failureOf(shellIn(home, 'true'))).code, 'policy_denied')
    } finally {
      Object.assign(process.env, { HOME, PATH })
    }
  })

  test(`${kind}: what svc and git run cannot be changed, and what would be new is set aside`, async () => {
    const { workspace } = await createWorkspace({
      '.git/config': '[core]\n',
      '.git/HEAD': 'ref: refs/heads/main\n',
      '.svc/tools/a.json': '{}',
      '.svcrc.json': '{}',
      'scripts/check.sh': 'true\n',
    })
    const script = `
      for file in .git/config .git/hooks/pre-commit .svc/tools/a.json .svc/plugins/b.ts .svcrc.json scripts/check.sh
      do echo evil > $file; done
      mv .git git; rm -rf .svc; mv .svc svc; rm -f .git/hooks; ln -sf /tmp .git/hooks
      echo evil > svc.config.ts; echo evil > .git/commondir; echo evil > .git/index; chmod 777 .git/config`
    const guarded = { folders: [], programs: [join(workspace, 'scripts/check.sh')] }
    await shellIn(workspace, script, { guarded })
    const files = await readdir(workspace, { recursive: true, withFileTypes: true })
    const evil: string[] = []
    for (const file of files.filter((entry) => entry.isFile())) {
      const path = join(file.parentPath, file.name)
      if ((await read(path, 'utf8')).includes('evil'))
        evil.push(path.slice(workspace.length + 1).replace(/-\w{6}$/, ''))
    }
    assert.equal(evil.sort(), ['svc.config.ts.set-aside'])
    assert.equal(await readdir(join(workspace, '.git')), ['HEAD', 'config'])
    const empty = await createWorkspace()
    await shellIn(empty.workspace, 'mkdir -p .svc/plugins && echo evil > .svc/plugins/b.ts')
    const [aside = '', ...others] = await readdir(empty.workspace)
    assert.match(aside, /^\.svc\.set-aside-\w{6}$/)
    assert.equal(others, [])
    await rm(join(empty.workspace, aside), { recursive: true })
    const data = join(empty.workspace, '.svc/data')
    const own = { folders: [data], programs: [] }
    await shellIn(empty.workspace, 'mkdir -p .svc/plugins', { guarded: own })
    assert.equal(await readdir(empty.workspace), [])
    await mkdir(data, { recursive: true })
    await write(join(data, 'svc.db'), 'canary')
    const { stdout } = await shellIn(empty.workspace, 'cat .svc/data/*', { guarded: own })
    assert.is(stdout, '')
  })

  test(`${kind}: a link in the workspace leads nowhere, whatever name it has`, async () => {
    const { top, workspace } = await createWorkspace({ '.git/HEAD': '' })
    await mkdir(join(top, 'secret'))
    await write(join(top, 'secret/key'), 'canary')
    for (const name of ['.svc', '.git/hooks', '.git/modules']) await symlink(join(top, 'secret'), join(workspace, name))
    for (const name of ['.svcrc.json', 'svc.config.ts', '.git/config', 'run.sh'])
      await symlink(join(top, 'secret/key'), join(workspace, name))
    const guarded = { folders: [join(workspace, '.svc')], programs: [join(workspace, 'run.sh')] }
    const script = `cat ${top}/secret/key; find . -follow -type f -exec cat {} +; echo end`
    const { stdout, stderr } = await shellIn(workspace, script, { guarded })
    assert.match(stdout, 'end', stderr)
    assert.not.match(stdout, 'canary')
  })

  test(`${kind}: there is no network unless the config allows it for the command`, async () => {
    // in another process, since no program reaches a port of this one
    const code = `require('http').createServer((_, r) => r.end('reached')).listen(0, '127.0.0.1', function () { console.log(this.address().port) })`
    const server = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
    const port = await new Promise((resolve) => server.stdout.once('data', (said) => resolve(Number(said))))
    const { workspace } = await createWorkspace()
    const program = `fetch("http://127.0.0.1:${port}").then((r) => r.text()).then(console.log, () => console.log("no"))`
    const command = ['node', '-e', program]
    const ask = async (network: string[][]) => {
      const tool = createRunCommand(runnerOf({ sandbox: kind, network }))
      const { stdout } = (await tool.run({ command }, createContext(workspace))) as CommandResult
      return `${stdout.trim()} ${(await tool.confinement?.({ command }))?.network}`
    }
    assert.is(await ask([['npm', 'ci'], []]), 'no false')
    assert.is(await ask([['node', '-e']]), 'reached true')
    server.kill()
  })

  test(`${kind}: time and memory are bounded, and nothing outlives the call`, async () => {
    const { workspace } = await createWorkspace()
    // Within this time a program begins on any machine.
    const ending = failureOf(shellIn(workspace, `echo so far; sleep ${NIGHT}`, {}, { timeoutMs: 20_000 }))
    const hold = "node -e 'const b = Buffer.alloc(1e8, 1); setTimeout(() => b, 6e4)' &"
    const set = await failureOf(shellIn(workspace, `${hold}\n${hold}\n wait`, { memoryMb: 150 }))
    assert.match(set.message, 'more than 150 MB of memory, which policy.memoryMb sets')
    const large = "node -e 'Buffer.alloc(7e8, 1)'"
    assert.is.not((await shellIn(workspace, large)).exitCode, 0)
    assert.is((await shellIn(workspace, large, { memoryMb: 2_048 })).exitCode, 0)
    const late = await ending
    assert.is(late.code, 'tool_timeout')
    assert.match(late.message, 'so far')
    await shellIn(workspace, `setsid sleep ${NIGHT} < /dev/null > /dev/null 2>&1 &`)
    assert.not(await isRunning(NIGHT))
  })

  test(`${kind}: an abort ends everything at once, and long output keeps its beginning and its end`, async () => {
    const { workspace } = await createWorkspace()
    const controller = new AbortController()
    const context = createContext(workspace, { signal: controller.signal })
    const script = `setsid sleep ${NIGHT} & trap "" TERM; touch started; sleep ${NIGHT}`
    const running = createShell(runnerOf({ sandbox: kind })).run({ script }, context)
    const outcome = running.catch((error: Error) => error.message)
    await until(() => existsSync(join(workspace, 'started')))
    controller.abort(new Error('stop'))
    assert.is(await outcome, 'stop')
    await until(async () => !(await isRunning(NIGHT)))
    const { stdout, truncated } = await shellIn(workspace, 'echo first; yes | head -n 100000; echo last')
    assert.ok(truncated && stdout.startsWith('first\ny\n') && stdout.endsWith('y\nlast\n'))
    assert.match(stdout, '… 175435 bytes are left out …')
  })
}

test('where there is no sandbox nothing runs, unless the config says that none is wanted', async () => {
  const { workspace } = await createWorkspace()
  const context = createContext(workspace)
  const command = ['node', '-e', 'console.log(Object.keys(process.env).sort().join())']
  const without = createRunCommand(runnerOf({ sandbox: 'none' }))
  const { stdout } = (await without.run({ command }, context)) as CommandResult
  assert.ok(
    stdout
      .trim()
      .split(',')
      .every((name) => ['PATH', 'HOME', 'LANG'].includes(name)),
    stdout,
  )
  assert.equal(await without.confinement?.({ command }), { sandbox: 'none', network: true })
  const error = unavailable({ kind: undefined, problems: ['bwrap is not installed'] })
  assert.is(error.code, 'sandbox_unavailable')
  assert.match(error.message, 'bwrap is not installed. Install bubblewrap')
  assert.match((await without.preview?.({ command: ['a'] }, context)) ?? '', 'WITHOUT a sandbox, WITH network')
})

test.run()
