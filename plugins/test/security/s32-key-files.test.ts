/** S32: no tool and no sandboxed program reads or writes the keys of a server, wherever they lie and however they are named. */
import { linkSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { definePlugin, type RunEvent } from '@svc/core'
import { scriptedProvider } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createRuntime } from '../../src/index.ts'
import { kindsHere } from './s30-attack.ts'

const test = suite('S32 keys of a server')

const KEY = 'k3y-Canary_4711'.padEnd(43, 'aZ09')
const OTHER = 'f1l3-Canary_0815'.padEnd(43, 'bY18')
/** Turned by 13 letters, which no redaction sees through. */
const turned = (text: string): string =>
  text.replaceAll(/[a-z]/gi, (letter) => {
    const at = letter.toLowerCase().charCodeAt(0) - 97
    return String.fromCharCode(letter.charCodeAt(0) + (at < 13 ? 13 : -13))
  })
const folders: string[] = []
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

interface Place {
  workspace: string
  /** Of the data folder. */
  data: string
}

/** A workspace whose data folder lies in it, is it, or lies beside it, with links that lead to the keys. */
function makePlace(where: 'inside' | 'same' | 'beside'): Place {
  const top = mkdtempSync(join(tmpdir(), 'svc-keys-'))
  folders.push(top)
  const workspace = join(top, 'work')
  mkdirSync(join(workspace, 'sub'), { recursive: true })
  const data = where === 'same' ? workspace : join(where === 'inside' ? workspace : top, 'data')
  mkdirSync(data, { recursive: true })
  writeFileSync(join(data, 'server.key'), `${KEY}\n`, { mode: 0o600 })
  writeFileSync(
    join(workspace, 'keys.json'),
    JSON.stringify({ keys: [{ name: 'ci', key: OTHER, scopes: ['submit'] }] }),
  )
  writeFileSync(join(workspace, 'notes.md'), 'The crane is 40 years old.\n')
  symlinkSync(join(data, 'server.key'), join(workspace, 'sub', 'link'))
  symlinkSync(data, join(workspace, 'sub', 'folder'))
  return { workspace, data }
}

type Call = { tool: string; args: Record<string, unknown> }

/** What the tools of a run say whose model makes these calls, with everything approved. */
async function callAll({ workspace, data }: Place, calls: readonly Call[], sandbox?: 'bwrap' | 'unshare') {
  const script = ({ messages }: { messages: readonly { role: string }[] }) =>
    messages.some(({ role }) => role === 'tool') ? 'Done.' : { toolCalls: [...calls] }
  const provider = scriptedProvider('scripted', script)
  const parts = definePlugin('parts', ({ providers }) => providers.add('scripted', provider))()
  const config = {
    model: 'scripted/scripted',
    policy: { default: 'allow' as const, root: workspace, ...(sandbox && { sandbox }) },
    store: { dir: data },
  }
  const env = { SERVICE_API_KEYS_FILE: join(workspace, 'keys.json'), PATH: process.env.PATH }
  const runtime = await createRuntime(config, { env, workspace, plugins: [parts], persist: false })
  const events: RunEvent[] = []
  runtime.onEvent((event) => events.push(event))
  const { id } = await runtime.runs.create({
    task: 'Say what is there',
    topology: 'SINGLE',
    approval: 'wait',
    reflect: false,
  })
  for (let run = await runtime.runs.wait(id); run.status === 'waiting'; run = await runtime.runs.wait(id))
    for (const approval of run.waiting?.approvals ?? [])
      await runtime.approvals.resolve(approval.id, { decision: 'approve' }).catch(() => {})
  await runtime.close()
  return { log: JSON.stringify(events), asked: JSON.stringify(provider.requests), events }
}

const said = ({ events }: { events: readonly RunEvent[] }, type: string): string =>
  JSON.stringify(events.filter((event) => event.type === type))

const namesOf = ({ workspace, data }: Place): string[] => [
  join(data, 'server.key'),
  join(workspace, 'sub', 'link'),
  'sub/link',
  'sub/../sub/link',
  'sub/folder/server.key',
  'keys.json',
  './/keys.json',
]

