/** Every command and every block of code of the pages is run, or stands in one list with the reason why not. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { loadConfig } from '@svc/core/config'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BLOCKS, type Block, placeOf } from './fixtures/page-blocks.ts'
import { checkTypes, runBlocks } from './fixtures/page-code.ts'
import { type Command, runPage, type Story } from './fixtures/page-shell.ts'

const test = suite('the code of the pages')

/** A part of a page that no test runs, or that another test runs. */
const NOT_RUN: readonly [page: string, part: string, why: string][] = [
  ['README.md', 'npm ci', 'needs the npm registry'],
  ['docs/ai-sdk.md', 'npm install', 'needs the npm registry and a key'],
  ['docs/ai-sdk.md', 'createAiSdkProvider', 'plugins/test/providers/aisdk.test.ts does the same'],
  ['README.md', 'npm test', 'is what runs this test'],
  ['python/README.md', 'pip install build', 'needs PyPI'],
  [
    'python/README.md',
    'python -m build --wheel python && pip install python/dist/svc_ai-*.whl',
    'python/tests/test_package.py builds and installs it where `build` is there',
  ],
  ['python/README.md', 'npm ci', 'needs the npm registry'],
  ['docs/platforms.md', 'overrides', 'is for npm'],
  ['python/README.md', 'python -m venv /tmp/venv && /tmp/venv/bin/pip install build hatchling mypy', 'needs PyPI'],
  ['python/README.md', 'SVC_TEST_PYTHON=/tmp/venv/bin/python node .tools/test.mjs python/', 'runs tests of its own'],
  [
    'docs/operations.md',
    'pg_dump --schema=svc --schema=svc_dbos --file=copy.sql "$SVC_DATABASE_URL"',
    'needs a database of PostgreSQL',
  ],
  [
    'docs/operations.md',
    'psql --set=ON_ERROR_STOP=1 --single-transaction --file=copy.sql "$SVC_DATABASE_URL"',
    'needs a database of PostgreSQL',
  ],
  [
    'examples/experiment-analyzer/README.md',
    'npx svc experiment experiment.ts --trust',
    'experiments.test.ts runs it and compares its report',
  ],
  [
    'examples/experiment-consensus/README.md',
    'npx svc experiment experiment.ts --trust',
    'experiments.test.ts runs it and compares its report',
  ],
  ['examples/experiment-analyzer/README.md', 'cd examples/experiment-analyzer', 'belongs to it'],
  ['docs/tools.md', '"edits": [', 'is the arguments of a call; tools-edit.test.ts makes such calls'],
  ['docs/delegation.md', '"share": 0.3', 'is the arguments of a call; delegate.test.ts makes such calls'],
  ['docs/client-tools.md', '"turns": [', 'is the body of a request; client-tools.test.ts makes such runs'],
  ['docs/sandbox.md', '"timeoutMs": 60000', 'is the arguments of a call; tools-sandbox.test.ts makes such calls'],
  [
    'docs/steering.md',
    'svc runs steer 9V1XA',
    'needs a run at work; cli/test/runs-steer.test.ts says something to one',
  ],
  ['docs/steering.md', 'curl', 'the same; server/test/steering.test.ts does'],
  ['docs/deploys.md', 'svc runs resume 9V1XA --input "go on"', 'needs a run that another config began, and 30 s'],
  ['docs/deploys.md', 'svc runs resume 9V1XA --input cancel', 'the same'],
  ['docs/coming-from.md', 'node:readline', 'is a file of bench/peers; bench/test/peers.test.ts checks and runs it'],
  ['docs/storage.md', 'new PostgresStore', 'needs a database of PostgreSQL'],
  ['docs/operations.md', 'proxy_pass', 'needs nginx'],
  ['docs/operations.md', 'flush_interval', 'a file of Caddy'],
  ['docs/operations.md', 'traefik.http', 'labels of Traefik'],
  ['README.md', 'How hard is the task', 'is a picture'],
  ['docs/cli.md', 'did you mean svc help', 'is output; cli/test/words.test.ts expects it'],
  ['docs/audit.md', 'trust.given        local alice', 'is output; cli/test/audit.test.ts expects such'],
  ['docs/keys.md', '"on-call"', 'has keys left out; cli/test/keys.test.ts serves with such a file'],
  ['docs/testing.md', 'does not conform:', 'is output; cli/test/conform.test.ts expects it'],
  ['examples/experiment-consensus/README.md', 'cd examples/experiment-consensus', 'belongs to it'],
  [
    'docs/experiments/offline-components.md',
    'npm run bench:components -- --data PATH',
    'needs data that are not part of the repository',
  ],
]

