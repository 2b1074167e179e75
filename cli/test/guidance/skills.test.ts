/** Skills of a project and of a person, as agents get and read them. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutionResult } from '@svc/core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type Asked, dropIn, type Said, startModelServer } from '../fixtures/model-server.ts'
import { svc } from '../fixtures/svc.ts'
import { addFiles, makeWorld, type World } from '../fixtures/world.ts'

const test = suite('skills')

const skill = (name: string, description: string, body = 'Do it so.', more = ''): string =>
  `---\nname: ${name}\ndescription: ${description}\n${more}---\n\n${body}\n`

let say: (asked: Asked) => Said = () => 'Understood.'
const server = await startModelServer((asked) => say(asked))

/** Has the model make these calls, one after the other; `results` says what came of them. */
function script(...calls: { name: string; args: object }[]): void {
  say = ({ messages }) => {
    const results = messages.filter(({ role }) => role === 'tool')
    const next = calls[results.length]
    if (next !== undefined) return { calls: [{ name: next.name, args: JSON.stringify(next.args) }] }
    return 'Understood.'
  }
}

const results = (): string[] =>
  (server.asked.at(-1)?.messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => String(content))

const world = (files: Record<string, unknown> = {}): World =>
  makeWorld(files, { 'providers/mine.json': dropIn(server) })
const trusted = async (files: Record<string, unknown> = {}): Promise<World> => {
  const here = world(files)
  assert.is((await svc(here, 'trust')).code, 0)
  return here
}
const toolsOf = (asked: Asked | undefined) =>
  (asked?.tools ?? []) as unknown as { function: { name: string; description: string } }[]
const listOf = (asked: Asked | undefined): string =>
  toolsOf(asked).find(({ function: { name } }) => name === 'skill')?.function.description ?? ''

test('names and descriptions are in the first request, the same bytes each time, and the body comes on demand', async () => {
  const here = await trusted({
    '.claude/skills/zip/SKILL.md': skill('zip', 'Packs files.'),
    '.agents/skills/pdf/SKILL.md': skill('pdf', '>\n  Reads\n  PDF files.', 'Run scripts/read.py first.'),
    '.agents/skills/pdf/scripts/read.py': 'print(1)',
    '.agents/skills/pdf/reference.md': 'The second line of it says more.',
  })
  addFiles(here.home, {
    '.agents/skills/notes/SKILL.md': skill('notes', 'Takes notes.', 'See style.md.'),
    '.agents/skills/notes/style.md': 'Short sentences.',
    '.agents/skills/pdf/SKILL.md': skill('pdf', 'Of the person.'),
    '.agents/secret.txt': 'not a skill',
  })
  const notes = join(here.home, '.agents/skills/notes')
  script(
    { name: 'skill', args: { name: 'pdf' } },
    { name: 'skill', args: { name: 'notes' } },
    { name: 'read_file', args: { path: join(notes, 'style.md') } },
    { name: 'read_file', args: { path: join(here.home, '.agents/secret.txt') } },
    { name: 'read_file', args: { path: join(notes, '../../secret.txt') } },
    { name: 'skill', args: { name: 'nothing' } },
  )
  const first = server.asked.length
  const run = await svc(here, ['run', 'Use what is there'])
  assert.is(run.code, 0, run.err)
  assert.match(listOf(server.asked[first]), /\n- notes: Takes notes\.\n- pdf: Reads PDF files\.\n- zip: Packs files\.$/)
  const [pdf = '', read = '', style = '', secret = '', around = '', unknown = ''] = results()
  assert.ok(pdf.includes(`Skill pdf, in ${join(here.work, '.agents/skills/pdf')}.`), pdf)
  assert.match(pdf, /Files: reference\.md, scripts\/read\.py\n\nRun scripts\/read\.py first\./)
  assert.match(read, /Files: style\.md\n\nSee style\.md\./)
  assert.match(style, /1\tShort sentences\./)
  for (const refused of [secret, around]) assert.match(refused, /path_outside_root/)
  assert.match(unknown, /tool_bad_args/)

  const again = server.asked.length
  script()
  await svc(here, ['run', 'Use what is there'])
  assert.is(JSON.stringify(toolsOf(server.asked[again])), JSON.stringify(toolsOf(server.asked[first])))
})

