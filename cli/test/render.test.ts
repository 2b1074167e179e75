/** What plans, plugins and runs look like to a person. */
import type { Run } from '@svc/core'
import { toVisible } from '@svc/core/client'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { toSafe, toSafeJson } from '../src/frame/io.ts'
import { renderRun, renderRuns, toCount } from '../src/render/run/run.ts'
import { renderTable } from '../src/render/table.ts'
import { toAge, toDuration } from '../src/render/time.ts'
import { widthOf } from '../src/render/width.ts'

const test = suite('render')

const NOW = Date.parse('2026-05-04T12:00:00.000Z')

const runOf = (changes: Partial<Run>): Run => ({
  id: 'run_01JZ4K0M6T8N2QW3E5R7Y9V1XA',
  status: 'completed',
  mode: 'execute',
  task: 'Say hello',
  recoveries: 0,
  version: 1,
  createdAt: '2026-05-04T11:57:00.000Z',
  lastSeq: 40,
  agents: [],
  usage: { inputTokens: 12_000, outputTokens: 345, estimated: false, modelCalls: 2 },
  costUsd: 0.0123,
  links: {},
  ...changes,
})

test('a question with a few answers is shown with them, as they are to be typed', () => {
  const input = { prompt: 'Shall it go on?', schema: { enum: ['go on', 'cancel'] } }
  const context = { columns: 100, commandOf: (words: string) => `svc ${words}` }
  const shown = renderRun(runOf({ status: 'waiting', waiting: { input } }), context, NOW)
  assert.match(shown, /^answer with +svc runs resume run_\w+ --input "go on" or "cancel"$/m)
})

test('a table of runs takes no more columns than there are, whatever is in a task', () => {
  const tasks = ['long '.repeat(100), '長い課題'.repeat(30), '👩‍🚀 rocket '.repeat(30), 'two\nlines\tand a tab', '']
  const runs = tasks.map((task) => runOf({ task, status: 'incomplete', mode: 'analyze' }))
  const lines = renderRuns(runs, '/here', 100, NOW).split('\n')
  assert.is(lines.length, tasks.length + 1)
  for (const line of lines) assert.ok(widthOf(line) <= 100, line)
  assert.match(
    lines[1] ?? '',
    /^run_01JZ4K0M6T8N2QW3E5R7Y9V1XA {2}incomplete {2}3 min ago {2}12\.3k {3}\(analyze\) long long .*…$/,
  )
})

test('a table is as wide as it needs where nobody looks, and breaks or cuts its last column on a terminal', () => {
  const head = ['tool', 'risk', 'from', 'what it does']
  const about = 'Reads a file of the workspace, 課題 too, by lines or bytes, and says when there is more of it.'
  const rows = [['read_file', 'read', 'a/very/long/path/to/a/plugin', about]]
  assert.match(renderTable(head, rows), new RegExp(`^read_file +read +a/very/long/path/to/a/plugin +${about}$`, 'm'))
  for (let columns = 36; columns < 140; columns++) {
    const lines = renderTable(head, rows, columns).split('\n')
    for (const line of lines) assert.ok(widthOf(line) <= columns, `${columns}: ${line}`)
    assert.match(lines.join(' ').replace(/\s+/g, ' '), /Reads a file .* when there is more of it\./)
    assert.match(lines.join('\n'), 'a/very/long/path/to/a/plugin')
    const isTable = lines[0]?.startsWith('tool  ') === true
    assert.is(isTable, columns >= 63, String(columns))
    if (isTable) assert.ok(lines[1]?.startsWith('read_file  '))
    else
      assert.equal(lines.slice(0, 2), [
        'read_file',
        columns < 46 ? '  risk read' : '  risk read  from a/very/long/path/to/a/plugin',
      ])
    assert.is(renderTable(head, rows, columns, { cuts: true }).split('\n').length, isTable ? 2 : columns < 46 ? 4 : 3)
  }
  assert.match(renderTable(head, rows, 62, { free: ['from'] }), /^read_file {2}read {2}a\/very\/long\/\S*… {2}Reads/m)
})

test('times are as people read them, and counts short', () => {
  const at = (ms: number): string => toAge(new Date(NOW - ms).toISOString(), NOW)
  const ages = [0, 59_000, 60_000, 3_600_000, 86_400_000, 3 * 86_400_000, 40 * 86_400_000, -3_600_000, -1_000].map(at)
  assert.equal(ages, [
    'just now',
    'just now',
    '1 min ago',
    '1 h ago',
    '1 day ago',
    '3 days ago',
    '2026-03-25',
    'in 1 h',
    'in a moment',
  ])
  assert.equal([450, 61_000, 3_725_000].map(toDuration), ['0.5 s', '1 min 1 s', '1 h 2 min'])
  assert.equal([9_999, 12_345, 1_250_000].map(toCount), ['9999', '12.3k', '1.3M'])
})

test('JSON says the same without a character that controls a terminal', () => {
  const value = { text: 'a\u009b31m\u202eb\u007f\u001b[0m' }
  const shown = toSafeJson(JSON.stringify(value))
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
  assert.not.match(shown, /[\u0000-\u001f\u007f-\u009f\u202e]/)
  assert.equal(JSON.parse(shown), value)
})

/** Marks that take no space, change the direction, or carry a text of their own. */
const UNSEEN = [
  0xad, 0x34f, 0x61c, 0x115f, 0x17b4, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x2028, 0x202e, 0x2060, 0x2066,
  0x2069, 0x2800, 0x3164, 0xfe00, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0x1d173, 0xe0001, 0xe0041, 0xe007f, 0xe0100, 0x1b,
  0x9b,
]

test('what a person is asked about and looks up shows every mark that cannot be seen', () => {
  for (const code of UNSEEN) {
    const path = `src/${String.fromCodePoint(code)}a.ts`
    const shown = `src/\\u{${code.toString(16)}}a.ts`
    assert.is(toVisible(path), shown)
    assert.match(renderTable(['path'], [[path]]), shown)
  }
  for (const text of ['👩‍💻 ❤️ 👍🏽 👩🏽‍🚀', 'שלום עולם', 'مرحبا بالعالم', 'żółć\tx\ny', '日本語'])
    assert.is(toVisible(text), text)
})

test('an answer keeps what scripts and pictures are written with, and loses what reorders it', () => {
  const text = 'می‌خواهم 👩‍💻 \u200fשלום'
  assert.is(toSafe(text), text)
  assert.is(toSafe('a\u202eb\u001b[2J'), 'ab[2J')
})

test.run()