const ofPage = (page: string, languages: readonly string[]): Block[] =>
  BLOCKS.filter((block) => block.page === page && languages.includes(block.language))
const blockOf = (page: string, language: string, part: string): string => {
  const found = ofPage(page, [language]).find(({ code }) => code.includes(part))
  if (found === undefined) throw new Error(`${page} has no ${language} block with ${part}`)
  return found.code
}

/** A tool that acts once and takes svc with it, as a loss of power would; the second time it answers. */
const deadly = (risk: string): string => `import { existsSync, writeFileSync } from 'node:fs'
export default {
  description: 'Does something that takes long.',
  parameters: { type: 'object', properties: {} },
  risk: '${risk}',
  run: () => {
    if (existsSync('once')) return 'done'
    writeFileSync('once', '')
    process.kill(process.pid, 'SIGKILL')
  },
}
`
const DEADLY = { '.svc/tools/look.ts': deadly('read'), '.svc/tools/send.ts': deadly('write') }
/** Leaves a run of a killed process behind. */
const killed = (task: string): string => `rm -f once
svc run --yes ${task} 2>&1 | tee killed
ID=$(grep -o '^svc: run_[0-9A-Z]*' killed | cut -c6-); [ -f once ]`
const inDoubt = `${killed('SEND')}
svc runs resume $ID 2>waits &
until grep -q waits: waits || ! kill -0 $!; do sleep .1; done
kill $!; wait $!
CALL=$(svc runs get $ID --events --json | jq -r '[.. | objects | select(.type == "tool.requested") | .callId] | last')`
/** A call that waits for a person at the server. */
const asked = `ID=$(curl -s $SERVER/v1/runs -H 'content-type: application/json' -d '{"task":"WRITE"}' | jq -r .id)
for try in $(seq 100); do svc approvals list --json | grep -q $ID && break; done
ID=$(svc approvals list --json | jq -r '.data[0].id')`
const newest = `ID=$(svc runs list --json --limit 1 | jq -r '.data[0].id')`
const STORIES: Readonly<Record<string, Story>> = {
  'cli/README.md': { model: true, files: DEADLY, before: { 'svc runs resume --last': killed('LOOK') } },
  'docs/cli.md': {
    model: true,
    server: 'svc run --url',
    before: {
      'svc memory rm': `ID=$(svc memory list --json | jq -r '.data[0].id')`,
      SERVICE_API_KEY: 'KEY=$(cat ~/.local/share/svc/server.key)',
    },
  },
  'docs/deploys.md': { before: { 'svc runs get': `svc run 2+2; ${newest}` } },
  'docs/keys.md': { model: true, server: 'curl', before: { curl: asked } },
  'docs/runs.md': {
    model: true,
    server: 'svc approvals list',
    files: { ...DEADLY, 'swapped.yaml': 'components: { consensus: false }\n' },
    before: {
      'svc runs resume 9V1XA': inDoubt,
      'svc runs get': `svc run READ; ${newest}`,
      'svc runs resume --last': killed('LOOK'),
      'svc runs fork': `svc run READ; ${newest}`,
      'svc runs fork 9V1XA --at 28': `CALL=$(svc runs get $ID --events --json | jq -r '[.. | objects | select(.type == "tool.requested") | .callId] | last')
echo "{ \\"$CALL\\": \\"It counts gadgets.\\" }" >edit.json`,
      'svc runs diff': `OTHER=$ID; ${newest}`,
      'svc approvals approve': asked,
      'svc approvals deny': asked,
    },
  },
  'docs/plugins.md': { files: { '.svc/plugins/careful.ts': blockOf('docs/plugins.md', 'ts', "'careful'") } },
  'docs/recordings.md': { files: { 'swapped.yaml': 'components: { consensus: false }\n' } },
  'docs/research.md': {
    model: true,
    files: {
      'experiment.yaml': blockOf('docs/research.md', 'yaml', 'no-reflection'),
      'tasks.jsonl': blockOf('docs/research.md', 'jsonl', 'sum-1'),
    },
  },
  'docs/server.md': { server: 'curl' },
  'docs/testing.md': {
    files: {
      '.svc/plugins/careful.ts': blockOf('docs/plugins.md', 'ts', "'careful'"),
      '.svc/tools/reading_time.ts': blockOf('docs/tools.md', 'ts', 'read so many words'),
      '.svc/providers/house.json': blockOf('docs/providers.md', 'json', 'HOUSE_MODEL_KEY'),
    },
  },
}

