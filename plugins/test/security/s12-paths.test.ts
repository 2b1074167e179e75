/** S12: no path leads a tool out of the workspace, or to what a rule closes. */
import { link, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { attackWithout } from '../../../.tools/weakened.mjs'
import { type Called, callTools, codesOf } from '../fixtures/call-tools.ts'
import { createWorkspace } from '../fixtures/tool-context.ts'
import { type attack, createSecrets, DENY, race, readClosed, writeThroughLinks } from './s12-attack.ts'

const test = suite('S12 paths')

test('no notation leads out of the workspace, for any of the file tools', async () => {
  const { top, workspace } = await createWorkspace({ 'a.txt': 'a' })
  await mkdir(join(top, 'ws-evil'))
  await writeFile(join(top, 'ws-evil/x'), 'canary')
  await symlink('/etc', join(workspace, 'link'))
  await symlink('../ws-evil/x', join(workspace, 'evil-link'))
  await symlink('../nowhere/new.txt', join(workspace, 'dangling'))
  const paths = [
    '../ws-evil/x',
    `${top}/ws-evil/x`,
    'link/passwd',
    'evil-link',
    'dangling',
    '/proc/self/cwd/../../ws-evil/x',
    '/etc/passwd',
    'a\0b',
    '/proc/self/environ',
    'link/../../proc/self/environ',
    '..',
    '../',
    '/',
    '%2e%2e/ws-evil/x',
    '..\\ws-evil\\x',
    '~',
    '~/.ssh/id_ed25519',
    'file:///etc/passwd',
  ]
  const calls = paths.flatMap((path): Called[] => [
    { tool: 'read_file', args: { path } },
    { tool: 'list_files', args: { path } },
    { tool: 'search_files', args: { query: 'canary', path } },
    { tool: 'edit_file', args: { path, edits: [{ find: 'a', replace: 'b' }] } },
    { tool: 'write_file', args: { path, content: 'overwritten' } },
    { tool: 'git_diff', args: { path } },
  ])
  const { outcomes } = await callTools(workspace, calls, { run: { approval: 'allow-write' } })
  for (const [index, { code, text }] of outcomes.entries()) {
    const call = JSON.stringify(calls[index])
    // such a name is one of a file in the workspace, and may be written
    if (/write_file.*"(?:%2e|\.\.\\\\|~|file:)/.test(call)) continue
    assert.ok(code !== 'ok', call)
    assert.not.match(text, 'canary-')
    assert.not.match(text, 'root:x:')
    const isOutside = index < 15 * 6 && !/%2e|\\\\/.test(call) && !call.includes('git_diff')
    if (isOutside) assert.is(code, 'path_outside_root', call)
  }
  assert.is(await readFile(join(top, 'ws-evil/x'), 'utf8'), 'canary')
})

test('a hard link is read as a file of the workspace, and never written through', async () => {
  const { top, workspace } = await createWorkspace()
  await writeFile(join(top, 'beside.txt'), 'beside')
  await link(join(top, 'beside.txt'), join(workspace, 'in.txt'))
  const write = (more: object) => ({ tool: 'write_file', args: { path: 'in.txt', content: 'changed', ...more } })
  const calls = [write({ mode: 'append' }), write({})]
  assert.equal(await codesOf(workspace, calls, { run: { approval: 'allow-write' } }), ['ok', 'ok'])
  assert.is(await readFile(join(top, 'beside.txt'), 'utf8'), 'beside')
})

test('what a rule closes is not read by name, by link, in a search, or in a diff; a listing says that it left it out', async () => {
  assert.equal(await readClosed(), [])
  const { workspace } = await createSecrets()
  const calls = [
    { tool: 'list_files', args: {} },
    { tool: 'search_files', args: { query: 'fine' } },
    { tool: 'read_file', args: { path: 'secrets/kez.txt' } },
    { tool: 'read_file', args: { path: 'kez.txt' } },
    { tool: 'git_status', args: {} },
  ]
  const { outcomes } = await callTools(workspace, calls, { config: { policy: { rules: DENY } } })
  const [listed, searched, named, meant, status] = outcomes.map(({ text }) => text)
  assert.match(listed ?? '', /docs\/a\.md {2}6\n… 4 files and folders are left out/)
  assert.not.match(listed ?? '', 'key')
  assert.match(searched ?? '', /^docs\/a\.md:1: finer\n… 5 files and folders are left out/)
  assert.match(named ?? '', 'policy_denied')
  assert.not.match(`${meant}${status}`, 'key.txt"?$')
  assert.not.match(`${meant}${status}`, 'secrets')
})

test('a file that has to be asked about is left out of a search that was not approved under its name', async () => {
  const { workspace } = await createSecrets()
  const rules = [{ tool: '*', decision: 'ask' as const, paths: ['secrets/*'] }]
  const calls = [
    { tool: 'search_files', args: { query: 'canary' } },
    { tool: 'search_files', args: { query: 'canary', path: 'secrets' } },
    { tool: 'read_file', args: { path: 'pub/key.txt' } },
  ]
  const answer = () => ({ decision: 'approve' as const })
  const { outcomes, asked } = await callTools(workspace, calls, {
    config: { policy: { rules } },
    run: { approval: 'wait' },
    answer,
  })
  const [all = '', folder = '', file = ''] = outcomes.map(({ text }) => text)
  assert.match(all, '.env:1')
  assert.not.match(all, 'secrets/')
  assert.not.match(folder, 'canary-4711')
  assert.match(file, 'canary-4711')
  assert.equal(
    asked.map(({ preview }) => preview.split('\n').slice(0, 2)),
    [['path: pub/key.txt', 'path: secrets/key.txt']],
  )
})

test('an allow rule holds for the file that is written, not for the name of a link to it', async () => {
  assert.equal(await writeThroughLinks(), ['docs/new.md'])
})

test('a folder that becomes a link between the two checks, hundreds of times', async () => {
  assert.equal(await race(300), { outside: 0, closed: 0, opened: 0 })
})

test('without the question about what is opened, and without the look at what was opened, each gets through', async () => {
  const file = 'plugins/src/tools/files/workspace.ts'
  const found = (await attackWithout('plugins/test/security/s12-attack.ts', [
    { file, name: 'checkPlace', weaken: '() => () => {}' },
    { file, name: 'confirmInside', weaken: '() => () => {}' },
    { file, name: 'touchedPaths', weaken: '() => async (scope, path) => ({ paths: [path] })' },
  ])) as Awaited<ReturnType<typeof attack>>
  assert.ok(found.race.outside > 0 && found.race.closed > 0, JSON.stringify(found.race))
  assert.ok(found.read.length > 3, JSON.stringify(found.read))
  assert.ok(found.written.includes('docs/link/new.ts'), JSON.stringify(found.written))
})

test.run()
