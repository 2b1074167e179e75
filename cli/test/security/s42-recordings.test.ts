/** S42: a recording of somebody else takes no more memory or time than a recording may, whatever it holds. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { notesWorld, startNotesServer, task } from '../fixtures/notes.ts'
import { each, svc } from '../fixtures/svc.ts'
import { addFiles, begin, type Outcome, type World } from '../fixtures/world.ts'

const test = suite('S42 recordings')

type Line = Record<string, unknown>

/** A folder with a recording, its lines, and those as somebody changed and signed them. */
async function recorded(change: (lines: Line[]) => (Line | string)[]): Promise<World> {
  const here = notesWorld(await startNotesServer())
  await svc(here, [...task('WORD-rec'), '--record', 'own.cassette'])
  const own = readFileSync(join(here.work, 'own.cassette'), 'utf8').trim().split('\n')
  const changed = change(own.slice(0, -1).map((line) => JSON.parse(line)))
  const text = changed.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')
  const end = { lines: changed.length, sha256: createHash('sha256').update(text).digest('hex') }
  addFiles(here.work, { 'run.cassette': `${text}${JSON.stringify({ end })}\n` })
  return here
}

/** In a process with little memory. */
const inLittle = (here: World, args: string): Promise<Outcome> =>
  begin(here, args, { env: { NODE_OPTIONS: '--max-old-space-size=256' } }).outcome

test('calls whose conversations rest on each other are gone over, however many there are', async () => {
  const here = await recorded((lines) => {
    const [head, ...others] = lines as [Line & { run: Line }, ...Line[]]
    const events = others.filter(({ v }) => v === 1)
    const begun = events.find(({ type }) => type === 'model.started') as Line & { data: Line }
    const chain = Array.from({ length: 8_000 }, (_, n) => {
      const base = n === 0 ? {} : { base: `call_${n - 1}` }
      const prompt = { from: n, ...base, messages: [{ role: 'user', text: 'x' }] }
      return { ...begun, callId: `call_${n}`, data: { ...begun.data, prompt } }
    })
    const all = [...events.slice(0, -1), ...chain, ...events.slice(-1)].map((event, at) => ({ ...event, seq: at + 1 }))
    head.run.lastSeq = all.length
    return [head, ...others.filter(({ lock }) => lock), ...all, ...others.filter(({ step }) => step)]
  })
  const { code, out, err } = await inLittle(here, 'runs replay run.cassette')
  assert.is(code, 0, err)
  assert.match(out, /^identical: /)
})

const TOO_MUCH: Record<string, [(lines: Line[]) => (Line | string)[], RegExp]> = {
  'nests without end': [([head]) => [head ?? {}, `${'{"a":'.repeat(8e6)}1${'}'.repeat(8e6)}`], /levels deep/],
  'holds millions of values': [
    ([head]) => [head ?? {}, `{"v":1,"data":{"a":[${'{},'.repeat(8e6)}1]}}`],
    /more than 4000000 values/,
  ],
}

for (const [what, [change, says]] of Object.entries(TOO_MUCH))
  test(`one that ${what} is refused before it is read`, async () => {
    const here = await recorded(change)
    for (const args of ['runs replay run.cassette', 'runs import run.cassette']) {
      const { code, err } = await inLittle(here, args)
      assert.is(code, 2, err)
      assert.match(err, /\[validation_failed\]/)
      assert.match(err, says)
    }
  })

test('what is no file that stays as it is is not waited for', async () => {
  const here = await recorded((lines) => lines)
  execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', join(here.work, 'fifo')])
  const ways = ['runs replay ./fifo', 'run --replay fifo', 'run --replay fifo --fill', 'runs import fifo']
  const outcomes = await each(here, [...ways, 'run --replay /dev/zero', 'runs replay .', 'runs replay run.cassette'])
  for (const { code, err } of outcomes.slice(0, -1)) {
    assert.is(code, 2, err)
    assert.match(err, /not a regular file.*\[validation_failed\]/)
  }
  assert.is(outcomes.at(-1)?.code, 0)
})

test.run()
