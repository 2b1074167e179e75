/** The shell commands of the pages are run, or stand in a list with the reason why not. */
import { availableParallelism } from 'node:os'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { BLOCKS, type Block } from './fixtures/page-blocks.ts'
import { type Command, runPage, type Story } from './fixtures/page-shell.ts'

const test = suite('the commands of the pages')

/** A part of a page that no test runs, or that another test runs. */
const NOT_RUN: readonly [page: string, part: string, why: string][] = [
  ['README.md', 'npm ci', 'needs the npm registry'],
  ['README.md', 'npm test', 'is what runs this test'],
  ['python/README.md', 'pip install build', 'needs PyPI'],
  [
    'python/README.md',
    'python -m build --wheel python && pip install python/dist/svc_ai-*.whl',
    'python/tests/test_package.py builds and installs it where `build` is there',
  ],
  ['python/README.md', 'npm ci', 'needs the npm registry'],
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

const STORIES: Readonly<Record<string, Story>> = {
  'docs/plugins.md': { files: { '.svc/plugins/careful.ts': blockOf('docs/plugins.md', 'ts', "'careful'") } },
  'docs/recordings.md': { files: { 'swapped.yaml': 'components: { consensus: false }\n' } },
  'docs/research.md': {
    model: true,
    files: {
      'experiment.yaml': blockOf('docs/research.md', 'yaml', 'no-reflection'),
      'choice.yaml': `tasks: tasks.jsonl\nscorer: numeric\n${blockOf('docs/research.md', 'yaml', 'AUTO')}`,
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
/** Their commands are parsed alone so far, by cli/test/documented-commands.test.ts. */
const PARSED_ONLY = ['cli/README.md', 'docs/cli.md']
const stories = [
  ...new Set(
    BLOCKS.filter(({ language, page }) => SHELL.includes(language) && !PARSED_ONLY.includes(page)).map(
      ({ page }) => page,
    ),
  ),
]
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

test('whatever is not run is still on its page', () => {
  const gone = NOT_RUN.filter(
    ([page, part]) => !BLOCKS.some((block) => block.page === page && block.code.includes(part)),
  )
  assert.equal(gone, [])
})

test.run()
