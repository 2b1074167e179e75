/**
 * Programs in containers, with each engine that works here and has the image: `SVC_TEST_IMAGE` names another than the default one.
 * It has to have `sh` and the common small programs.
 */
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type CommandResult, createRunCommand, createShell } from '../src/tools/programs/run-command.ts'
import { findSandbox, howToGetSandbox } from '../src/tools/sandbox/find-sandbox.ts'
import { ProgramRunner, type ProgramRunnerOptions } from '../src/tools/sandbox/program-runner.ts'
import { createContext, createWorkspace, failureOf } from './fixtures/tool-context.ts'

const test = suite('programs in containers')

const sandboxImage = process.env.SVC_TEST_IMAGE || undefined
/** For an engine that is slow to start. */
const timeoutMs = 120_000

test('what is missing is said for each system, and what is there without', () => {
  for (const [platform, fix] of [
    ['linux', /apt-get install bubblewrap/],
    ['darwin', /Start Docker or podman.*docker pull docker\.io\/library\/node:22.*policy\.sandboxImage/],
    ['win32', /none for Windows: run svc in WSL 2/],
    ['freebsd', /none for freebsd: run svc in a container with Linux/],
  ] as const) {
    assert.match(howToGetSandbox(platform), fix)
    assert.match(howToGetSandbox(platform), /policy\.sandbox to "none".*Other tools work without$/)
  }
})

for (const kind of ['docker', 'podman'] as const) {
  test(`${kind}: an image that is not there is not got`, async () => {
    const { kind: found, problems } = await findSandbox(kind, 'svc-test/no-such-image:1')
    assert.is(found, undefined)
    assert.match(problems.join(), kind)
  })

  const { kind: found, problems } = await findSandbox(kind, sandboxImage)
  if (found === undefined) {
    console.log(`skipped with ${kind}: ${problems.join('; ')}`)
    continue
  }
  const runnerOf = (settings: Partial<ProgramRunnerOptions> = {}) =>
    new ProgramRunner({ sandbox: kind, sandboxImage, guarded: { folders: [], programs: [] }, ...settings })
  const shellIn = async (
    workspace: string,
    script: string,
    {
      context = {},
      ms = timeoutMs,
      ...settings
    }: Partial<ProgramRunnerOptions> & { context?: object; ms?: number } = {},
  ) =>
    (await createShell(runnerOf(settings)).run(
      { script, timeoutMs: ms },
      createContext(workspace, context),
    )) as CommandResult

  test(`${kind}: a command answers with its code and what it printed, and what it makes is yours`, async () => {
    const { top } = await createWorkspace()
    const workspace = join(top, 'a, "b" = $c')
    await mkdir(workspace)
    const made = await shellIn(workspace, 'pwd; echo e >&2; mkdir out; echo x > out/x; exit 125')
    assert.equal(made, { exitCode: 125, stdout: `${workspace}\n`, stderr: 'e\n', truncated: false })
    assert.is((await stat(join(workspace, 'out/x'))).uid, process.getuid?.())
    const command = createRunCommand(runnerOf())
    const missing = await failureOf(command.run({ command: ['no-such-program'], timeoutMs }, createContext(workspace)))
    assert.is(missing.code, 'tool_failed')
    assert.match(missing.message, '"no-such-program" cannot be started: there is no such program')
  })

  test(`${kind}: a program has no rights, no network, and sees the workspace alone`, async () => {
    const { top, workspace } = await createWorkspace()
    await writeFile(join(top, 'beside.txt'), 'canary')
    const { stdout } = await shellIn(
      workspace,
      `id -u; grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/self/status; cat /proc/net/dev | grep -c :
       ls ${top}; for f in /made /etc/made /usr/made ${top}/made /dev/made; do touch $f && echo "wrote $f"; done
       echo x > /tmp/x && cat /tmp/x; env | grep -c ^SVC; kill -0 ${process.pid} && echo reached`,
    )
    const lines = stdout.split('\n').map((line) => line.replace(/\s+/g, ' '))
    assert.equal(lines, [
      `${process.getuid?.()}`,
      'CapEff: 0000000000000000',
      'CapBnd: 0000000000000000',
      'NoNewPrivs: 1',
      '1',
      'ws',
      'x',
      '0',
      '',
    ])
  })

  test(`${kind}: a walk finds nothing else to write to`, async () => {
    const { workspace } = await createWorkspace()
    const { stdout } = await shellIn(
      workspace,
      `set -f; others="find / -path /proc/[0-9]* -prune -o -path ${workspace} -prune"
       $others -o -type d -print 2>/dev/null | while read -r d; do (: > "$d/made") 2>/dev/null && echo "$d"; done
       $others -o -type f -print 2>/dev/null | grep -v /made | while read -r f; do (: >> "$f") 2>/dev/null && echo "$f"; done
       echo walked`,
    )
    // the last are the kernel's own, which bounds what each may set
    const isKnown = (path: string): boolean => /^\/(?:tmp|dev\/shm|proc\/pressure\/\w+)$/.test(path)
    const found = stdout.trim().split('\n')
    assert.is(found.pop(), 'walked')
    assert.equal(
      found.filter((path) => !isKnown(path)),
      [],
    )
    assert.ok(found.includes('/tmp'))
  })

  test(`${kind}: what is kept or closed stays so, and svc's data is hidden`, async () => {
    const files = { 'package.json': '{}', 'sub/Makefile': 'all:\n', '.git/HEAD': 'ref: x\n', '.env': 'canary' }
    const { workspace } = await createWorkspace({ ...files, '.svc/data/key': 'canary' })
    const closedPaths = { globs: ['.env'], has: (path: string) => path === '.env' }
    const { stdout } = await shellIn(
      workspace,
      `cat .env .svc/data/key .svc/*; cp -r .svc /tmp/s; cat /tmp/s/*/*
       for f in package.json sub/Makefile .git/HEAD; do echo evil >> $f; rm -f $f; mv $f moved; done
       mv sub gone; mv .git gone; mkdir -p sub/a/.git; echo ref > sub/a/.git/HEAD; echo fine > mine; cat mine`,
      { guarded: { folders: [join(workspace, '.svc/data')], programs: [] }, context: { closedPaths } },
    )
    assert.match(stdout, /^fine\n/)
    assert.not.match(stdout, 'canary')
    for (const [path, content] of Object.entries(files))
      assert.is(await readFile(join(workspace, path), 'utf8'), content)
    assert.is(existsSync(join(workspace, 'sub/a/.git')), false)
    assert.is((await readdir(join(workspace, 'sub/a'))).length, 1)
  })

  test(`${kind}: it ends with its time, and with all its memory`, async () => {
    const { workspace } = await createWorkspace({ ticks: '' })
    const ticks = 'sh -c "while :; do echo x >> ticks; done" & wait'
    assert.is((await failureOf(shellIn(workspace, ticks, { ms: 15_000 }))).code, 'tool_timeout')
    const { size } = await stat(join(workspace, 'ticks'))
    assert.is((await shellIn(workspace, 'sleep 1; cat ticks | wc -c')).stdout.trim(), String(size))
    const { message } = await failureOf(shellIn(workspace, 'tail /dev/zero', { memoryMb: 64 }))
    assert.match(message, 'more than 64 MB of memory, which policy.memoryMb sets')
  })
}

test.run()
