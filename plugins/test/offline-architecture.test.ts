/** The answer to "Explain the architecture of this repository": what it is, its parts, how it runs, where to begin. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ask } from './fixtures/ask-offline.ts'
import { checkCitations } from './fixtures/check-citations.ts'
import { folderOf } from './fixtures/folder-of.ts'

const test = suite('the architecture of repositories of many shapes')

const QUESTION = 'Explain the architecture of this repository'
const MOST_LINES = 40
const LONGEST_LINE = 200

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
const packageOf = (name: string, more: object): string => json({ name: `@shop/${name}`, version: '1.0.0', ...more })

/** A workspace that describes itself. */
const TOLD = folderOf({
  'package.json': json({ name: 'shop', private: true, workspaces: ['api', 'store', 'web'], scripts: { test: 'uvu' } }),
  'README.md': '# Shop\n\n**Sells [tea](https://example.org/tea) to people.**\n\n## Install\n\nRun it.\n',
  'AGENTS.md': `# Agents

## Map

| folder | what is there |
|---|---|
| \`api\` | answers [orders](api/src/index.ts) |
| \`store\` | keeps orders |
| \`web\` | pages; forms |

## One order, file by file

1. [index.ts](api/src/index.ts) takes the order
   and checks it.
2. [keep.ts](store/src/keep.ts) writes it.
3. [page.ts](web/src/page.ts) shows it.
`,
  'api/package.json': packageOf('api', { dependencies: { '@shop/store': '*' } }),
  'store/package.json': packageOf('store', {}),
  'web/package.json': packageOf('web', { dependencies: { '@shop/api': '*' } }),
  'api/src/index.ts': 'export const api = 1\n',
})

/** A workspace of which no document says anything. */
const UNTOLD = folderOf({
  'package.json': json({ name: 'shop', private: true, workspaces: ['packages/*'] }),
  'packages/api/package.json': packageOf('api', { dependencies: { '@shop/store': '*' } }),
  'packages/api/src/index.ts': "/** Answers orders of guests. */\nimport { keep } from './keep.ts'\nexport { keep }\n",
  'packages/api/src/keep.ts': 'export const keep = 1\n',
  'packages/store/package.json': packageOf('store', { description: 'Keeps orders.' }),
})

const PYTHON = folderOf({
  'pyproject.toml': '[project]\nname = "lamp"\ndescription = "Lights paths."\n',
  'src/lamp/__init__.py': '"""Lamps of all kinds."""\n',
})

const SHAPES: readonly (readonly [string, string, readonly string[]])[] = [
  [
    'a workspace that describes itself',
    TOLD,
    [
      'private workspace of `api`, `store`, `web`',
      'Sells tea to people (README.md:3)',
      '- `api`: answers orders (AGENTS.md:7)',
      '- `web`: pages; forms (AGENTS.md:9)',
      '- `api` depends on `store` (api/package.json:5)',
      'One order, file by file',
      '- index.ts takes the order and checks it (AGENTS.md:13-14)',
      '- page.ts shows it (AGENTS.md:16)',
      'Where to begin:',
      '`README.md` and `AGENTS.md`',
      '`api/src/index.ts`, where a run begins (AGENTS.md:13-14)',
    ],
  ],
  [
    'a workspace without documents',
    UNTOLD,
    [
      '- `packages/api/`: Answers orders of guests (packages/api/src/index.ts:1, packages/api/)',
      '- `packages/store/`: Keeps orders (packages/store/package.json:4, packages/store/)',
      '- `packages/api` depends on `store`',
      'Where to begin:',
      '- `packages/api/src/index.ts`: Answers orders of guests',
    ],
  ],
  [
    'a package of Python',
    PYTHON,
    ['Lights paths.', '- `src/lamp/`: Lamps of all kinds (src/lamp/__init__.py:1, src/lamp/)', 'Where to begin:'],
  ],
  [
    'a README alone',
    folderOf({ 'README.md': '# Notes\n\nAll that is known about tea.\n' }),
    ['All that is known about tea (README.md:3)'],
  ],
]

for (const [shape, folder, expected] of SHAPES) {
  test(`explains ${shape} in its order, in words, on few lines`, async () => {
    const { text, failed } = await ask(folder, QUESTION)
    const places = expected.map((part) => text.indexOf(part))
    assert.equal(
      expected.filter((_, index) => places[index] === -1),
      [],
      text,
    )
    assert.equal(
      places.toSorted((a, b) => a - b),
      places,
      text,
    )
    const lines = text.split('\n')
    assert.ok(lines.length <= MOST_LINES, text)
    assert.ok(
      lines.every((line) => line.length <= LONGEST_LINE),
      text,
    )
    assert.not.match(text, /\]\(| \| |\*\*/)
    assert.equal(checkCitations(text, folder).problems, [], text)
    assert.is(failed, 0)
  })
}

test('a large workspace that describes itself is explained in three turns', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 400 }, (_, n) => [`api/src/deep/file-${n}.ts`, `export const a${n} = ${n}\n`]),
  )
  const folder = folderOf({
    ...files,
    'AGENTS.md':
      '# Agents\n\n- `api`: answers orders\n- `api/src`: its code\n- `docs`: pages\n\n## How it works\n\n1. [a.ts](api/src/a.ts) starts.\n2. It ends.\n',
    'docs/a.md': '# A\n',
    'package.json': json({ name: 'large' }),
  })
  const { text, turns } = await ask(folder, QUESTION)
  assert.ok(text.includes('- `api/src`: its code (AGENTS.md:4)'), text)
  assert.is(turns, 3)
})

test.run()
