/** The words of a command line: which command they name, and what is said when they name none. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { each } from './fixtures/svc.ts'
import { makeWorld, type Outcome, STACK } from './fixtures/world.ts'

const test = suite('words')

const README = '# Demo\n\nIt has 42 widgets.\n'
const EXPERIMENT = {
  tasks: [{ id: 'one', task: 'What is 6 x 7?', expected: 42 }],
  scorer: 'numeric',
  arms: { polite: { prompt: 'Be polite.' } },
}
const world = makeWorld({
  'experiment.json': EXPERIMENT,
  'package.json': { name: 'demo', license: 'MIT' },
  'README.md': README,
})

/** Refused as a mistake in the words: exit 2, one line on standard error, nothing on standard output. */
async function refused(cases: readonly (readonly [args: string[], message: RegExp])[]): Promise<void> {
  const outcomes = await each(
    world,
    cases.map(([args]) => args),
  )
  for (const [index, [args, message]] of cases.entries()) {
    const { code, out, err } = outcomes[index] as Outcome
    const shown = `svc ${args.join(' ')}`
    assert.is(code, 2, `${shown}: ${err}`)
    assert.is(out, '', shown)
    assert.match(err, message, shown)
    assert.match(err, /\[validation_failed\]/, shown)
    assert.not.match(err, STACK, shown)
  }
}

test('a bare word near a command asks whether that was meant, any other points to svc run', async () => {
  await refused([
    [['rn'], /there is no command "rn": did you mean svc run\?/],
    [['modles'], /did you mean svc models\?/],
    [['Analyse'], /did you mean svc analyze\?/],
    [['hlep'], /did you mean svc help\? For a task use svc run "hlep"/],
    [
      ['hello'],
      /there is no command "hello": did you mean svc help\? For a task use svc run "hello" \[validation_failed\]/,
    ],
    [
      ['fix', 'the', 'tests'],
      /there is no command "fix": for a task use svc run "fix the tests" \[validation_failed\]/,
    ],
    [['explain'], /there is no command "explain": for a task use svc run "explain"/],
    [['explain', 'this', 'repository'], /use svc run "explain this repository"/],
    [['constructor'], /use svc run "constructor"/],
    [['help', 'nothing'], /there is no command "nothing"/],
  ])
})

test('an option that does not exist, lacks its value or belongs to another command is named', async () => {
  await refused([
    [['run', '--topolgy', 'SINGLE', 'a b'], /--topolgy is no option of svc run: did you mean --topology\?/],
    [['--foo', 'run', 'x'], /--foo is no option of svc run: see svc run --help/],
    [['models', '--topology', 'SINGLE'], /--topology is no option of svc models/],
    [['run', '-x', 'a b'], /-x is no option/],
    [['run', 'a b', '--model'], /--model needs a value/],
    [['run', '--model', '--yes', 'a b'], /--model needs a value/],
    [['run', '--model=', 'a b'], /--model needs a value/],
    [['run', '--json=perhaps', 'a b'], /--json is a switch and takes no value, not "perhaps"/],
    [['run', '--__proto__', 'x'], /--__proto__ is no option/],
  ])
})

