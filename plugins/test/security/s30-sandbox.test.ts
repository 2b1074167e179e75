/** S30: a program sees the workspace and what rules leave open of it, and changes nothing that is executed later. */
import { readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { attackWithout } from '../../../.tools/weakened.mjs'
import { type CommandResult, createShell } from '../../src/tools/programs/run-command.ts'
import { createControlGroup } from '../../src/tools/sandbox/control-group.ts'
import { ProgramRunner } from '../../src/tools/sandbox/program-runner.ts'
import { callTools, codesOf } from '../fixtures/call-tools.ts'
import { createContext, createWorkspace, failureOf } from '../fixtures/tool-context.ts'
import { createSecrets } from './s12-attack.ts'
import { type attack, escapeFrom, kindsHere } from './s30-attack.ts'

const test = suite('S30 sandbox')

const kinds = await kindsHere()
for (const kind of kinds) {
  const shell = createShell(new ProgramRunner({ sandbox: kind, guarded: { folders: [], programs: [] } }))

  test(`${kind}: keys, other files, svc's process, the network, more rights and closed files are out of reach`, async () => {
    assert.equal(await escapeFrom(kind), [])
  })

  if (kind !== kinds[0]) continue

  test(`${kind}: processes, files and time are bounded, and the workspace stands as it was`, async () => {
    const { workspace } = await createWorkspace({ 'a.txt': 'a' })
    const run = (script: string, timeoutMs = 20_000) => shell.run({ script, timeoutMs }, createContext(workspace))
    const many = 'i=0; while [ $i -lt 200 ]; do (sleep 20 & sleep 20) & i=$((i + 1)); done; wait'
    assert.match((await failureOf(run(many))).message, 'more than 64 processes')
    const full = (await run('head -c 300000000 /dev/zero > /tmp/a; truncate -s 1100000000 b')) as CommandResult
    assert.match(full.stderr, /No space left/)
    assert.match(full.stderr, /File too large|size/i)
    assert.match((await failureOf(run('trap "" TERM; setsid sleep 86396 & sleep 86395', 500))).message, 'did not end')
    for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name)))
      assert.not.match(await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''), /sleep[\0 ]8639[56]/)
    assert.is(await readFile(join(workspace, 'a.txt'), 'utf8'), 'a')
  })

  // of root's processes only a control group is a bound, and not every machine lets one be made
  const group = createControlGroup(1, 2 ** 29)
  await group?.remove()
  if (group !== undefined || process.getuid?.() !== 0) {
    test(`${kind}: a program that doubles itself without end is ended, and nothing of it stays`, async () => {
      const { workspace } = await createWorkspace({})
      const script = 'svc_test_bomb() { svc_test_bomb | svc_test_bomb & }; svc_test_bomb; sleep 20'
      assert.match((await failureOf(shell.run({ script }, createContext(workspace)))).message, 'more than 64 processes')
      for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name)))
        assert.not.match(await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''), 'svc_test_bomb')
    })
  }

  test(`${kind}: what a person approved may change a package, and nothing that svc and its tools run`, async () => {
    const { workspace } = await createWorkspace({ 'package.json': '{}', 'run.sh': 'true\n' })
    const guarded = { folders: [], programs: [join(workspace, 'run.sh')] }
    const own = createShell(new ProgramRunner({ sandbox: kind, guarded }))
    const script = 'echo new > package.json; echo new > Makefile; echo new > run.sh; echo new > svc.config.ts'
    await own.run({ script }, createContext(workspace, { isApproved: true }))
    const names = (await readdir(workspace)).map((name) => name.replace(/-\w{6}$/, '')).sort()
    assert.equal(names, ['Makefile', 'package.json', 'run.sh', 'svc.config.ts.set-aside'])
    assert.is(await readFile(join(workspace, 'package.json'), 'utf8'), 'new\n')
    assert.is(await readFile(join(workspace, 'run.sh'), 'utf8'), 'true\n')
  })
}

if (kinds.length > 0) {
  test('in a run, a command that is allowed sees no closed file, and one that was approved under its name sees that', async () => {
    const { workspace } = await createWorkspace({
      'secrets/key.txt': 'canary-4711',
      '.env': 'canary-4711',
      'docs/a.md': 'finer',
    })
    await symlink('secrets', join(workspace, 'pub'))
    const cat = (path: string) => ({ tool: 'run_command', args: { command: ['cat', path] } })
    const calls = [cat('secrets/key.txt'), cat('pub/key.txt'), cat('.env'), cat('docs/a.md')]
    const allow = { tool: 'run_command', decision: 'allow' as const }
    const deny = { tool: '*', decision: 'deny' as const, paths: ['secrets/*', '.env'] }
    const denied = await callTools(workspace, calls, { config: { policy: { rules: [allow, deny] } } })
    assert.match(denied.outcomes[3]?.text ?? '', 'finer')
    assert.not.match(JSON.stringify(denied.outcomes), 'canary-4711')
    const rules = [{ ...deny, decision: 'ask' as const }]
    const asked = await callTools(workspace, calls, {
      config: { policy: { rules } },
      run: { approval: 'wait' },
      answer: () => ({ decision: 'approve' }),
    })
    const seen = asked.outcomes.map(({ text }) => text.includes('canary-4711'))
    assert.equal(seen, [true, false, true, false])
  })
}

