/** What a person does once: a config to begin with, and a shell that knows the words of svc. */
import { spawnSync } from 'node:child_process'
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { isBuilt } from '../../.tools/pack.mjs'
import { each, svc } from './fixtures/svc.ts'
import { makeWorld } from './fixtures/world.ts'

const test = suite('setup')

test('init writes a config that is trusted and valid, also with every comment taken away, and overwrites none', async () => {
  const world = makeWorld()
  const [made, shown, again] = await each(world, ['init', 'config validate', 'init'])
  assert.is(made.code, 0, made.err)
  assert.match(made.out, /^wrote .*svc\.config\.ts, which is trusted/)
  assert.match(shown.out, /^valid: .*svc\.config\.ts\n$/)
  assert.is(shown.err, '')
  assert.is(again.code, 3)
  assert.match(again.err, /svc\.config\.ts is there already/)
  const file = join(world.work, 'svc.config.ts')
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace(/^ {2}\/\/ (?=\w+: .*,$)/gm, '  '))
  const [changed, whole] = await each(world, ['config validate', 'config show --trust --json'])
  assert.match(changed.err, /files changed since this folder was trusted \(svc\.config\.ts\)/)
  const { config } = JSON.parse(whole.out)
  assert.equal(
    Object.keys(config).sort().join(),
    'agents,budget,defaultTopology,model,persistSessions,policy,providers,tokenBudget',
  )
})

test('a folder that was trusted by its name stays so while svc keeps its runs in it and git works in it', async () => {
  const world = makeWorld({ 'svc.config.json': { tokenBudget: 9_000 }, '.git/HEAD': 'ref: refs/heads/main\n' })
  await each(world, [
    ['trust', '.'],
    ['memory', 'add', 'a fact'],
  ])
  writeFileSync(join(world.work, '.git/HEAD'), 'ref: refs/heads/other\n')
  const shown = await svc(world, ['config', 'show', '--json'])
  assert.is(shown.err, '')
  assert.is(JSON.parse(shown.out).config.tokenBudget, 9_000)
})

test('init trusts nothing that was there before', async () => {
  const world = makeWorld({ '.svc/plugins/own.mjs': 'process.exit(9)', 'package.json': { name: 'x' } })
  const [made, list] = await each(world, ['init', 'trust --list'])
  assert.is(made.code, 0, made.err)
  assert.match(made.err, /other files of svc were here and are not trusted/)
  assert.match(list.out, /not trusted/)
  const other = makeWorld({ 'package.json': { name: 'x', svc: { tokenBudget: 5000 } } })
  assert.match((await svc(other, 'init')).err, /package\.json is there already/)
})

test('init in a folder of an untrusted repository trusts what it wrote, and nothing else', async () => {
  const world = makeWorld({ 'svc.config.mjs': 'process.exit(9)', 'inner/a.txt': '', 'other/.svc/plugins/own.mjs': '' })
  const [made, list, shown, outside, other] = await each(world, [
    'init --cwd inner',
    'trust --list --cwd inner --json',
    'config path --cwd inner',
    'trust --list',
    'init --cwd other',
  ])
  assert.match(made.out, /^wrote .*inner\/svc\.config\.ts, which is trusted/)
  assert.match(made.err, /in place of .*work\/svc\.config\.mjs/)
  const { state } = JSON.parse(list.out)
  assert.is(state.state, 'trusted')
  assert.is(shown.err, '', 'nothing is left out')
  assert.match(outside.out, /not trusted/)
  assert.match(other.err, /other files of svc were here and are not trusted/)
})

test('doctor and trust say the same of a folder', async () => {
  const world = makeWorld({ 'svc.config.json': { model: 'offline/extractive' } })
  const said = async (): Promise<(string | undefined)[]> => {
    const [list, doctor] = await each(world, ['trust --list', 'doctor --json'])
    const checks = JSON.parse(doctor.out) as { name: string; message: string }[]
    return [/: (.*)/.exec(list.out)?.[1], checks.find(({ name }) => name === 'trust')?.message]
  }
  assert.equal(await said(), ['not trusted', 'not trusted; nothing is left out for that'])
  await svc(world, 'trust')
  assert.equal(await said(), ['trusted', 'trusted'])
  writeFileSync(join(world.work, 'svc.config.json'), '{ "tokenBudget": 5000 }')
  assert.equal(await said(), [
    'changed since it was trusted',
    'changed since it was trusted; nothing is left out for that',
  ])
  writeFileSync(join(world.work, 'svc.config.json'), '{ "provider": "offline" }')
  const [list, doctor] = await said()
  assert.is(list, 'changed since it was trusted')
  assert.match(doctor ?? '', /^changed since it was trusted; left out: .*svc\.config\.json$/)
  const empty = makeWorld()
  const [nothing, checks] = await each(empty, ['trust --list', 'doctor'])
  assert.match(nothing.out, ': nothing here needs trust')
  assert.match(checks.out, 'nothing here needs trust')
})

