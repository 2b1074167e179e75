/** What a result says that its run did: from the log alone, whatever the answer says. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { definePlugin, type PolicyRule, type ResultFacts, ToolError } from '@svc/core'
import { scriptedProvider } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createClient } from '../src/index.ts'

const test = suite('facts')

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-facts-')))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

type Call = { tool: string; args: unknown }

/** The facts of a run that makes these calls in a folder of its own, and then says its answer. */
async function factsOf(calls: readonly Call[], answer: string, rules: PolicyRule[] = []): Promise<ResultFacts> {
  const cwd = join(mkdtempSync(join(folder, 'run-')), 'work')
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'a.txt'), 'one\ntwo\n')
  writeFileSync(join(cwd, 'old.txt'), 'old\n')
  const model = scriptedProvider('scripted', ({ messages }) => {
    const next = calls[messages.filter(({ role }) => role === 'tool').length]
    return next === undefined ? answer : { toolCalls: [next] }
  })
  let mails = 0
  const parts = definePlugin('parts', ({ providers, tools }) => {
    providers.add('scripted', model)
    tools.add('send_mail', {
      id: 'send_mail',
      description: 'Sends a mail.',
      risk: 'network',
      parameters: { type: 'object', properties: { to: { type: 'string' } } },
      async run() {
        if (++mails > 1) throw new ToolError('tool_failed', 'mailbox full')
        return { status: 202 }
      },
    })
  })()
  const client = await createClient({
    env: { HOME: folder, PATH: process.env.PATH ?? '' },
    cwd,
    config: { model: 'scripted/scripted', policy: { default: 'allow', rules } },
    plugins: [parts],
  })
  try {
    const { facts } = await client.run('Do it.', { reflect: false, memory: false })
    assert.ok(facts)
    return facts
  } finally {
    await client.disconnect()
  }
}

test('files are listed once, with their lines, and programs with what came after them', async () => {
  const edit = (find: string, replace: string): Call => ({
    tool: 'edit_file',
    args: { path: 'a.txt', edits: [{ find, replace }] },
  })
  const run = (...command: string[]): Call => ({ tool: 'run_command', args: { command } })
  const { files, programs } = await factsOf(
    [
      edit('one', '1'),
      run('sh', '-c', 'exit 3'),
      edit('two', '2\n3'),
      { tool: 'write_file', args: { path: 'new.txt', content: 'new\n' } },
      run('mv', 'old.txt', 'older.txt'),
      run('rm', 'new.txt'),
      run('true'),
    ],
    'Done.',
  )
  assert.equal(
    files.map(({ seq: _, ...file }) => file),
    [
      { path: 'a.txt', change: 'changed', added: 3, removed: 2 },
      { path: 'older.txt', change: 'moved', from: 'old.txt' },
      { path: 'new.txt', change: 'deleted' },
    ],
  )
  assert.equal(
    programs.map(({ command, exitCode, editedAfter }) => [command, exitCode, editedAfter]),
    [
      ['sh -c exit 3', 3, true],
      ['mv old.txt older.txt', 0, true],
      ['rm new.txt', 0, false],
      ['true', 0, false],
    ],
  )
})

test('what was sent is listed with its status, what failed or was denied with the reason', async () => {
  const { sent, missed } = await factsOf(
    [
      { tool: 'send_mail', args: { to: 'ada@example.org' } },
      { tool: 'send_mail', args: { to: 'bob@example.org' } },
      { tool: 'write_file', args: { path: 'b.txt', content: 'b' } },
    ],
    'Both got a mail.',
    [{ tool: 'write_file', decision: 'deny' }],
  )
  assert.equal(
    sent.map(({ tool, target, status }) => [tool, target, status]),
    [['send_mail', 'ada@example.org', 202]],
  )
  assert.equal(
    missed.map(({ tool, target, why }) => [tool, target, why]),
    [
      ['send_mail', 'bob@example.org', 'failed'],
      ['write_file', 'b.txt', 'denied'],
    ],
  )
  assert.match(missed[0]?.reason ?? '', /mailbox full/)
})

test('names that no call touched are listed, in an answer of any language', async () => {
  const { untouched } = await factsOf(
    [{ tool: 'read_file', args: { path: 'a.txt' } }],
    'In `a.txt` steht "one". src/b.ts を更新し、eve@example.org に送信しました。 J’ai lancé `npm test`, voir https://example.org/log.',
  )
  assert.equal(untouched, ['src/b.ts', 'https://example.org/log', 'eve@example.org', 'npm test'])
})

test.run()