test('skills of a folder that nobody trusts are left out and named, and a change of one asks again', async () => {
  const here = world({ '.agents/skills/pdf/SKILL.md': skill('pdf', 'Reads PDF files.') })
  script()
  const untrusted = await svc(here, ['run', 'Hello'])
  assert.match(
    untrusted.err,
    /1 skill \(\.agents\/skills\/pdf\/SKILL\.md\) was left out because this folder is not trusted/,
  )
  assert.is(listOf(server.asked.at(-1)), '')
  const shown = await svc(here, 'trust --list')
  assert.match(shown.out, /skill pdf, which agents may read and follow/)
  await svc(here, 'trust')
  const trusting = await svc(here, ['run', 'Hello'])
  assert.is(trusting.code, 0, trusting.err)
  assert.match(listOf(server.asked.at(-1)), /- pdf: Reads PDF files\./)
  addFiles(here.work, { '.agents/skills/pdf/scripts/new.py': 'print(2)' })
  const changed = await svc(here, ['run', 'Hello'])
  assert.match(changed.err, /files changed since this folder was trusted \(\.agents\/skills\/pdf\/scripts\/new\.py\)/)
  assert.is(listOf(server.asked.at(-1)), '')
})

test('what is no skill is left out and named in one warning, and the others are there', async () => {
  const here = world({
    '.agents/skills/good/SKILL.md': skill('good', 'Works.'),
    '.agents/skills/other/SKILL.md': skill('another', 'Its name is not that of its folder.'),
    '.agents/skills/silent/SKILL.md': '---\nname: silent\n---\nBody.',
    '.agents/skills/broken/SKILL.md': '---\nname: broken\ndescription: when: this\n---\nBody.',
    '.agents/skills/Large/SKILL.md': skill('Large', 'Upper case.'),
    '.agents/skills/long/SKILL.md': skill('long', 'Too long.', 'x'.repeat(1_000_000)),
    '.agents/skills/open/SKILL.md': '---\nname: open\ndescription: Never ends.\n',
    '.agents/skills/README.md': 'No skill.',
    'elsewhere/SKILL.md': skill('linked', 'Is a link to a file of another folder.'),
  })
  const skills = join(here.work, '.agents/skills')
  addFiles(here.home, { 'out/SKILL.md': skill('out', 'Lies outside.') })
  symlinkSync(join(here.home, 'out'), join(skills, 'out'))
  mkdirSync(join(skills, 'linked'))
  symlinkSync(join(here.work, 'elsewhere/SKILL.md'), join(skills, 'linked/SKILL.md'))
  mkdirSync(join(skills, 'pipe'))
  execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', join(skills, 'pipe/SKILL.md')])
  mkdirSync(join(here.work, '.claude/skills'), { recursive: true })
  symlinkSync(join(skills, 'good'), join(here.work, '.claude/skills/good'))
  await svc(here, 'trust')
  script()
  const run = await svc(here, ['run', '--json', 'Hello'])
  assert.is(run.code, 0, run.err)
  assert.match(listOf(server.asked.at(-1)), /^[^\n]+\n- good: Works\.$/)
  const { warnings } = JSON.parse(run.out) as ExecutionResult
  const left = warnings.filter(({ code }) => code === 'skill_left_out')
  assert.is(left.length, 1)
  const message = left[0]?.message ?? ''
  assert.match(message, /^9 skills left out: /)
  for (const [name, why] of Object.entries({
    other: '/name must be the name of its folder, "other"',
    silent: '/description is missing',
    broken: 'is not YAML',
    Large: 'lower case letters',
    long: 'is larger than 60000 bytes',
    open: 'do not end',
    out: 'leads out of its folder',
    linked: 'leads out of its folder',
    pipe: 'is not a regular file',
  }))
    assert.match(message, new RegExp(`skills/${name}/SKILL\\.md: [^;]*${why}`))
  assert.match(run.err, /9 skills left out/)
})

test('what a skill says of its tools widens nothing; where all of them are tools here, it narrows', async () => {
  const here = await trusted({
    'a.txt': 'one',
    '.agents/skills/looks/SKILL.md': skill('looks', 'Only reads.', 'Look.', 'allowed-tools: read_file\n'),
    '.agents/skills/shell/SKILL.md': skill('shell', 'Runs.', 'Run.', 'allowed-tools: Bash(git:*) Read\n'),
  })
  const call = { name: 'run_command', args: { command: ['ls'] } }
  const list = { name: 'list_files', args: {} }
  script({ name: 'skill', args: { name: 'shell' } }, call, list)
  await svc(here, ['run', 'Run it'])
  const widened = results().join('\n')
  assert.match(widened, /It is meant for these tools: Bash\(git:\*\), Read\./)
  assert.match(widened, /Error approval_required/)
  assert.match(widened, /a\.txt/)
  script({ name: 'skill', args: { name: 'looks' } }, list, { name: 'read_file', args: { path: 'a.txt' } })
  await svc(here, ['run', 'Look at it'])
  const narrowed = results().join('\n')
  assert.match(narrowed, /Error policy_denied: the skill looks allows read_file/)
  assert.match(narrowed, /1\tone/)
})

