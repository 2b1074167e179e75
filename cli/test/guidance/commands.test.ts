/** `/name args`: tasks that a folder and a person have in files. */
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Asked, dropIn, startModelServer } from '../fixtures/model-server.ts'
import { svc } from '../fixtures/svc.ts'
import { addFiles, makeWorld, type World } from '../fixtures/world.ts'

const test = suite('commands')
const server = await startModelServer(() => 'Understood.')

const FILES = {
  '.svc/commands/review.md':
    '---\ndescription: Looks at a file\nargument-hint: <file> [word]\nmodel: none\n---\nReview $1 for "$2". All: $ARGUMENTS',
  '.claude/commands/review.md': 'Of another program: $1',
  '.claude/commands/say.md': 'Say hello.',
}
const OWN = { 'commands/say.md': 'Of the person.', 'commands/mine.md': 'My own: $1$2$10' }
const world = (files: Record<string, unknown> = FILES): World =>
  makeWorld(files, { 'providers/mine.json': dropIn(server), ...OWN })
const trusted = async (files?: Record<string, unknown>): Promise<World> => {
  const here = world(files)
  await svc(here, 'trust')
  return here
}
const taskOf = (asked: Asked | undefined): unknown => asked?.messages.findLast(({ role }) => role === 'user')?.content
const asked = async (here: World, task: string): Promise<unknown> => {
  const run = await svc(here, ['run', '--no-memory', task])
  assert.is(run.code, 0, run.err)
  return taskOf(server.asked.at(-1))
}

test('svc run fills in what follows the name, once, and a text that calls none is a task', async () => {
  const here = await trusted()
  assert.is(
    await asked(here, '/review src/a.ts "$1 and more" last'),
    'Review src/a.ts for "$1 and more". All: src/a.ts "$1 and more" last',
  )
  assert.is(await asked(here, '/review'), 'Review  for "". All: ')
  assert.is(await asked(here, '/say'), 'Say hello.')
  assert.is(await asked(here, '/say to\nall'), 'Say hello.\n\nto\nall')
  assert.is(await asked(here, "/mine 'one two' three"), 'My own: one twothree$10')
  for (const task of ['/etc/hosts explains what?', '/nothing of that name', 'Say /review', '/ x'])
    assert.is(await asked(here, task), task)
})

test('in a chat they are listed, run, and an unknown one is an error with the nearest', async () => {
  const here = await trusted({ ...FILES, '.svc/commands/cost.md': 'Never reached.' })
  const before = server.asked.length
  const input = '/help\n/review a.ts bugs\n/revew a.ts\n/nonsense\n/etc/hosts explains what?\n/cost\n'
  const { code, out, err } = await svc(here, 'chat', { input })
  assert.is(code, 2, err)
  assert.match(err, /\n {2}\/plan <task>: show/)
  assert.match(err, /\n {2}\/review <file> \[word\]: Looks at a file\n {2}\/say\n/)
  assert.is(err.match(/\n {2}\/cost/g)?.length, 1)
  assert.match(err, /there is no \/revew: did you mean \/review\? \[validation_failed\]/)
  assert.match(err, /there is no \/nonsense: there are \/plan, .*\/review, \/say \[validation_failed\]/)
  const tasks = server.asked.slice(before).map(taskOf)
  assert.equal(tasks, ['Review a.ts for "bugs". All: a.ts bugs', '/etc/hosts explains what?'])
  assert.match(out, /2 turns/)
})

test('those of a folder that nobody trusts are named, refused, and one of the person goes on', async () => {
  const here = world()
  const refused = await svc(here, ['run', '/review a.ts'])
  assert.is(refused.code, 3)
  assert.match(
    refused.err,
    /3 commands \(.*\.svc\/commands\/review\.md.*\) were left out because this folder is not trusted/,
  )
  assert.match(
    refused.err,
    /commands\/review\.md: defines the command "review", but this folder is not trusted.*\[config_untrusted\]/,
  )
  assert.is(await asked(here, '/say'), 'Of the person.')
})

test('a file that is no command is left out and named in one warning', async () => {
  const here = world({
    '.svc/commands/empty.md': '---\ndescription: Nothing\n---\n',
    '.svc/commands/two words.md': 'Do it.',
    '.svc/commands/broken.md': '---\na: b: c\n---\nDo it.',
    '.svc/commands/long.md': 'x'.repeat(1_000_000),
    '.svc/commands/good.md': 'Do it.',
    '.svc/commands/README.md': 'About these.',
  })
  addFiles(here.home, { 'out.md': 'Lies outside.' })
  symlinkSync(join(here.home, 'out.md'), join(here.work, '.svc/commands/out.md'))
  mkdirSync(join(here.work, '.svc/commands/folder.md'))
  await svc(here, 'trust')
  const run = await svc(here, ['run', '/good'])
  assert.is(run.code, 0, run.err)
  assert.is(taskOf(server.asked.at(-1)), 'Do it.')
  assert.match(run.err, /6 commands left out: /)
  for (const [name, why] of Object.entries({
    empty: 'holds no task',
    'two words': 'its name is no name of a command',
    broken: 'is not YAML',
    long: 'is larger than 100000 bytes',
    out: 'leads out of the folder',
    folder: 'is not a regular file',
  }))
    assert.match(run.err, new RegExp(`commands/${name}\\.md: [^;]*${why}`))
})

test.after(() => server.close())
test.run()
