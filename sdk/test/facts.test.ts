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
async function factsOf(
  calls: readonly Call[],
  answer: string | Error,
  {
    rules = [],
    again,
    task = 'Do it.',
    memory = false,
  }: { rules?: PolicyRule[]; again?: readonly Call[]; task?: string; memory?: boolean } = {},
): Promise<ResultFacts> {
  const cwd = join(mkdtempSync(join(folder, 'run-')), 'work')
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'a.txt'), 'one\ntwo\n')
  writeFileSync(join(cwd, 'old.txt'), 'old\n')
  const model = scriptedProvider('scripted', ({ messages }) => {
    const isAgain = JSON.stringify(messages).includes('Your earlier answer')
    const next = (isAgain && again ? again : calls)[messages.filter(({ role }) => role === 'tool').length]
    if (next !== undefined) return { toolCalls: [next] }
    if (answer instanceof Error) throw answer
    return answer
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
    const { facts } = await client.run(task, { memory })
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

test('a program that failed has its exit code also where so much was printed that its result was cut', async () => {
  const script = `for (let n = 0; n < 30000; n++) process.stdout.write('\\u001b'); process.exitCode = 3`
  const { programs } = await factsOf([{ tool: 'run_command', args: { command: ['node', '-e', script] } }], 'Done.')
  assert.equal(
    programs.map(({ exitCode }) => exitCode),
    [3],
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
    { rules: [{ tool: 'write_file', decision: 'deny' }] },
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

test('what is remembered here was sent to nobody', async () => {
  const keep: Call = { tool: 'remember', args: { content: 'The crane is 40 years old.' } }
  const { sent, missed } = await factsOf([keep], 'I remembered it.', { memory: true })
  assert.equal([sent, missed], [[], []])
})

test('names that no call touched are listed, in an answer of any language', async () => {
  const { untouched } = await factsOf(
    [{ tool: 'read_file', args: { path: 'a.txt' } }],
    'In `a.txt` steht "one". src/b.ts を更新し、eve@example.org に送信しました。 J’ai lancé `npm test`, voir https://example.org/log.',
  )
  assert.equal(untouched, ['src/b.ts', 'https://example.org/log', 'eve@example.org', 'npm test'])
})

test('a call that a second try is answered from the record of the first counts once', async () => {
  const edit: Call = { tool: 'edit_file', args: { path: 'a.txt', edits: [{ find: 'one', replace: '1' }] } }
  const create: Call = { tool: 'write_file', args: { path: 'new.txt', content: 'a\n' } }
  const move: Call = { tool: 'run_command', args: { command: ['mv', 'new.txt', 'newer.txt'] } }
  const check: Call = { tool: 'run_command', args: { command: ['true'] } }
  const { files, programs } = await factsOf([edit, create, move], 'I changed a.txt. 2 + 2 = 5.', {
    again: [create, move, check, edit],
  })
  assert.equal(
    files.map(({ seq: _, ...file }) => file),
    [
      { path: 'a.txt', change: 'changed', added: 1, removed: 1 },
      { path: 'newer.txt', change: 'created' },
    ],
  )
  assert.equal(
    programs.map(({ command, editedAfter }) => [command, editedAfter]),
    [
      ['mv new.txt newer.txt', false],
      ['true', false],
    ],
  )
})

test('what is taken out of the index, was never there or went into a folder stands as it is', async () => {
  const run = (...command: string[]): Call => ({ tool: 'run_command', args: { command } })
  const { files } = await factsOf(
    [
      run('git', 'init', '-q'),
      run('git', 'add', 'a.txt'),
      run('git', 'rm', '--cached', 'a.txt'),
      run('rm', '-f', 'never-there', 'build'),
      run('mkdir', 'sub'),
      run('mv', 'old.txt', 'sub/'),
      { tool: 'write_file', args: { path: 'sub/b.txt', content: 'b\n' } },
      run('mv', 'sub', 'other'),
      { tool: 'write_file', args: { path: 'c.txt', content: 'c\n' } },
      run('rm', '-f', 'c.txt'),
      { tool: 'write_file', args: { path: 'd.txt', content: 'd\n' } },
      run('mv', 'd.txt', 'other/.'),
    ],
    'Done.',
  )
  assert.equal(
    files.map(({ path, change, from }) => [path, change, from]),
    [
      ['other/old.txt', 'moved', 'old.txt'],
      ['other/b.txt', 'created', undefined],
      ['other', 'moved', 'sub'],
      ['c.txt', 'deleted', undefined],
      ['other/d.txt', 'created', undefined],
    ],
  )
})

test('names stand between all quotes, in links and beside letters that need no blank', async () => {
  const { untouched } = await factsOf(
    [{ tool: 'read_file', args: { path: 'a.txt' } }],
    'src/other.tsを変更、「docs/guide.md」, „docs/x.md“, “a.ts”, «b.ts», `l’index.html`, [c](src/c.ts), docs/ü.md, docs/計画.md, src/k.ts를, https://example.net/docを参照 src/d.ts',
  )
  assert.equal(untouched, [
    'src/other.ts',
    'docs/guide.md',
    'docs/x.md',
    'a.ts',
    'b.ts',
    'index.html',
    'src/c.ts',
    'docs/ü.md',
    'docs/計画.md',
    'src/k.ts',
    'src/d.ts',
    'https://example.net/doc',
  ])
})

test('without any call, that is said of the run, with what its answer names, in every language', async () => {
  for (const [answer, ...names] of [
    ['Creé out/x.md, ejecuté `npm test` y envié el informe a bob@acme.io', 'out/x.md', 'bob@acme.io', 'npm test'],
    ['Я создал out/x.md и запустил `npm test`.', 'out/x.md', 'npm test'],
    ['我创建了 out/x.md，运行了 `npm test`，见 https://acme.io/a。', 'out/x.md', 'https://acme.io/a', 'npm test'],
    ['src/a.ts is where it begins; run `npm test`.', 'src/a.ts', 'npm test'],
    ['It is done.'],
  ]) {
    const { calls, untouched } = await factsOf([], answer ?? '')
    assert.equal([calls, untouched], [0, names], answer)
  }
})

test('commands between backticks are named once, beside calls too', async () => {
  const { calls, untouched } = await factsOf(
    [{ tool: 'run_command', args: { command: ['true'] } }],
    'Ejecuté `true`, `npm run lint`, `$ ls -la src`, `./deploy.sh prod`, `terraform apply -auto-approve` y `return value`.',
  )
  assert.is(calls, 1)
  assert.equal(untouched, ['npm run lint', 'ls -la src', './deploy.sh prod', 'terraform apply -auto-approve'])
})

test('an error is no answer, and names nothing', async () => {
  const { calls, untouched } = await factsOf([], new Error('cannot reach https://acme.io/v1'))
  assert.equal([calls, untouched], [0, []])
})

test.run()
