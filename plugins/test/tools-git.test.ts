import { execFileSync, spawnSync } from 'node:child_process'
import { chmod, mkdir, readdir, rm, symlink, writeFile as write } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tool } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createGitTools } from '../src/tools/git/git-tools.ts'
import { findSandbox } from '../src/tools/sandbox/find-sandbox.ts'
import { ProgramRunner } from '../src/tools/sandbox/program-runner.ts'
import { createContext, createWorkspace, failureOf, runTool } from './fixtures/tool-context.ts'

const test = suite('tools for git')

const AUTHOR = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'init.defaultBranch=main']
const date = { GIT_AUTHOR_DATE: '2024-02-03T10:00:00Z', GIT_COMMITTER_DATE: '2024-02-03T10:00:00Z' }

/** Runs git as its user would. */
const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', [...AUTHOR, ...args], { cwd: folder, encoding: 'utf8', env: { ...process.env, ...date } })

const toolsOf = (sandbox: 'auto' | 'none') => {
  const tools = createGitTools(new ProgramRunner({ sandbox, guarded: { folders: [], programs: [] } }))
  const [status, diff, log] = tools as [Tool, Tool, Tool]
  return { tools, status, diff, log }
}
const { kind } = await findSandbox()
const choices = kind === undefined ? (['none'] as const) : (['auto', 'none'] as const)

/** A repository with one commit, a changed file and a new one. */
async function createRepository() {
  const made = await createWorkspace({ 'src/a.txt': 'one\n', 'b.txt': 'b\n' })
  const { workspace } = made
  git(workspace, 'init', '-q')
  git(workspace, 'add', '.')
  git(workspace, 'commit', '-qm', 'First')
  await write(join(workspace, 'src/a.txt'), 'two\n')
  await write(join(workspace, 'src/new.txt'), 'new\n')
  return made
}

/** Settings of a repository that name a program. */
const PROGRAMS = (
  'core.fsmonitor core.pager pager.log diff.external diff.own.command diff.own.textconv filter.own.clean ' +
  'filter.own.smudge filter.a=b.c.clean filter.long.process gpg.program core.sshCommand core.editor core.askPass ' +
  'credential.helper alias.status uploadpack.packObjectsHook remote.origin.uploadpack'
).split(' ')