test('init writes a part of every kind that passes its own test and svc conform, and overwrites none', async () => {
  const world = makeWorld()
  const kinds = ['plugin', 'tool', 'provider']
  const made = await each(world, [...kinds.map((kind) => ['init', kind]), 'init tool shout'])
  for (const { code, err } of made) assert.is(code, 0, err)
  const parts = made.map(({ out }) => /^wrote (\S+) and (\S+)$/m.exec(out)?.slice(1) ?? [])
  assert.equal(parts.at(-1), ['.svc/tools/shout.mjs', 'test/shout.test.mjs'])
  const [again, ...cards] = await each(world, [
    'init plugin',
    ...parts.map(([part = '']) => ['conform', part, '--trust']),
  ])
  assert.match(again.err, /careful\.mjs is there already: svc init plugin <name> takes another name/)
  for (const { code, out, err } of cards) assert.is(code, 0, out + err)
  if (!isBuilt(['core'])) return
  symlinkSync(fileURLToPath(new URL('../../node_modules', import.meta.url)), join(world.work, 'node_modules'))
  for (const { out } of made) {
    const [, command = ''] = /^ {2}(node --test \S+):/m.exec(out) ?? []
    const tested = spawnSync('sh', ['-c', command], { cwd: world.work, encoding: 'utf8' })
    assert.is(tested.status, 0, `${command}: ${tested.stdout}`)
  }
})

const scripts = new Map<string, string>()
test.before(async () => {
  const shells = ['bash', 'zsh', 'fish']
  const outcomes = await each(
    makeWorld(),
    shells.map((shell) => ['completion', shell]),
  )
  for (const [index, shell] of shells.entries()) scripts.set(shell, outcomes[index]?.out ?? '')
})

/** What a shell prints for a script; undefined where this machine has no such shell. */
function inShell(shell: string, script: string, ...flags: string[]): string[] | undefined {
  const text = `${scripts.get(shell)}\n${script}\n`
  const { stdout, stderr, error } = spawnSync(shell, [...flags, '-c', text], { encoding: 'utf8' })
  if (error !== undefined) return undefined
  assert.is(stderr, '')
  return stdout.split('\n').filter((line) => line !== '')
}

/** Lines, the words that must be among what is offered, and one that must not. */
const LINES: readonly (readonly [words: string[], offered: string[], not: string])[] = [
  [['svc', ''], ['run', 'completion', 'help', '--json'], '--topology'],
  [['svc', 'run', '--'], ['--topology', '--no-memory', '--json'], '--insecure-no-auth'],
  [['svc', '--json', 'run', '--topology', ''], ['AUTO', 'PARALLEL'], '--json'],
  [['svc', 'runs', ''], ['list', 'resume', 'rm'], 'run'],
  [['svc', 'agents', ''], ['list', 'create'], 'resume'],
  [['svc', 'completion', ''], ['bash', 'zsh', 'fish'], 'run'],
]

function check(offers: (words: string[]) => string[] | undefined): void {
  for (const [words, offered, not] of LINES) {
    const found = offers(words)
    if (found === undefined) return
    // fish offers options where one is begun.
    for (const word of offered.filter((one) => !one.startsWith('-') || found.some((other) => other.startsWith('-'))))
      assert.ok(found.includes(word), `${words.join(' ')}: ${word} in ${found.join(' ')}`)
    assert.not.ok(found.includes(not), `${words.join(' ')}: ${not}`)
  }
}

const quoted = (words: readonly string[]): string => words.map((word) => `'${word}'`).join(' ')

test('bash knows commands, actions, options and values', () => {
  check((words) =>
    inShell(
      'bash',
      `COMP_WORDS=(${quoted(words)}); COMP_CWORD=${words.length - 1}; _svc; printf '%s\\n' "\${COMPREPLY[@]}"`,
      '--norc',
    ),
  )
})

test('zsh knows them too', () => {
  scripts.set('zsh', `compdef() {}; compadd() { shift; print -l -- "$@" }\n${scripts.get('zsh')}`)
  check((words) => inShell('zsh', `words=(${quoted(words)}); CURRENT=${words.length}; _svc`, '-f'))
})

test('fish knows them too', () => {
  check((words) =>
    inShell('fish', `complete -C '${words.join(' ')}'`, '--no-config')?.map((line) => line.split('\t')[0] ?? ''),
  )
})

test.run()
