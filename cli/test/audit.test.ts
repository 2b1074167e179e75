/** `svc audit`: who decided what, by the command line and over HTTP, as a person and as a program read it. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { each, svc } from './fixtures/svc.ts'
import { addFiles, makeWorld } from './fixtures/world.ts'

const test = suite('svc audit')

interface Shown {
  data: Record<string, unknown>[]
  damaged: number
}

test('what is decided on the command line stands there, and is filtered by time, person, action and folder', async () => {
  const here = makeWorld({ 'svc.config.yaml': 'tokenBudget: 8000\n' })
  const [, , , , , all, byWhat, byWho, none, since, text, bad] = await each(here, [
    'trust',
    ['run', 'What is 6 times 7?', '--json'],
    'runs export --last run.svcrun',
    'runs rm --last',
    ['agents', 'create', 'Reviewer', '--instructions', 'Read closely.'],
    'audit --json',
    'audit --what agent --json',
    'audit --who local --what trust.given --json',
    'audit --who nobody',
    'audit --since 2099-01-01 --json',
    'audit',
    'audit --since yesterday',
  ])
  const { data } = JSON.parse(all.out) as Shown
  assert.equal(
    data.map(({ what, from, folder }) => [what, from, folder]),
    [
      ['trust.given', 'command line', here.work],
      ['agent.saved', 'command line', here.work],
    ],
  )
  for (const { who } of data) assert.match(String(who), /^local \S/)
  assert.equal(
    (JSON.parse(byWhat.out) as Shown).data.map(({ agent }) => agent),
    ['reviewer'],
  )
  assert.is((JSON.parse(byWho.out) as Shown).data.length, 1)
  assert.match(none.err, /nobody has decided anything of the kind/)
  assert.equal((JSON.parse(since.out) as Shown).data, [])
  assert.match(text.out, /^time +what +who +from +about\n\d{4}-\d\d-\d\d \d\d:\d\d:\d\d +trust\.given +local /)
  assert.is(bad.code, 2)
  assert.match(bad.err, /--since must be a date such as 2026-11-28, or a time ago/)
})

test('runs that are removed, imported, forked and resumed, and trust that is taken back', async () => {
  const here = makeWorld()
  const made = await svc(here, ['run', 'What is 6 times 7?', '--json'])
  const { runId } = JSON.parse(made.out) as { runId: string }
  await each(here, [
    ['runs', 'export', runId, 'run.svcrun'],
    ['runs', 'fork', runId, '--at', '1'],
    ['runs', 'rm', runId],
    'runs import run.svcrun',
    'runs prune --older-than 1000d',
    'trust --remove',
  ])
  const { data } = JSON.parse((await svc(here, 'audit --json')).out) as Shown
  assert.equal(
    data.map(({ what }) => what),
    ['run.forked', 'run.deleted', 'run.imported', 'runs.pruned', 'trust.removed'],
  )
  assert.equal(
    data.slice(0, 3).map(({ run }) => run),
    [runId, runId, runId],
  )
})

test('the log of a trusted project is not in the project, and another folder has its own entries', async () => {
  const here = makeWorld({ '.svc/agents/reader.md': '---\nname: Reader\n---\nRead.\n' })
  await each(here, ['trust', ['agents', 'create', 'Reviewer']])
  assert.not(existsSync(join(here.work, '.svc/data/audit')))
  const log = join(here.home, '.local/svc/audit/audit.jsonl')
  assert.match(readFileSync(log, 'utf8'), /"what":"agent\.saved"/)
  addFiles(here.work, { 'other/svc.config.yaml': 'tokenBudget: 8000\n' })
  const [other, all] = await each(here, [
    ['audit', '--json', '--cwd', 'other'],
    ['audit', '--json', '--cwd', 'other', '--all'],
  ])
  assert.is((JSON.parse(other.out) as Shown).data.length, 0)
  assert.is((JSON.parse(all.out) as Shown).data.length, 2)
})

test('a terminal is shown nothing that moves it, and lines that were changed are counted', async () => {
  const here = makeWorld()
  const audit = join(here.home, '.local/svc/audit')
  const evil = {
    time: '2026-11-28T00:00:00.000Z',
    what: 'run.deleted',
    who: 'x\u001b[2J\u202e',
    from: 'y\n2026 forged',
  }
  addFiles(audit, { 'audit.jsonl': `${JSON.stringify({ ...evil, tool: '\u009b2Jz' })}\n{"cut\n` })
  const { out, err } = await svc(here, 'audit --all')
  for (const sign of ['\u001b', '\u009b', '\u202e']) assert.not.ok(out.includes(sign))
  assert.is(out.trimEnd().split('\n').length, 2)
  assert.match(err, /lines that were cut or changed, and are not shown: 1/)
})

test('where it cannot be written, trust is not given', async () => {
  const here = makeWorld({ 'svc.config.yaml': 'tokenBudget: 8000\n' })
  addFiles(join(here.home, '.local/svc/audit'), { 'audit.jsonl/x': '' })
  const trust = await svc(here, 'trust')
  assert.match(trust.err, /nothing was decided, since the audit log .* cannot be written.*\[store_unavailable\]/)
  assert.is(trust.code, 5)
  assert.not(existsSync(join(here.home, '.config/svc/trust.json')))
})

test.run()