for (const sandbox of choices) {
  const { status, diff, log, tools } = toolsOf(sandbox)
  const where = sandbox === 'none' ? 'without a sandbox' : `in ${kind}`

  test(`${where}: they show the branch, the changes and the commits`, async () => {
    const { workspace } = await createRepository()
    const context = createContext(workspace)
    assert.is(await runTool(status, {}, context), '## main\n M src/a.txt\n?? src/new.txt')
    assert.match(await runTool(diff, {}, context), '-one\n+two')
    assert.is(await runTool(diff, { path: 'b.txt' }, context), 'no difference')
    assert.is(await runTool(diff, { staged: true }, context), 'no difference')
    assert.match(await runTool(diff, { revision: 'HEAD' }, context), '+two')
    assert.match(await runTool(log, { limit: 1 }, context), /^\w{7} 2024-02-03 Ada: First$/)
    assert.is(await runTool(log, { path: 'src/new.txt' }, context), 'no commit')
    const inner = createContext(join(workspace, 'src'))
    assert.is(await runTool(status, {}, inner), '## main\n M src/a.txt\n?? src/new.txt')
    assert.not.match(await runTool(diff, { revision: 'HEAD' }, inner), 'b.txt')
    for (const revision of ['--output=x', '-O/etc/passwd', 'HEAD:b.txt', 'a b', ''])
      assert.is((await failureOf(diff.run({ revision }, context))).code, 'tool_bad_args', revision)
    assert.is((await failureOf(status.run({ path: '..' }, context))).code, 'path_outside_root')
    const none = await createWorkspace()
    assert.match((await failureOf(status.run({}, createContext(none.workspace)))).message, 'in no git repository')
  })

  test(`${where}: nothing that a hostile repository names is run`, async () => {
    const { top, workspace } = await createRepository()
    const sub = join(top, 'sub')
    await mkdir(sub)
    git(sub, 'init', '-q')
    await write(join(sub, 's.txt'), 's\n')
    git(sub, 'add', '.')
    git(sub, 'commit', '-qm', 'Sub')
    git(workspace, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', sub, 'sub')
    git(workspace, 'commit', '-qam', 'Second')
    const mark = join(top, 'marks')
    await mkdir(mark)
    /** A program that leaves a mark where it can, in the workspace too. */
    const evil = async (name: string): Promise<string> => {
      const path = join(workspace, `evil-${name}`)
      await write(
        path,
        `#!/bin/sh\ntouch ${mark}/${name} ${workspace}/mark-${name}\n${name.endsWith('uploadpack') ? '' : 'cat'}\n`,
      )
      await chmod(path, 0o755)
      return path
    }
    for (const folder of [workspace, join(workspace, 'sub')]) {
      const name = folder === workspace ? '' : 'sub-'
      for (const key of PROGRAMS) git(folder, 'config', key, await evil(`${name}${key.replaceAll(/\W/g, '-')}`))
      git(folder, 'config', 'filter.own.required', 'true')
      git(folder, 'config', 'log.showSignature', 'true')
      git(folder, 'config', 'status.submoduleSummary', 'true')
      git(folder, 'config', 'diff.submodule', 'log')
      git(folder, 'config', 'core.hooksPath', join(workspace, 'hooks'))
    }
    await mkdir(join(workspace, 'hooks'))
    for (const hook of [
      'post-index-change',
      'fsmonitor-watchman',
      'pre-auto-gc',
      'post-checkout',
      'reference-transaction',
    ]) {
      const path = await evil(`hook-${hook}`)
      await symlink(path, join(workspace, 'hooks', hook))
      await rm(join(workspace, '.git/hooks', hook), { force: true })
      await symlink(path, join(workspace, '.git/hooks', hook))
    }
    await write(join(workspace, '.gitattributes'), '*.txt diff=own filter=own\nb.txt filter=long\n*.bin filter=a=b.c\n')
    await write(join(workspace, 'sub/.gitattributes'), '*.txt diff=own filter=own\n')
    await write(join(workspace, 'b.txt'), 'changed\n')
    await write(join(workspace, 'src/a.txt'), 'changed\n')
    await write(join(workspace, 'x.bin'), 'changed\n')
    await write(join(workspace, 'sub/s.txt'), 'changed\n')
    await write(join(workspace, 'included'), '[core]\n\tfsmonitor = ./evil-core-fsmonitor\n')
    git(workspace, 'config', 'include.path', '../included')
    const context = createContext(workspace)
    for (const tool of tools) await runTool(tool, {}, context)
    await runTool(diff, { revision: 'HEAD' }, context)
    await runTool(diff, { staged: true }, context)
    // objects that are missing would be fetched, by a program that the repository names
    git(workspace, 'config', 'core.repositoryFormatVersion', '1')
    git(workspace, 'config', 'extensions.partialClone', 'origin')
    git(workspace, 'config', 'remote.origin.url', `ssh://127.0.0.1${workspace}`)
    git(workspace, 'config', 'remote.origin.promisor', 'true')
    const blob = git(workspace, 'rev-parse', 'HEAD~1:b.txt').trim()
    await rm(join(workspace, '.git/objects', blob.slice(0, 2), blob.slice(2)))
    assert.is((await failureOf(diff.run({ revision: 'HEAD' }, context))).code, 'tool_failed')
    git(workspace, 'config', 'remote.origin.url', `file://${sub}`)
    assert.is((await failureOf(diff.run({ revision: 'HEAD' }, context))).code, 'tool_failed')
    assert.equal(await readdir(mark), [])
    assert.equal(
      (await readdir(workspace)).filter((name) => name.startsWith('mark-')),
      [],
    )
    // the traps do work: git by itself springs them
    for (const args of [
      ['diff', 'HEAD', '--', 'src'],
      ['diff', 'HEAD~1'],
    ]) {
      spawnSync('git', args, { cwd: workspace, timeout: 60_000, killSignal: 'SIGKILL', stdio: 'ignore' })
    }
    const sprung = await readdir(mark)
    for (const name of ['core-fsmonitor', 'filter-own-clean', 'remote-origin-uploadpack'])
      assert.ok(sprung.includes(name), `${name} is not among ${sprung}`)
  })

  test(`${where}: a repository that leads elsewhere is not followed, a linked worktree is`, async () => {
    const { top, workspace } = await createRepository()
    const other = join(top, 'other')
    await mkdir(other)
    const elsewhere = async () => (await failureOf(log.run({}, createContext(other)))).code
    await symlink(join(workspace, '.git'), join(other, '.git'))
    assert.is(await elsewhere(), 'policy_denied')
    await rm(join(other, '.git'))
    await write(join(other, '.git'), `gitdir: ${join(workspace, '.git')}\n`)
    assert.is(await elsewhere(), 'policy_denied')
    await rm(join(other, '.git'))
    await mkdir(join(other, '.git'))
    await write(join(other, '.git/commondir'), join(workspace, '.git'))
    assert.is(await elsewhere(), 'policy_denied')
    git(workspace, 'config', 'core.worktree', top)
    assert.not.match(await runTool(status, {}, createContext(workspace)), 'other')
    git(workspace, 'config', '--unset', 'core.worktree')
    const linked = join(top, 'linked')
    git(workspace, 'worktree', 'add', '-q', linked)
    assert.match(await runTool(log, {}, createContext(linked)), 'Ada: First')
    assert.is(await runTool(status, {}, createContext(linked)), '## linked')
  })
}

test.run()