const SHELL = ['sh', 'bash']
/** The others only every night: the tests of the command line and of the examples make nearly the same commands. */
const DAILY = ['README.md', 'docs/recordings.md', 'docs/server.md']
const stories = [...new Set(BLOCKS.filter(({ language }) => SHELL.includes(language)).map(({ page }) => page))].filter(
  (page) => process.env.SVC_NIGHTLY === '1' || DAILY.includes(page),
)
const told = new Map<string, Promise<Command[]>>()

/** As many pages at once as there are cores. */
const free = Array.from({ length: availableParallelism() }, () => Promise.resolve())
test.before(() => {
  for (const [index, page] of stories.entries()) {
    const turn = free[index % free.length] ?? Promise.resolve()
    const leftOut = NOT_RUN.flatMap(([of, part]) => (of === page ? [part] : []))
    const story = turn.then(() => runPage(ofPage(page, SHELL), STORIES[page] ?? {}, leftOut))
    story.catch(() => {})
    told.set(page, story)
    free[index % free.length] = story.then(
      () => {},
      () => {},
    )
  }
})

for (const page of stories) {
  test(`the commands of ${page} do what the page says`, async () => {
    const commands = (await told.get(page)) ?? []
    assert.ok(commands.length > 0)
    const failed = commands.filter(({ code }) => code !== 0)
    assert.is(
      failed.length,
      0,
      failed
        .map(({ place, text, code, out, err }) => `${place}: ${text}\nended with ${code}\n${out}\n${err}`)
        .join('\n'),
    )
    for (const { place, text, err } of commands) {
      const [, topology] = /^(?!before).*--topology ([A-Z]+)/.exec(text) ?? []
      if (topology !== undefined) assert.match(err, new RegExp(`^plan: ${topology},`, 'm'), `${place}: ${text}`)
    }
  })
}

