import { mkdir, readFile as read, readdir, rename, rm, symlink, writeFile as write } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readFile } from '../src/tools/files/read-file.ts'
import { isInside, resolveInside } from '../src/tools/files/workspace.ts'
import { writeFile } from '../src/tools/files/write-file.ts'
import { createContext, createWorkspace, failureOf, runTool } from './fixtures/tool-context.ts'

const SECRET = 'the-secret-outside'
const test = suite('workspace confinement')

async function createTrap() {
  const made = await createWorkspace({ 'inside.txt': 'inside\n', 'folder/a.txt': 'a\n' })
  await mkdir(join(made.top, 'ws-evil'))
  await write(join(made.top, 'ws-evil/x'), SECRET)
  await write(join(made.top, 'secret.txt'), SECRET)
  await symlink('/etc', join(made.workspace, 'link'))
  await symlink('../secret.txt', join(made.workspace, 'secret-link'))
  await symlink('../nowhere/new.txt', join(made.workspace, 'dangling-out'))
  await symlink('folder', join(made.workspace, 'alias'))
  await symlink('missing.txt', join(made.workspace, 'dangling-in'))
  await symlink('circle-b', join(made.workspace, 'circle-a'))
  await symlink('circle-a', join(made.workspace, 'circle-b'))
  return made
}

test('paths that lie inside are accepted however they are spelled', async () => {
  const { top, workspace } = await createTrap()
  await symlink(workspace, join(top, 'ws-alias'))
  for (const path of ['inside.txt', './folder/../inside.txt', join(workspace, 'inside.txt'), '../ws/inside.txt']) {
    assert.is(await runTool(readFile, { path }, createContext(workspace)), '1\tinside')
  }
  const aliased = createContext(join(top, 'ws-alias'))
  assert.is(await runTool(readFile, { path: join(top, 'ws-alias/inside.txt') }, aliased), '1\tinside')
  assert.is(await runTool(readFile, { path: 'alias/a.txt' }, createContext(workspace)), '1\ta')
})

test('a link to a missing file inside is a missing file, and writing through it makes that file', async () => {
  const { workspace } = await createTrap()
  const context = createContext(workspace)
  assert.is((await failureOf(readFile.run({ path: 'dangling-in' }, context))).code, 'tool_failed')
  await runTool(writeFile, { path: 'dangling-in', content: 'now' }, context)
  assert.is(await read(join(workspace, 'missing.txt'), 'utf8'), 'now')
})

test('links in a circle, names that are too long and files taken for folders are errors that say so', async () => {
  const { workspace } = await createTrap()
  const context = createContext(workspace)
  assert.match((await failureOf(readFile.run({ path: 'circle-a' }, context))).message, 'circles')
  assert.match((await failureOf(readFile.run({ path: 'x'.repeat(300) }, context))).message, 'too long')
  assert.is((await failureOf(readFile.run({ path: 'x'.repeat(5000) }, context))).code, 'tool_bad_args')
  assert.match((await failureOf(readFile.run({ path: 'inside.txt/x' }, context))).message, 'does not exist')
  assert.match(
    (await failureOf(writeFile.run({ path: 'inside.txt/x', content: '' }, context))).message,
    'a file, not a folder',
  )
})

test('kernel folders stay closed when the workspace is the root of the disk', async () => {
  assert.is((await failureOf(resolveInside({ workspace: '/' }, '/proc/self/environ'))).code, 'path_outside_root')
  assert.is((await failureOf(resolveInside({ workspace: '/' }, 'sys/kernel'))).code, 'path_outside_root')
  assert.is((await resolveInside({ workspace: '/' }, 'etc')).relative, 'etc')
})

test('a workspace that does not exist is named', async () => {
  assert.match((await failureOf(resolveInside({ workspace: '/no/such/workspace' }, 'x'))).message, '/no/such/workspace')
})

test('a folder that is swapped for a link outside while it is written to receives nothing outside', async () => {
  const { top, workspace } = await createTrap()
  const context = createContext(workspace)
  const outsideFolder = join(top, 'ws-evil')
  await mkdir(join(workspace, 'real'))
  await symlink(outsideFolder, join(workspace, 'trap'))
  await rename(join(workspace, 'real'), join(workspace, 'target'))
  let running = true
  const at = (name: string) => join(workspace, name)
  // The tool may write into what is being removed.
  const discard = (name: string) => rm(at(name), { recursive: true, force: true, maxRetries: 20, retryDelay: 1 })
  const swapper = (async () => {
    while (running) {
      await rename(at('target'), at('real'))
      // the tool may have made the folder anew in between: then this round is lost
      const swapped = await rename(at('trap'), at('target')).then(
        () => true,
        () => false,
      )
      if (swapped) await rename(at('target'), at('trap'))
      else await discard('target')
      await rename(at('real'), at('target')).catch(() => discard('real'))
    }
  })()
  let written = 0
  // on a busy machine the folder may be away each of a hundred times
  for (let round = 0; round < 100 || (written === 0 && round < 100_000); round++) {
    const result = await writeFile.run({ path: `target/f${round}.txt`, content: 'x' }, context).catch(() => '')
    if (result !== '') written++
  }
  running = false
  await swapper
  assert.equal(await readdir(outsideFolder), ['x'])
  assert.ok(written > 0, 'nothing was ever written')
})

test('whatever path is asked for, the answer lies inside or is path_outside_root or an error with a code', async () => {
  const { workspace } = await createTrap()
  const piece = fc.constantFrom(
    '..',
    '.',
    '',
    'link',
    'alias',
    'folder',
    'a.txt',
    '~',
    'passwd',
    'ws-evil',
    'é',
    'dangling-out',
  )
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 8 }), fc.boolean(), async (pieces, absolute) => {
      const path = (absolute ? '/' : '') + pieces.join('/')
      const place = await resolveInside({ workspace }, path).catch((error: { code?: string }) => error)
      if ('real' in place) assert.ok(isInside(workspace, place.real), path)
      else assert.ok(['path_outside_root', 'tool_failed'].includes(place.code ?? ''), `${path} ${place.code}`)
    }),
    { numRuns: 300 },
  )
})

test.run()
