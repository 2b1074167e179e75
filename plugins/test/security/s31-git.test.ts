/** S31: what tools and their programs write never becomes what the person's git runs. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { attackWithout } from '../../../.tools/weakened.mjs'
import { createGitTools } from '../../src/tools/git/git-tools.ts'
import { builtinTools } from '../../src/tools/index.ts'
import { type CommandResult, createRunCommand, createShell } from '../../src/tools/programs/run-command.ts'
import { ProgramRunner } from '../../src/tools/sandbox/program-runner.ts'
import { callTools, codesOf } from '../fixtures/call-tools.ts'
import { createContext, createWorkspace, failureOf, runTool } from '../fixtures/tool-context.ts'
import { kindsHere } from './s30-attack.ts'
import { type attack, git, runsByPrograms, WAYS, writtenByTools } from './s31-attack.ts'

const test = suite('S31 git')

const [kind] = await kindsHere()
const guarded = { folders: [], programs: [] }

test('no file that a tool writes with --yes is in a repository, or makes one', async () => {
  assert.equal(await writtenByTools(), [])
})

test('each tool that writes refuses what is of git, by any way to it, and asks about what its settings name', async () => {
  const { workspace } = await createWorkspace({
    'a.txt': 'a',
    'store/HEAD': 'ref: refs/heads/main\n',
    'store/config': 'a',
    'store/objects/x': 'a',
    'store/refs/x': 'a',
    'team.config': 'a',
    'tools/clean.sh': 'a',
    'hooks/commit-msg': 'a',
  })
  git(workspace, 'init', '-q')
  for (const [key, value] of [
    ['include.path', '../team.config'],
    ['filter.own.clean', 'sh tools/clean.sh'],
    ['core.hooksPath', 'hooks'],
  ] as const)
    git(workspace, 'config', key, value)
  const context = createContext(workspace)
  const runner = new ProgramRunner({ sandbox: 'none', guarded })
  const writers = builtinTools({ guarded, runner, shell: false, git: true }).filter(({ risk }) => risk === 'write')
  assert.equal(writers.map(({ id }) => id).sort(), ['edit_file', 'write_file'])
  for (const tool of writers) {
    const argsOf = (path: string) =>
      tool.id === 'edit_file' ? { path, edits: [{ find: 'a', replace: 'b' }] } : { path, content: 'b' }
    for (const path of ['store/config', 'store/HEAD', 'store/hooks/pre-commit', '.git/config', 'x/../.git/config'])
      assert.is((await failureOf(tool.run(argsOf(path), context))).code, 'policy_denied', `${tool.id} ${path}`)
    for (const path of ['team.config', 'tools/clean.sh', 'hooks/commit-msg'])
      assert.type(await tool.alwaysAsks?.(argsOf(path), context), 'string', `${tool.id} ${path}`)
    assert.is(await tool.alwaysAsks?.(argsOf('a.txt'), context), undefined)
  }
})

test('files that only look like those of git are written unasked', async () => {
  const { workspace } = await createWorkspace()
  const paths =
    '.gitignore .gitattributes .gitkeep docs/git.md HEAD objects/a.ts lib/refs/a.ts lib/HEAD git/config .github.md'
  const calls = paths.split(' ').map((path) => ({ tool: 'write_file', args: { path, content: 'x' } }))
  assert.equal(new Set(await codesOf(workspace, calls, { run: { approval: 'allow-write' } })), new Set(['ok']))
})

if (kind !== undefined) {
  const runner = new ProgramRunner({ sandbox: kind, guarded })
  const shell = createShell(runner)
  const command = createRunCommand(runner)

  test('no program that ran unasked has code run by the git command of the person', async () => {
    assert.equal(await runsByPrograms(), [])
  })

  test('without that the places of git are kept, most ways get through', async () => {
    const through = (await attackWithout('plugins/test/security/s31-attack.ts', [
      { file: 'plugins/src/tools/git/git-names.ts', name: 'whyOfGit', weaken: '() => () => undefined' },
      {
        file: 'plugins/src/tools/git/git-programs.ts',
        name: 'findGitPrograms',
        weaken: '() => () => ({ files: [], folders: [] })',
      },
      {
        file: 'plugins/src/tools/sandbox/workspace/scan.ts',
        name: 'WorkspaceScan',
        weaken:
          '() => class { find = async () => ({ places: new Map(), guarded: [], sockets: [], closed: [] }); findNew = async () => [] }',
      },
    ])) as Awaited<ReturnType<typeof attack>>
    const missed = Object.keys(WAYS).filter((name) => !through.includes(name))
    assert.ok(missed.length <= 2, `not in ${through.join(', ')}: ${missed.join(', ')}`)
    assert.ok(through.some((name) => name.startsWith('git runs')))
  })

  test('a program looks at the repository and changes its files; what it makes for git is set aside and said', async () => {
    const { workspace } = await createWorkspace({ 'a.txt': 'a\n' })
    git(workspace, 'init', '-q')
    git(workspace, 'add', '.')
    git(workspace, 'commit', '-qm', 'One')
    const said: string[] = []
    const context = createContext(workspace, { output: (text) => said.push(text) })
    const script = 'echo b > a.txt; git status --short; git log --format=%s; git diff | tail -1; git init -q new'
    const { stdout } = (await shell.run({ script }, context)) as CommandResult
    assert.is(stdout, ' M a.txt\nOne\n+b\n')
    assert.match(readdirSync(join(workspace, 'new')).join(), /^\.git\.set-aside-\w{6}$/)
    assert.match(said.join(''), 'new/.git')
    assert.is(readFileSync(join(workspace, 'a.txt'), 'utf8'), 'b\n')
    const second = (await shell.run({ script: 'git status --short' }, context)) as CommandResult
    assert.is(second.stdout, ' M a.txt\n?? new/\n')
  })

  test('git itself commits and makes a repository where a person approved the call, without hooks and not its settings', async () => {
    const { top, workspace } = await createWorkspace({ 'a.txt': 'a\n' })
    const approved = createContext(workspace, { isApproved: true })
    const run = async (...words: string[]) => {
      const args = { command: ['git', '-c', 'user.name=Ada', '-c', 'user.email=a@example.org', ...words] }
      return (await command.run(args, approved)) as CommandResult
    }
    assert.is((await run('init', '-q')).exitCode, 0)
    assert.ok(existsSync(join(workspace, '.git/HEAD')))
    writeFileSync(join(workspace, '.git/hooks/pre-commit'), `#!/bin/sh\ntouch ${workspace}/hooked\n`, { mode: 0o755 })
    assert.is((await run('add', '.')).stderr, '')
    assert.is((await run('commit', '-qm', 'One')).stderr, '')
    assert.is(git(workspace, 'log', '--format=%s'), 'One\n')
    assert.not.ok(existsSync(join(workspace, 'hooked')))
    assert.not.equal((await run('config', 'core.fsmonitor', `touch ${top}/mark`)).exitCode, 0)
    const unasked = createContext(workspace)
    const committed = (await command.run(
      { command: ['git', 'commit', '-qm', 'Two', '--allow-empty'] },
      unasked,
    )) as CommandResult
    assert.match(committed.stderr, 'Read-only file system')
    const script = 'git commit -qm Two --allow-empty'
    assert.match(((await shell.run({ script }, approved)) as CommandResult).stderr, 'Read-only file system')
  })

  test('a program of a repository with thousands of folders, nested repositories and a bare one sees them as they are', async () => {
    const { workspace } = await createWorkspace({ 'a.txt': 'a' })
    git(workspace, 'init', '-q')
    git(workspace, 'init', '-q', '--bare', 'fixtures/bare.git')
    git(workspace, 'init', '-q', 'sub')
    const script =
      'git -C fixtures/bare.git rev-parse --is-bare-repository; git -C sub status --short --branch; echo x > sub/x; echo x > y'
    for (let time = 0; time < 2; time++) {
      const { stdout, stderr } = (await shell.run({ script }, createContext(workspace))) as CommandResult
      assert.match(stdout, 'true\n## No commits yet', stderr)
    }
    assert.equal(readdirSync(workspace).sort(), ['.git', 'a.txt', 'fixtures', 'sub', 'y'])
  })
}

test('the tools for git work in a repository, a linked worktree and a submodule', async () => {
  const { top, workspace } = await createWorkspace({ 'a.txt': 'a\n' })
  git(workspace, 'init', '-q')
  git(workspace, 'add', '.')
  git(workspace, 'commit', '-qm', 'One')
  git(workspace, 'worktree', 'add', '-q', join(top, 'linked'))
  git(top, 'init', '-q', 'outer')
  git(join(top, 'outer'), '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', workspace, 'inner')
  for (const folder of [workspace, join(top, 'linked'), join(top, 'outer/inner')]) {
    writeFileSync(join(folder, 'a.txt'), 'b\n')
    const [status, diff, log] = createGitTools(new ProgramRunner({ guarded }))
    const context = createContext(folder)
    assert.match(status === undefined ? '' : await runTool(status, {}, context), ' M a.txt', folder)
    assert.match(diff === undefined ? '' : await runTool(diff, {}, context), '+b', folder)
    assert.match(log === undefined ? '' : await runTool(log, {}, context), 'Ada: One', folder)
  }
})

test('in a run too, a repository that a command makes unasked is set aside', async () => {
  if (kind === undefined) return
  const { workspace } = await createWorkspace()
  const rules = [{ tool: 'run_command', decision: 'allow' as const }]
  const calls = [{ tool: 'run_command', args: { command: ['git', 'init', '-q'] } }]
  const { outcomes } = await callTools(workspace, calls, { config: { policy: { rules } } })
  assert.is(outcomes[0]?.code, 'ok')
  assert.not.ok(existsSync(join(workspace, '.git')))
})

test.run()