/** What stands around the parts of programs that a page shows. */
const FRAMES: readonly [page: string, part: string, frame: (code: string) => string][] = [
  [
    'docs/components/execution.md',
    'components: { orchestrate',
    (code) => `import { defineConfig } from '@svc/core'
import { orchestrate } from '@svc/plugins'
export default defineConfig({
${code}})
`,
  ],
  [
    'docs/components/reflection.md',
    'components: { reflect',
    (code) => `import { defineConfig } from '@svc/core'
import { reflect } from '@svc/plugins'
export default defineConfig({
${code}})
`,
  ],
  ['docs/components/reflection.md', 'registerCheck', (code) => `import { ReflectionEngine } from '@svc/core'\n${code}`],
  [
    'docs/components/inspection.md',
    'registerDetector',
    (code) => `import { InspectorAgent } from '@svc/core'\nconst inspector = new InspectorAgent()\n${code}`,
  ],
  [
    'docs/own-parts.md',
    'checkStore',
    (code) => `import { checkStore } from '@svc/core/testing'
import { createJsonlStore } from 'svc-own-parts'
const url = 'jsonl:runs.jsonl'
const createStore = (given: { url: string; clock: Parameters<typeof createJsonlStore>[0]['clock'] }) =>
  createJsonlStore({ dir: '.', fsync: 'group', ...given })
${code}console.log(problems.length)
`,
  ],
  [
    'docs/recordings.md',
    'openCassette',
    (code) => `import { writeFile } from 'node:fs/promises'
import { createRuntime } from '@svc/plugins'
const runtime = await createRuntime({})
const { id } = await runtime.runs.create({ task: '2+2' })
await runtime.runs.wait(id)
await writeFile('run.svcrun', runtime.runs.export(id))
await runtime.close()
${code}if (!identical) throw new Error(JSON.stringify(result))
`,
  ],
  [
    'docs/transport.md',
    'complete?(request',
    (code) =>
      `import type { ModelCompletion, ModelPart } from '@svc/core'\nexport interface WithComplete {\n${code}}\n`,
  ],
  [
    'docs/transport.md',
    'myFormat',
    (code) => `const models = async () => []
const generate = async function* () {}
${code}`,
  ],
]
const frameOf =
  (block: Block) =>
  (code: string): string =>
    (FRAMES.find(([page, part]) => page === block.page && block.code.includes(part))?.[2] ?? ((whole) => whole))(code)
const OWN = {
  '.svc/plugins/careful.ts': blockOf('docs/plugins.md', 'ts', "'careful'"),
  'even.ts': "import { allocate } from '@svc/plugins'\nexport default allocate()\n",
}
const isLeftOut = ({ page, code }: Block): boolean => NOT_RUN.some(([of, part]) => of === page && code.includes(part))
const typescript = BLOCKS.filter(({ language }) => language === 'ts')

/** Where a block of JSON belongs. */
const DATA: readonly [page: string, part: string, file: string][] = [
  ['docs/config.md', '"http_fetch"', 'svc.config.json'],
  ['docs/mcp-tools.md', '"mcpServers"', 'svc.config.json'],
  ['docs/integrations.md', '"mcpServers"', 'svc.config.json'],
  ['docs/sandbox.md', '"policy"', 'svc.config.json'],
  ['docs/providers.md', 'HOUSE_MODEL_KEY', '.svc/providers/house.json'],
  ['docs/admission.md', 'requestsPerMinute', 'svc.config.json'],
  ['docs/ai-sdk.md', 'amazon-bedrock', 'svc.config.json'],
  ['docs/sign-in.md', '"oidc"', 'svc.config.json'],
  ['docs/tools.md', '"wc"', '.svc/tools/count_words.json'],
  ['docs/tools.md', '"http"', '.svc/tools/weather.json'],
]

test('the JSON of the pages is loaded', async () => {
  for (const block of BLOCKS.filter((each) => each.language === 'json' && !isLeftOut(each))) {
    const [, , file] = DATA.find(([page, part]) => page === block.page && block.code.includes(part)) ?? []
    assert.ok(file, `${placeOf(block)}: where does it belong?`)
    const folder = mkdtempSync(join(tmpdir(), 'svc-page-data-'))
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), block.code)
    mkdirSync(join(folder, '.git'))
    const { files, problems } = await loadConfig({ cwd: folder, userDir: join(folder, 'user'), trust: true, env: {} })
    assert.equal([problems, files.length], [[], 1], placeOf(block))
    rmSync(folder, { recursive: true })
  }
})