test('values that cannot be are refused with what would be right', async () => {
  const number = /--budget must be a whole number of tokens above 0, not/
  await refused([
    [['run', '--budget', '0', 'a b'], number],
    [['run', '--budget', '-5', 'a b'], number],
    [['run', '--budget', '1.5', 'a b'], number],
    [['run', '--budget', 'lots', 'a b'], /--budget must be a number, not "lots"/],
    [['run', '--max-cost', '-1', 'a b'], /--max-cost must be an amount of US dollars above 0, not -1/],
    [['run', '--priority', '101', 'a b'], /--priority must be a whole number from -100 to 100, not 101/],
    [['run', '--topology', 'PARALEL', 'a b'], /must be one of AUTO, SINGLE.*not "PARALEL": did you mean PARALLEL\?/],
    [['run', '--risk', 'hi', 'a b'], /--risk must be one of low, medium, high, critical/],
    [['run', '--output', 'jsn', 'a b'], /--output must be one of text.*did you mean json\?/],
    [['run', '--timeout', 'soon', 'a b'], /--timeout must be a time such as 90s/],
    [['run', '--timeout', '0', 'a b'], /--timeout must be a time/],
    [['run', '--agent', '007', 'a b'], /--agent must be the id of a profile, such as reviewer, not "007"/],
    [['run', '--file', 'missing.txt', 'a b'], /svc: --file missing.txt cannot be read \(ENOENT\)/],
    [['run', '--schema', 'missing.json', 'a b'], /--schema missing.json cannot be read \(ENOENT\)/],
    [['run', '--file', '/dev/zero', 'a b'], /--file \/dev\/zero is not a regular file/],
    [['run', '--file', '/proc/kcore', 'a b'], /--file \/proc\/kcore (?:is larger than|cannot be read)/],
    [['run', '--schema', '/dev/zero', 'a b'], /--schema \/dev\/zero is not a regular file/],
    [['runs', 'import', '/dev/zero'], /\/dev\/zero is not a regular file; - reads standard input/],
    [['agents', 'creat'], /svc agents has no "creat": did you mean create\?/],
    [['agents', 'get'], /svc agents get needs the id of an agent/],
    [['config', 'shwo'], /svc config has no "shwo": did you mean show\?/],
    [['models', 'all'], /too many words: "all": see svc models --help/],
    [['completion'], /svc completion needs a shell: bash, zsh, fish/],
    [['completion', 'zhs'], /svc completion has no "zhs": did you mean zsh\?/],
    [['init', 'plugn'], /svc init has no "plugn": did you mean plugin\?/],
    [['init', 'plugin', '../up'], /"\.\.\/up" is no name such as careful/],
    [['memory', 'serach', 'x'], /no "serach": did you mean search\?/],
    [['memory', 'add'], /memory add needs a text/],
    [['memory', 'add', '  '], /the text is empty/],
    [['memory', 'search'], /memory search needs/],
    [['memory', 'rm'], /memory rm needs the id/],
    [['memory', 'list', 'release'], /svc memory list: too many words: "release"/],
    [['memory', 'add', 'x', '--layer', 'episodc'], /--layer must be one of .* did you mean episodic\?/],
    [['memory', 'add', 'x', '--kind', 'rumour'], /--kind must be one of/],
    [['memory', 'list', '--limit', '0'], /--limit must be a whole number/],
    [['experiment'], /svc experiment needs a file/],
    [['experiment', 'experiment.json', 'more'], /too many words: "more"/],
    [['experiment', 'experiment.json', '--arm', 'polit'], /is no arm of this experiment: did you mean polite\?/],
    [['experiment', 'experiment.json', '--limit', '0'], /--limit must be a whole number of at least 1/],
    [['experiment', 'experiment.json', '--report', '--fresh'], /--report runs nothing/],
    [['replay', 'run.svcrun'], /svc replay is svc runs replay now: see svc runs replay --help/],
    [['export', 'run.svcrun'], /svc export is svc runs export now/],
  ])
})

test('a task must be there, be a text, and fit', async () => {
  await refused([
    [['run'], /the task is missing/],
    [['plan'], /the task is missing/],
    [['analyze'], /the task is missing/],
    [['run', ''], /the task is empty/],
    [[''], /the task is empty/],
    [[' '], /the task is empty/],
    [['run', ' \n '], /the task is empty/],
    [['run', '-', 'and', 'this'], /the task is given twice/],
  ])
})

test('help is the result: on standard output, at most 80 columns wide, only with what works', async () => {
  const [bare, help, command, other, version] = await each(world, [
    [],
    'help',
    'run --help',
    'help run',
    '--version --json',
  ])
  assert.is(bare.out, help.out)
  assert.is(command.out, other.out)
  assert.match(version.out, /^svc \d+\.\d+\.\d+\n$/)
  for (const outcome of [bare, command]) {
    assert.is(outcome.code, 0)
    assert.is(outcome.err, '')
    for (const line of outcome.out.split('\n') ?? []) assert.ok(line.length <= 80, line)
  }
  for (const name of 'run plan chat runs approvals experiment serve gui worker agents conform mcp config trust doctor'.split(
    ' ',
  ))
    assert.match(help.out, new RegExp(`^  ${name}\\b`, 'm'))
  assert.match(command.out, /--trace-hooks/)
  assert.not.match(command.out, /default: true/)
})

test('a text with a space is a task, quoted or not, and texts stay texts', async () => {
  const outcomes = await each(world, [
    ['What is the licence?', '-q'],
    'run -q What is the licence?',
    ['-q', 'run', '- What is the licence?'],
    ['run', '-q', '--', '--what is the licence?'],
    ['run', '-vq', '-v', '--topology', 'PARALLEL', '--topology', 'single', 'What is the licence?'],
    ['run', '--provider=offline', '--model', 'extractive', 'What is the licence?'],
    'analyze 007',
  ])
  for (const { code, out, err } of outcomes.slice(0, -1)) {
    assert.is(code, 0, err)
    assert.match(out, /MIT.*package\.json:1/)
  }
  assert.is(outcomes.at(-1)?.code, 0)
})

test.run()