test('a script of a personal skill runs under the usual rules, and cannot change the skill', async () => {
  const here = await trusted()
  const folder = join(here.home, '.agents/skills/notes')
  addFiles(here.home, {
    '.agents/skills/notes/SKILL.md': skill('notes', 'Takes notes.'),
    '.agents/skills/notes/scripts/say.sh':
      'echo from-the-script; echo changed > "$(dirname "$0")/new.txt" || echo refused',
    '.config/svc/svc.config.json': { policy: { rules: [{ tool: 'run_command', decision: 'allow' }] } },
  })
  const run = { name: 'run_command', args: { command: ['sh', join(folder, 'scripts/say.sh')] } }
  script({ name: 'skill', args: { name: 'notes' } }, run)
  await svc(here, ['run', 'Say it'])
  const [, said = ''] = results()
  if (said.includes('sandbox_unavailable')) return
  assert.match(said, /from-the-script[\s\S]*refused/)
  assert.not.ok(existsSync(join(folder, 'scripts/new.txt')))
})

test('an agent whose profile names its tools is offered the skills too, and one without tools is not', async () => {
  const here = await trusted({
    '.agents/skills/pdf/SKILL.md': skill('pdf', 'Reads PDF files.'),
    '.svc/agents/reader.md': '---\ntools: [read_file]\n---\nRead.',
    '.svc/agents/thinker.md': '---\ntools: []\n---\nThink.',
  })
  script()
  const names = async (agent: string): Promise<string[]> => {
    const run = await svc(here, ['run', '--agent', agent, 'Hello'])
    assert.is(run.code, 0, run.err)
    return toolsOf(server.asked.at(-1)).map(({ function: { name } }) => name)
  }
  assert.equal(await names('reader'), ['read_file', 'skill'])
  assert.equal(await names('thinker'), [])

  say = ({ messages, tools = [] }) =>
    tools.some(({ function: { name } }) => name === 'delegate') && !messages.some(({ role }) => role === 'tool')
      ? { calls: [{ name: 'delegate', args: JSON.stringify({ task: 'Read it', agent: 'reader' }) }] }
      : 'Understood.'
  const first = server.asked.length
  await svc(here, ['run', 'Have it read'])
  const given = server.asked.slice(first).find(({ messages }) => JSON.stringify(messages).includes('Read.'))
  assert.equal(
    toolsOf(given).map(({ function: { name } }) => name),
    ['read_file', 'skill'],
  )
})

test('descriptions are cut, and what has no room is named', async () => {
  const many = Array.from({ length: 20 }, (_, index) => `skill-${String(index).padStart(2, '0')}`)
  const here = await trusted(
    Object.fromEntries(many.map((name) => [`.agents/skills/${name}/SKILL.md`, skill(name, 'word '.repeat(400))])),
  )
  script()
  const run = await svc(here, ['run', '--json', 'Hello'])
  const lines = listOf(server.asked.at(-1)).split('\n').slice(1)
  assert.is(lines.length, 15)
  assert.ok(lines.every((line) => line.length <= 1024 + '- skill-00: '.length && line.endsWith('…')))
  const warning = (JSON.parse(run.out) as ExecutionResult).warnings.find(({ code }) => code === 'skill_left_out')
  assert.match(warning?.message ?? '', /^5 skills left out: .* skill-15, skill-16, skill-17, skill-18, skill-19$/)
})

test('a project of a sub-folder has the skills of its repository, and the offline provider is not disturbed', async () => {
  const files = { 'packages/api/package.json': '{"name":"api","version":"1.2.3"}' }
  const plain = makeWorld(files)
  const here = makeWorld({ ...files, '.agents/skills/pdf/SKILL.md': skill('pdf', 'Reads PDF files.') })
  await svc(here, 'trust')
  const ask = async (one: World) =>
    svc(one, ['run', '--cwd', join(one.work, 'packages/api'), '-q', 'Which version does package.json name?'])
  const [with_, without] = [await ask(here), await ask(plain)]
  assert.is(with_.code, 0, with_.err)
  assert.is(with_.out, without.out)
  writeFileSync(join(here.work, 'unrelated.txt'), '')
  const tools = await svc(here, ['tools', '--cwd', join(here.work, 'packages/api')])
  assert.match(tools.out, /skill/)
})

test.after(() => server.close())
test.run()