for (const where of ['inside', 'same', 'beside'] as const) {
  test(`tools read and write none, with the data folder ${where} of the workspace, though a person approves all`, async () => {
    const place = makePlace(where)
    for (const name of namesOf(place)) {
      const result = await callAll(place, [
        { tool: 'read_file', args: { path: name } },
        { tool: 'write_file', args: { path: name, content: `${'e'.repeat(43)}\n`, mode: 'overwrite' } },
        { tool: 'edit_file', args: { path: name, old: KEY.slice(0, 5), new: 'evil' } },
        { tool: 'search_files', args: { query: 'Canary' } },
        { tool: 'list_files', args: {} },
      ])
      for (const text of [result.log, result.asked])
        for (const key of [KEY, OTHER]) assert.not.ok(text.includes(key), `${where} ${name}`)
      assert.not.match(said(result, 'tool.completed'), /"(read|write|edit)_file"/, `${where} ${name}`)
    }
    assert.is(readFileSync(join(place.data, 'server.key'), 'utf8'), `${KEY}\n`)
    assert.match(readFileSync(join(place.workspace, 'keys.json'), 'utf8'), OTHER)
    const control = await callAll(place, [{ tool: 'read_file', args: { path: 'notes.md' } }])
    assert.match(said(control, 'tool.completed'), '40 years')
  })
}

test('a hard link in the workspace is the same file', async () => {
  const place = makePlace('inside')
  linkSync(join(place.data, 'server.key'), join(place.workspace, 'other-name'))
  linkSync(join(place.workspace, 'keys.json'), join(place.workspace, 'third-name'))
  const result = await callAll(place, [
    { tool: 'read_file', args: { path: 'other-name' } },
    { tool: 'read_file', args: { path: 'third-name' } },
    { tool: 'search_files', args: { query: 'Canary' } },
  ])
  for (const key of [KEY, OTHER]) assert.not.ok(result.asked.includes(key))
  assert.match(said(result, 'tool.denied') + said(result, 'tool.failed'), /holds a key of a server/)
  // While a key of this process has two names no program runs.
  for (const name of ['other-name', 'third-name']) rmSync(join(place.workspace, name))
})

for (const kind of await kindsHere()) {
  for (const where of ['inside', 'same', 'beside'] as const) {
    test(`programs in ${kind} read and write none, with the data folder ${where} of the workspace, through no file of the machine`, async () => {
      const place = makePlace(where)
      // The names, everything in the workspace, and every root and working folder that /proc shows.
      const attack = `(
for name in ${namesOf(place).join(' ')}; do cat "$name"; cp "$name" /tmp/copy && cat /tmp/copy; ln "$name" taken; cat taken; done
find . ${place.data} -type f -exec cat {} +
for root in /proc/[0-9]*/root /proc/[0-9]*/cwd /proc/self/task/*/root; do cat $root${place.data}/server.key $root/data/server.key $root/server.key $root/keys.json; done
for fd in /proc/[0-9]*/fd/*; do timeout 1 head -c 300 $fd < /dev/null; done
for map in /proc/[0-9]*/environ; do tr '\\0' '\\n' < $map | grep KEY; done
echo evil > ${place.data}/server.key; echo evil > keys.json; rm -f ${place.data}/server.key keys.json; mv keys.json moved
) 2>&1 | tr A-Za-z N-ZA-Mn-za-m`
      writeFileSync(join(place.workspace, 'attack.sh'), attack)
      const result = await callAll(place, [{ tool: 'run_command', args: { command: ['sh', 'attack.sh'] } }], kind)
      for (const text of [result.log, result.asked])
        for (const key of [KEY, OTHER])
          for (const form of [key, turned(key)]) assert.not.ok(text.includes(form), text.slice(0, 2_000))
      assert.match(said(result, 'tool.completed'), turned('No such file or directory'), 'it ran')
      assert.is(readFileSync(join(place.data, 'server.key'), 'utf8'), `${KEY}\n`)
      assert.match(readFileSync(join(place.workspace, 'keys.json'), 'utf8'), OTHER)
      const taken = join(place.workspace, 'taken')
      const isFile = lstatSync(taken, { throwIfNoEntry: false })?.isFile() === true
      assert.not.ok(isFile && readFileSync(taken, 'utf8').includes(KEY))
      const control = await callAll(place, [{ tool: 'run_command', args: { command: ['cat', 'notes.md'] } }], kind)
      assert.match(said(control, 'tool.completed'), '40 years')
    })
  }

  test(`programs in ${kind} do not run while a key has a second name`, async () => {
    const place = makePlace('inside')
    linkSync(join(place.data, 'server.key'), join(place.workspace, 'sub', 'other-name'))
    const result = await callAll(place, [{ tool: 'run_command', args: { command: ['cat', 'sub/other-name'] } }], kind)
    assert.not.ok(result.asked.includes(KEY))
    assert.match(result.log, /has a second name/)
    rmSync(join(place.workspace, 'sub', 'other-name'))
  })
}

test.run()
