/** What svc keeps is no file for tools: by whatever name, in whatever folder, whatever a person allows. */
import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findSandbox } from '../../src/index.ts'
import { type Called, callTools } from '../fixtures/call-tools.ts'
import { createWorkspace } from '../fixtures/tool-context.ts'

const test = suite("svc's own files")

const CANARY = 'canary-4711'
const KEPT = [
  'svc.db',
  'svc.db-wal',
  'svc.db-shm',
  'svc.db-reserve',
  'svc.db.v13.bak',
  'svc.db.replaced-2026',
  'server.key',
  'audit/audit.jsonl',
]
const ALLOWED = { policy: { rules: [{ tool: '*', decision: 'allow' as const }] } }
const { kind } = await findSandbox()

for (const place of ['data', '.', '.svc/data']) {
  test(`are refused where the data folder is ${place} in the workspace`, async () => {
    const { workspace } = await createWorkspace({
      'notes.md': 'free',
      'url.txt': CANARY,
      'openai.txt': CANARY,
      'a/b/c': '',
    })
    const data = join(workspace, place)
    mkdirSync(join(data, 'audit'), { recursive: true })
    for (const name of KEPT) writeFileSync(join(data, name), CANARY)
    const paths = [...KEPT.map((name) => join(place, name)), 'url.txt', 'openai.txt']
    const named = [...paths]
    for (const [index, path] of paths.entries()) {
      symlinkSync(join(workspace, path), join(workspace, `soft-${index}.md`))
      named.push(`soft-${index}.md`)
      if (/svc\.db$|svc\.db-wal$|server\.key$|audit\.jsonl$|\.txt$/.test(path)) {
        linkSync(join(workspace, path), join(workspace, `hard-${index}.md`))
        named.push(`hard-${index}.md`)
      }
      named.push(
        `./a/../${path}`,
        join(workspace, path),
        `/proc/self/cwd/${relative(process.cwd(), join(workspace, path))}`,
      )
      named.push(`/proc/self/root${join(workspace, path)}`)
    }
    symlinkSync(data, join(workspace, 'a/inner'))
    named.push('a/inner/svc.db', 'a/inner/audit/audit.jsonl')
    const env = {
      SVC_DATA_DIR: data,
      SVC_DATABASE_URL_FILE: join(workspace, 'url.txt'),
      OPENAI_API_KEY_FILE: join(workspace, 'openai.txt'),
    }
    const calls: Called[] = named.flatMap((path) => [
      { tool: 'read_file', args: { path } },
      { tool: 'search_files', args: { query: 'canary', path } },
      { tool: 'edit_file', args: { path, edits: [{ find: CANARY, replace: 'x' }] } },
    ])
    for (const path of paths)
      calls.push(
        { tool: 'write_file', args: { path, content: 'x' } },
        { tool: 'write_file', args: { path, content: 'x', mode: 'append' } },
      )
    calls.push({ tool: 'search_files', args: { query: 'canary' } })
    if (place !== '.') calls.push({ tool: 'write_file', args: { path: join(place, 'new/file.md'), content: 'x' } })
    const { outcomes, asked } = await callTools(workspace, calls, {
      config: { ...ALLOWED, store: { url: 'memory:' } },
      env,
      run: { approval: 'wait' },
      answer: () => ({ decision: 'approve' }),
    })
    const got = calls.filter((call, index) => {
      const { code, text } = outcomes[index] ?? { code: '', text: '' }
      return text.includes(CANARY) || (code === 'ok' && call.tool !== 'search_files')
    })
    assert.equal(got, [])
    assert.equal(asked, [], 'nobody is asked')
    for (const path of paths) assert.is(readFileSync(join(workspace, path), 'utf8'), CANARY, path)
    // While a key has a second name no program runs.
    for (const name of readdirSync(workspace)) if (name.startsWith('hard-')) rmSync(join(workspace, name))
  })

  if (kind !== undefined)
    test(`programs neither see nor change them where the data folder is ${place}`, async () => {
      const { workspace } = await createWorkspace({ 'notes.md': 'free', 'url.txt': CANARY })
      const data = join(workspace, place)
      mkdirSync(join(data, 'audit'), { recursive: true })
      for (const name of KEPT) writeFileSync(join(data, name), CANARY)
      linkSync(join(data, 'svc.db'), join(workspace, 'hard.md'))
      symlinkSync(join(data, 'svc.db'), join(workspace, 'soft.md'))
      const env = { SVC_DATA_DIR: data, SVC_DATABASE_URL_FILE: join(workspace, 'url.txt') }
      const shell = (script: string): Called => ({ tool: 'shell', args: { script } })
      const calls = [
        shell(
          'grep -rs canary . ; cat hard.md soft.md; cat /proc/*/root/proc/1/environ | tr "\\0" "\\n" | grep canary',
        ),
        shell(
          `for f in ${KEPT.map((name) => join(place, name)).join(' ')} url.txt; do echo x > $f; mv $f gone; done; true`,
        ),
      ]
      await callTools(workspace, calls, {
        config: { policy: { ...ALLOWED.policy, shell: true }, store: { url: 'memory:' } },
        env,
        run: { approval: 'wait' },
        answer: () => ({ decision: 'approve' }),
      }).then(({ outcomes }) => {
        for (const { code, text } of outcomes) {
          assert.match(code, /^(ok|policy_denied|tool_failed)$/, text)
          assert.not.ok(text.includes(CANARY), text)
        }
      })
      for (const name of KEPT) assert.is(readFileSync(join(data, name), 'utf8'), CANARY, name)
    })
}

test('git shows nothing of them, and a record of trust is not written', async () => {
  const { workspace } = await createWorkspace({ 'notes.md': 'free', 'config/svc/trust.json': '{}' })
  const data = join(workspace, 'data')
  mkdirSync(data)
  const git = (...args: string[]): unknown =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.org', ...args], { cwd: workspace })
  git('init', '-q')
  for (const name of ['svc.db', 'server.key']) writeFileSync(join(data, name), 'before\n')
  git('add', '-f', '.')
  git('commit', '-qm', 'All')
  for (const name of ['svc.db', 'server.key']) writeFileSync(join(data, name), `${CANARY}\n`)
  const calls: Called[] = [
    { tool: 'git_diff', args: {} },
    { tool: 'git_diff', args: { path: 'data' } },
    { tool: 'write_file', args: { path: 'config/svc/trust.json', content: '{}' } },
  ]
  const { outcomes } = await callTools(workspace, calls, {
    config: { ...ALLOWED, store: { url: 'memory:' } },
    env: { SVC_DATA_DIR: data, XDG_CONFIG_HOME: join(workspace, 'config') },
    run: { approval: 'wait' },
    answer: () => ({ decision: 'approve' }),
  })
  for (const { text } of outcomes) assert.not.ok(text.includes(CANARY), text)
  assert.is(outcomes.at(-1)?.code, 'policy_denied')
})

test.run()