test('the skill and the command of the page are read', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-page-data-'))
  const files = {
    '.agents/skills/release-notes/SKILL.md': blockOf('docs/skills.md', 'markdown', 'release-notes'),
    '.svc/commands/review.md': blockOf('docs/skills.md', 'markdown', 'argument-hint'),
    '.git/HEAD': '',
  }
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  const env = { HOME: folder }
  const loaded = await loadConfig({ cwd: folder, userDir: join(folder, 'user'), trust: true, env })
  assert.equal(
    [loaded.skills, loaded.commands].map((list) => list.map(({ name }) => name)),
    [['release-notes'], ['review']],
  )
  assert.equal(loaded.warnings, [])
  rmSync(folder, { recursive: true })
})

/** Blocks of these languages are files of a story, or run elsewhere: `python/tests/test_examples.py` runs its README. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  markdown: 'docs/skills.md',
  yaml: 'docs/research.md',
  jsonl: 'docs/research.md',
  python: 'python/README.md',
}

test('no block of code is left out without a word', () => {
  const languages = [...SHELL, 'ts', 'json']
  const silent = BLOCKS.filter(
    (block) => !languages.includes(block.language) && ELSEWHERE[block.language] !== block.page && !isLeftOut(block),
  )
  assert.equal(silent.map(placeOf), [])
})

test('the TypeScript of the pages has the types of the packages', async () => {
  const ours = typescript.filter(({ page }) => page !== 'docs/coming-from.md')
  assert.is(await checkTypes(ours, frameOf, OWN), '')
})

/** What blocks print. */
const SAID: readonly [page: string, part: string, said: RegExp][] = [
  ['README.md', 'createClient', /^completed\n/m],
  ['core/README.md', 'TaskComplexityAnalyzer', /^0\.21 PARALLEL 3\n/],
  ['core/README.md', 'ThreeLayerMemory', /^The release train leaves on Thursdays\. false\n/],
  ['core/README.md', 'ReflectionEngine', /^revise \[ 'arithmetic: /],
  ['plugins/README.md', 'import', /17% of 2340 = 397\.8/],
  ['sdk/README.md', 'import', /17% of 2340 = 397\.8/],
  ['docs/streams.md', 'textStream', /^true\n/],
  ['docs/plans.md', 'SEQUENTIAL', /^step-1 agent-1 completed, step-2 agent-2 completed\n/],
  ['docs/plans.md', 'topologies.add', /^DUEL 2\n/],
  ['docs/threads.md', 'textStream', /^user,assistant,user,assistant\n/],
  ['docs/threads.md', 'thread_exists', /^user-42\n/],
  ['docs/testing.md', 'checkPlugin', /^\[\]\n\[\]\n$/],
]

test('the TypeScript of the pages runs, says what the pages promise, and its configs are loaded', async () => {
  const whole = typescript.filter((block) => !isLeftOut(block))
  const ended = await runBlocks(whole, frameOf, OWN)
  const failed = whole.flatMap((block) => {
    const { ok, said } = ended[placeOf(block)] ?? { ok: false, said: 'it was not reached' }
    const [, , wanted] = SAID.find(([page, part]) => page === block.page && block.code.includes(part)) ?? []
    return ok && wanted?.test(said) !== false ? [] : `${placeOf(block)}: ${said}`
  })
  assert.is(failed.join('\n'), '')
})

test('the READMEs show little: eight lines for the first look, ten for each of the seven components', () => {
  const lengths = (page: string): number[] => ofPage(page, ['ts']).map(({ code }) => code.trimEnd().split('\n').length)
  assert.ok((lengths('README.md')[0] ?? 9) <= 8)
  assert.is(lengths('core/README.md').length, 7)
  assert.ok(Math.max(...lengths('core/README.md')) <= 10)
})

test('whatever is not run is still on its page', () => {
  const gone = NOT_RUN.filter(
    ([page, part]) => !BLOCKS.some((block) => block.page === page && block.code.includes(part)),
  )
  assert.equal(gone, [])
})

test.run()
