/** S30: names that are no text hide nothing from what svc keeps. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type CommandResult, createShell } from '../../src/tools/programs/run-command.ts'
import { ProgramRunner } from '../../src/tools/sandbox/program-runner.ts'
import { createContext, createWorkspace, failureOf } from '../fixtures/tool-context.ts'
import { kindsHere } from './s30-attack.ts'

const test = suite('S30 names')

const bytes = (...parts: (string | number)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.of(part))))

for (const kind of await kindsHere()) {
  const shell = createShell(new ProgramRunner({ sandbox: kind, guarded: { folders: [], programs: [] } }))
  const run = async (workspace: string, script: string, more = {}) =>
    (await shell.run({ script, timeoutMs: 60_000 }, createContext(workspace, more))) as CommandResult

  test(`${kind}: files that decide what is run are kept in folders whose names are no text`, async () => {
    const { workspace } = await createWorkspace({ 'ü/package.json': '{}', 'a b/Makefile': 'all:\n' })
    const folder = bytes(`${workspace}/d`, 0xff, 'x')
    mkdirSync(folder)
    const file = Buffer.concat([folder, Buffer.from('/package.json')])
    writeFileSync(file, '{}')
    writeFileSync(bytes(`${workspace}/.env.`, 0xfe), 'A=1')
    const script =
      'for f in */package.json "a b/Makefile" .env.*; do echo evil > "$f"; done; for d in d* ü "a b"; do mv "$d" "moved-$d"; done; for d in d*; do echo fine > "$d/b"; ls "$d"; done'
    const { stdout } = await run(workspace, script)
    assert.match(stdout, 'b\npackage.json')
    assert.is(readFileSync(file, 'utf8'), '{}')
    assert.is(readFileSync(bytes(`${workspace}/.env.`, 0xfe), 'utf8'), 'A=1')
    assert.is(readFileSync(join(workspace, 'ü/package.json'), 'utf8'), '{}')
    assert.is(readFileSync(join(workspace, 'a b/Makefile'), 'utf8'), 'all:\n')
  })

  test(`${kind}: a repository that a program makes in such a folder is set aside`, async () => {
    for (const folder of [`"$(printf 'r\\377')"`, `"$(printf 'r\\377')/deep"`, `"$(printf '\\303')"`]) {
      const { workspace } = await createWorkspace({ 'a.txt': '' })
      await run(workspace, `mkdir -p ${folder}; git init -q ${folder}; git init -q --bare ${folder}/bare`)
      const left = execFileSync('find', ['.', '-name', '.git', '-o', '-name', 'HEAD'], {
        cwd: workspace,
        encoding: 'latin1',
      })
      assert.is(left, '')
      assert.is((await run(workspace, 'echo again')).stdout, 'again\n')
    }
  })

  test(`${kind}: where a person's repository lies in one, programs do not run, since its settings cannot be read`, async () => {
    const { workspace } = await createWorkspace({ 'a.txt': '' })
    const folder = bytes(`${workspace}/r`, 0xff)
    mkdirSync(folder)
    execFileSync('sh', ['-c', 'cd r*; git init -q'], { cwd: workspace })
    const failure = await failureOf(run(workspace, 'echo evil >> r*/.git/config'))
    assert.is(failure.code, 'sandbox_unavailable')
    assert.match(failure.message, 'UTF-8')
    assert.not.match(readFileSync(Buffer.concat([folder, Buffer.from('/.git/config')]), 'utf8'), 'evil')
  })

  test(`${kind}: what rules close, and sockets, are hidden in such folders too`, async () => {
    const { workspace } = await createWorkspace({ 'ask.js': `const path = Buffer.from(process.argv[2], 'latin1')` })
    mkdirSync(bytes(`${workspace}/c`, 0xff))
    writeFileSync(bytes(`${workspace}/c`, 0xff, '/.env'), 'canary-4711')
    const closedPaths = { globs: ['**/.env'], has: (path: string) => /(^|\/)\.env$/.test(path) }
    const { stdout } = await run(workspace, 'cat c*/.env; mv c* d; cat d/.env', { closedPaths })
    assert.is(stdout, '')
    const server = createServer((socket) => socket.end('canary'))
    await new Promise<void>((resolve) => server.listen(join(workspace, 's.sock'), resolve))
    mkdirSync(bytes(`${workspace}/e`, 0xff))
    execFileSync('sh', ['-c', 'mv s.sock e*/'], { cwd: workspace })
    const ask = `perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0); connect(S, sockaddr_un($_)) and print <S> for glob("e*/*")'`
    if (existsSync('/usr/bin/perl')) assert.is((await run(workspace, ask)).stdout, '')
    server.close()
  })

  test(`${kind}: such files are read, made and moved by programs as any`, async () => {
    const { workspace } = await createWorkspace({ 'ü.txt': 'u' })
    writeFileSync(bytes(`${workspace}/f`, 0xff), 'f')
    const { stdout } = await run(
      workspace,
      `cat f* ü.txt; mv f* "$(printf 'g\\376')"; mkdir "$(printf '\\300')"; ls | wc -l`,
    )
    assert.is(stdout, 'fu3\n')
    assert.is(readdirSync(workspace).length, 3)
  })
}

test.run()