test('where closed files cannot be hidden, because of no sandbox or a history that has them, a person is asked', async () => {
  const { workspace } = await createSecrets()
  const rules = [
    { tool: '*', decision: 'allow' as const },
    { tool: '*', decision: 'deny' as const, paths: ['secrets/*'] },
  ]
  const tools = {
    own: { description: 'Prints.', parameters: {}, risk: 'read' as const, command: ['true'], sandbox: false },
  }
  const calls = [
    { tool: 'run_command', args: { command: ['true'] } },
    { tool: 'own', args: {} },
  ]
  const none = { config: { policy: { rules, sandbox: 'none' as const }, tools }, run: { approval: 'allow-write' } }
  assert.equal(await codesOf(workspace, calls, none), ['approval_required', 'approval_required'])
  const open = { config: { policy: { rules: rules.slice(0, 1), sandbox: 'none' as const }, tools } }
  assert.equal(await codesOf(workspace, calls, open), ['ok', 'ok'])
  const history = { config: { policy: { rules } } }
  if (kinds.length > 0) assert.equal(await codesOf(workspace, calls.slice(0, 1), history), ['approval_required'])
  const never = [...rules.slice(0, 1), { tool: '*', decision: 'deny' as const, paths: ['deep/a/b/x', '**/*.key'] }]
  const fine = { config: { policy: { rules: never } } }
  if (kinds.length > 0) assert.equal(await codesOf(workspace, calls.slice(0, 1), fine), ['ok'])
})

test('what is executed later is not written unasked, by any tool that writes, by any name', async () => {
  const { workspace } = await createWorkspace({
    'scripts/check.sh': '#!/bin/sh\n',
    'lib/task.js': '',
    'package.json': '{ "a": 1 }',
  })
  const tools = {
    check: { description: 'a', parameters: {}, risk: 'read' as const, command: ['./scripts/check.sh'] },
    task: { description: 'a', parameters: {}, risk: 'read' as const, command: ['node', 'lib/task'] },
    inner: {
      description: 'a',
      parameters: {},
      risk: 'read' as const,
      command: ['sh', '-c', 'cd . && ./late.sh --x=deep/er.py'],
    },
    module: { description: 'a', parameters: {}, risk: 'read' as const, command: ['python3', '-m', 'pack.age'] },
  }
  const rules = [{ tool: '*', decision: 'allow' as const }]
  const names = (
    'scripts/check.sh lib/task.js lib/task.ts late.sh deep/er.py pack/age.py pack/age/__main__.py package.json sub/package.json ' +
    'Makefile GNUmakefile build/rules.mk .svc/tools/x.json .svc/plugins/evil.ts svc.config.ts svc.config.json .svcrc .svcrc.js ' +
    '.gitmodules .gitconfig .bashrc .ssh/authorized_keys .config/svc/trust.json .github/workflows/a.yml .envrc .husky/pre-push ' +
    'conftest.py node_modules/a/index.js .vscode/tasks.json lefthook.yml Procfile'
  ).split(' ')
  const write = names.map((path) => ({ tool: 'write_file', args: { path, content: 'evil' } }))
  const edit = { tool: 'edit_file', args: { path: 'package.json', edits: [{ find: '1', replace: '2' }] } }
  const fine = { tool: 'write_file', args: { path: 'src/a.ts', content: 'x' } }
  for (const policy of [{}, { rules }]) {
    const options = { config: { tools, policy }, run: { approval: 'allow-write' } }
    const codes = await codesOf(workspace, [...write, edit, fine], options)
    assert.is(codes.pop(), 'ok')
    const unasked = [...names, 'edit'].filter((_, index) => codes[index] !== 'approval_required')
    assert.equal(unasked, [])
  }
  const git = ['.git/config', '.git/hooks/pre-commit', 'sub/.git', '.GIT/config'].map((path) => ({
    tool: 'write_file',
    args: { path, content: 'evil' },
  }))
  assert.equal(new Set(await codesOf(workspace, git, { run: { approval: 'allow-write' } })), new Set(['policy_denied']))
})

test('without the sandbox and the watch over what is executed later, each gets through', async () => {
  const view = 'plugins/src/tools/sandbox/view.ts'
  const wrapped = 'plugins/src/tools/sandbox/wrap.ts'
  const kept = 'plugins/src/tools/sandbox/workspace/kept-files.ts'
  if (kinds.length === 0) return
  const open = (await attackWithout('plugins/test/security/s30-attack.ts', [
    {
      file: wrapped,
      name: 'wrap',
      weaken:
        '(real) => (kind, argv, ...more) => ({ ...real(kind, argv, ...more), argv: [...argv], files: [], setUp: () => [], hasRun: () => true })',
    },
    { file: view, name: 'createView', weaken: '(real) => (options) => ({ ...real(options), env: process.env })' },
    { file: kept, name: 'watchFiles', weaken: '() => () => ({ findChanged: () => [] })' },
  ])) as Awaited<ReturnType<typeof attack>>
  for (const name of [
    'home folder',
    'other folder',
    'own environment',
    'environment of svc',
    'signal to svc',
    'server of this machine',
    'write beside',
    'closed files',
    'changes scripts/check.sh',
    'changes package.json',
    'changes linked.sh',
    'changes .envrc',
  ])
    assert.ok(open.includes(name), `${name} not in ${open.join(', ')}`)
})

test.run()
