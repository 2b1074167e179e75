/** S30: what a program made to be run later is set aside, whatever it does to keep that from being done. */
import { spawn } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { chmod, readdir, readFile, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createWriteFile } from '../../src/tools/files/write-file.ts'
import { type CommandResult, createShell } from '../../src/tools/programs/run-command.ts'
import { ProgramRunner } from '../../src/tools/sandbox/program-runner.ts'
import { createContext, createWorkspace } from '../fixtures/tool-context.ts'
import { until } from '../fixtures/until.ts'
import { kindsHere } from './s30-attack.ts'

const NOBODY = 65_534
/** Whether everybody may read a file of this machine. */
const isOpenToAll = (path: string): boolean =>
  (statSync(path).mode & 5) >= (path === '/' || statSync(path).isDirectory() ? 5 : 4) &&
  (path === '/' || isOpenToAll(dirname(path)))

const test = suite('S30 set aside')

const [kind] = await kindsHere()
if (kind !== undefined) {
  const shellOf = (programs: readonly string[] = []) =>
    createShell(new ProgramRunner({ sandbox: kind, guarded: { folders: [], programs } }))
  const run = async (workspace: string, script: string, programs: readonly string[] = []) =>
    (await shellOf(programs).run({ script, timeoutMs: 60_000 }, createContext(workspace))) as CommandResult
  /** Names that are where a program put them. */
  const stays = (workspace: string, names: readonly string[]) =>
    names.filter((name) => existsSync(join(workspace, name)))

  test('a folder that was closed, a link in its place, or names that are hard to say keep nothing in its place', async () => {
    const cases: Readonly<Record<string, readonly [script: string, ...names: string[]]>> = {
      'closed for writing': ['echo e > Makefile; chmod 0555 .', 'Makefile'],
      'closed whole': ['echo e > Makefile; chmod 000 .', 'Makefile'],
      'closed for reading': ['echo e > Makefile; echo e > .envrc; chmod 0300 .', 'Makefile', '.envrc'],
      'git closed whole': ['echo e > .git/commondir; chmod 000 .git', '.git/commondir'],
      'git closed for writing': ['echo e > .git/commondir; chmod 0555 .git', '.git/commondir'],
      'a program behind a closed folder': [
        'mkdir -p deep/er; echo e > deep/er/run.sh; chmod 000 deep/er deep',
        'deep/er/run.sh',
      ],
      'a long name beside': ['echo e > .env.$(printf %0245d 0); echo e > Makefile; mkdir .svc', 'Makefile', '.svc'],
      'a name that is no text': [`echo e > "$(printf '.env.\\377')"; echo e > Makefile`, 'Makefile'],
      'a name with a line break': [`echo e > "$(printf '.env.a\\nb')"; echo e > Makefile`, 'Makefile', '.env.a\nb'],
      'a folder that is closed itself': [
        'mkdir .svc .husky; echo e > .husky/pre-push; chmod 000 .svc .husky',
        '.svc',
        '.husky',
      ],
    }
    const through: string[] = []
    for (const [name, [script, ...names]] of Object.entries(cases)) {
      const { workspace } = await createWorkspace({ '.git/HEAD': '', 'deep/a': '' })
      await run(workspace, script, [join(workspace, 'deep/er/run.sh')])
      for (const folder of ['', '.git', 'deep', 'deep/er'])
        if (existsSync(join(workspace, folder))) await chmod(join(workspace, folder), 0o755)
      const left = [
        ...stays(workspace, names),
        ...(await readdir(workspace)).filter((one) => /^\.env\.(?!.*set-aside)/s.test(one)),
      ]
      for (const folder of await readdir(workspace))
        if (/^\.(svc|husky)\.set-aside/.test(folder)) await chmod(join(workspace, folder), 0o755)
      if (left.length > 0) through.push(`${name}: ${left.join()}`)
    }
    assert.equal(through, [])
  })

  test('a link in the place of a folder has no file outside of the workspace renamed', async () => {
    const { top, workspace } = await createWorkspace({ 'a.txt': '', '../outside/run.sh': 'mine' })
    await run(workspace, `ln -s ${top}/outside scripts`, [join(workspace, 'scripts/run.sh')])
    assert.is(await readFile(join(top, 'outside/run.sh'), 'utf8'), 'mine')
    assert.equal(stays(workspace, ['scripts']), [])
    await symlink(join(top, 'outside'), join(workspace, 'own'))
    await run(workspace, 'true', [join(workspace, 'own/run.sh')])
    assert.equal(stays(workspace, ['own']), ['own'])
  })

  test('what cannot be looked into is neither changed nor read by opening it first', async () => {
    const { workspace } = await createWorkspace({ 'sub/Makefile': 'all:\n', 'sub/.env': 'canary', 'other/a': 'a' })
    await run(workspace, 'chmod 000 sub')
    const context = createContext(workspace, {
      closedPaths: { globs: ['**/.env'], has: (path) => /(^|\/)\.env$/.test(path) },
    })
    const script = 'chmod 755 sub; echo evil > sub/Makefile; cat sub/.env; cat other/a'
    const { stdout } = (await shellOf().run({ script }, context)) as CommandResult
    await run(workspace, 'chmod 755 sub; echo evil > sub/Makefile; echo fine > other/a')
    await chmod(join(workspace, 'sub'), 0o755)
    assert.is(stdout, 'a')
    assert.is(await readFile(join(workspace, 'sub/Makefile'), 'utf8'), 'all:\n')
    assert.is(await readFile(join(workspace, 'other/a'), 'utf8'), 'fine\n')
  })

  test('what a person approved meanwhile stays, unless the program changed it, and what is beside it is set aside', async () => {
    const { workspace } = await createWorkspace({ 'a.txt': 'a' })
    const script =
      'until [ -e go ]; do sleep 0.05; done; echo evil > .envrc; echo evil >> Rakefile; echo evil > .github/evil.yml; echo evil > .husky'
    const running = run(workspace, script)
    const context = createContext(workspace, { isApproved: true })
    const write = (path: string) => createWriteFile().run({ path, content: `${path}\n` }, context)
    for (const path of ['Makefile', 'svc.config.ts', '.github/ci.yml', 'Rakefile']) await write(path)
    await createWriteFile().run({ path: 'go', content: '' }, context)
    await running
    const names = (await readdir(workspace, { recursive: true })).map((name) => name.replace(/-\w{6}$/, '')).sort()
    assert.equal(
      names,
      '.envrc.set-aside .github .github/ci.yml .github/evil.yml.set-aside .husky.set-aside Makefile Rakefile.set-aside a.txt go svc.config.ts'.split(
        ' ',
      ),
    )
    await until(() => existsSync(join(workspace, 'Makefile')))
  })

  test('folders keep the modes that a program gave them, and other files stay', async () => {
    const { workspace } = await createWorkspace({ 'a.txt': 'a', 'lib/b.txt': 'b' })
    const { exitCode } = await run(workspace, 'chmod 500 lib; echo c > lib2; mkdir out; chmod 700 out')
    assert.is(exitCode, 0)
    assert.equal((await readdir(workspace)).sort(), ['a.txt', 'lib', 'lib2', 'out'])
    assert.is((await run(workspace, 'stat -c %a lib out')).stdout, '500\n700\n')
    await chmod(join(workspace, 'lib'), 0o755)
  })

  // root may write to what is closed to everybody, so the same has to be tried by somebody else
  if (process.getuid?.() === 0 && isOpenToAll(process.argv[1] ?? '/')) {
    test('all of this holds for an ordinary user too', async () => {
      const child = spawn(process.execPath, [...process.execArgv, process.argv[1] ?? ''], {
        uid: NOBODY,
        gid: NOBODY,
        env: { PATH: process.env.PATH, TMPDIR: '/var/tmp', HOME: '/nonexistent' },
      })
      let said = ''
      for (const output of [child.stdout, child.stderr]) output.on('data', (chunk) => (said += String(chunk)))
      const code = await new Promise((resolve) => child.on('close', resolve))
      assert.is(code, 0, said)
    })
  }
}

test.run()
