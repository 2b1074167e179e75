/**
 * Makes the pictures of `docs/img` anew: `node --conditions=@svc/source --import tsx server/test/console/pictures.ts`.
 *
 * A team of four looks at a small shop; the model is scripted, everything else is real.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AMEND, createMemoryStore, definePlugin, type ModelRequest, toText } from '@svc/core'
import type { ScriptedAnswer } from '@svc/core/testing'
import { openRulesFile } from '@svc/plugins'
import type { Page } from 'playwright-core'
import { openBrowser } from './browser.ts'
import { openScenes } from './scenes.ts'

const FOLDER = fileURLToPath(new URL('../../../docs/img/', import.meta.url))

const TASK =
  'Find out why lists of lamps are slow. 1. Read src/list.ts. 2. Read src/prices.ts. 3. Search the project for caches. Then say what to change first.'

const FILES: Readonly<Record<string, string>> = {
  'README.md': '# Lamp shop\n\nA small shop. `src/list.ts` lists lamps, `src/prices.ts` asks for prices.\n',
  'src/list.ts':
    "import { priceOf } from './prices.ts'\n\nexport const list = async (lamps: string[]) => {\n  const rows = []\n  for (const lamp of lamps) rows.push([lamp, await priceOf(lamp)])\n  return rows\n}\n",
  'src/prices.ts':
    'export const priceOf = async (lamp: string) => {\n  const answer = await fetch("https://prices.example/" + lamp)\n  return (await answer.json()).price\n}\n',
}

const FASTER =
  "import { priceOf } from './prices.ts'\n\nexport const list = (lamps: string[]) =>\n  Promise.all(lamps.map(async (lamp) => [lamp, await priceOf(lamp)]))\n"

const ANSWER =
  'The loop waits for each price before it asks for the next one (src/list.ts:5). Each price is a request of its own (src/prices.ts:2). Nothing keeps a price. Change the loop first: ask for all prices at once. Then keep each price for a minute.'

/** What an agent does with a step: first it may call a tool, then it says what it found. */
interface Part {
  says: string
  calls?: { tool: string; args: Record<string, unknown> }
  delayMs: number
}

/** By words of the newest message that is no result of a tool. */
const PARTS: readonly (readonly [string, Part])[] = [
  [
    'Brief the agents',
    {
      says: 'What matters is where time is spent with 200 lamps. Each of you: name the line, say what it costs, suggest one change.',
      delayMs: 310,
    },
  ],
  [
    'Write the release note',
    {
      says: 'The note is in CHANGES.md.',
      calls: { tool: 'write_file', args: { path: 'CHANGES.md', content: '# 1.4\n\nLists are 20 times faster.\n' } },
      delayMs: 120,
    },
  ],
  [
    'Ask for all prices at once',
    {
      says: '`list` asks for all prices at once now:\n\n- `src/list.ts`, line 4: one `Promise.all` in place of the loop\n- 200 lamps wait for the slowest price, and no longer for the sum of them\n\nPrices are still asked for one by one in `src/prices.ts`; keep each for a minute next.',
      calls: { tool: 'write_file', args: { path: 'src/list.ts', content: FASTER } },
      delayMs: 210,
    },
  ],
  [
    'What does this shop do',
    {
      says: 'It lists lamps with their prices. `src/list.ts` makes the rows, `src/prices.ts` asks for each price.',
      calls: { tool: 'read_file', args: { path: 'README.md' } },
      delayMs: 160,
    },
  ],
  [
    'Combine the results',
    {
      says: ANSWER,
      delayMs: 520,
    },
  ],
  [
    'Read src/list.ts.\n',
    {
      says: 'Line 5 awaits a price inside the loop, so 200 lamps wait 200 times, one after the other.',
      calls: { tool: 'read_file', args: { path: 'src/list.ts' } },
      delayMs: 340,
    },
  ],
  [
    'Read src/prices.ts.\n',
    {
      says: 'Line 2 sends one request for each lamp. Nothing limits them or asks for several at once.',
      calls: { tool: 'read_file', args: { path: 'src/prices.ts' } },
      delayMs: 470,
    },
  ],
  [
    'Search the project for caches',
    {
      says: 'No file keeps a price: the same lamp is asked for again with each list.',
      calls: { tool: 'search_files', args: { query: 'cache' } },
      delayMs: 280,
    },
  ],
]

function play({ messages, tools = [] }: ModelRequest): ScriptedAnswer {
  const asked = messages.findLast(({ role }) => role === 'user')
  const said = `${toText(asked?.content ?? [])}\n`
  const isVote = toText(messages[0]?.content ?? []).includes('independently')
  const [, part] = (isVote ? undefined : PARTS.find(([words]) => said.includes(words))) ?? []
  if (part === undefined) return { text: ANSWER, delayMs: 180 }
  const { says, calls, delayMs } = part
  const isCalled = messages.some(({ role }) => role === 'tool')
  if (calls !== undefined && !isCalled && tools.some(({ id }) => id === calls.tool))
    return { toolCalls: [calls], delayMs }
  return { text: says, delayMs }
}

/** Makes what it sees of each task a little harder, so that a picture has a difference to show. */
const careful = definePlugin('careful', ({ hooks }) => {
  hooks.analyze.tap({ name: 'careful', stage: AMEND }, (complexity) =>
    complexity === undefined ? undefined : { ...complexity, recommendedTopology: 'CENTRALIZED' as const, agents: 4 },
  )
})()

const DAY_MS = 86_400_000
/** How long ago it is for the runs that begin now. */
let agoMs = 0

const folder = join(tmpdir(), 'lamp-shop')
rmSync(folder, { recursive: true, force: true })
for (const [path, text] of Object.entries(FILES)) {
  mkdirSync(join(folder, path, '..'), { recursive: true })
  writeFileSync(join(folder, path), text)
}
const model = { tools: true, json: 'schema', context: 128_000 } as const
const opened = await openScenes({
  script: play,
  plugins: [careful],
  models: [
    { id: 'scripted', ...model, price: { input: 3, output: 15 } },
    { id: 'small', ...model, price: { input: 0.8, output: 4 } },
  ],
  runtime: {
    workspace: folder,
    store: createMemoryStore(),
    clock: () => Date.now() - agoMs,
    rulesFile: openRulesFile(join(tmpdir(), 'ada', '.config', 'svc')),
  },
})
const browser = await openBrowser()
try {
  const { runs, threads } = opened.runtime
  const begin = async (create: Parameters<typeof runs.create>[0]): Promise<string> => (await runs.create(create)).id
  const ended = async (create: Parameters<typeof runs.create>[0]): Promise<string> => {
    const id = await begin(create)
    const { status } = await runs.wait(id, 60_000)
    if (status !== 'completed') throw new Error(`${create.task} is ${status}`)
    return id
  }
  const vote = await ended({
    task: 'Is src/list.ts the slowest file?',
    riskLevel: 'high',
    consensus: true,
    tags: ['speed'],
  })
  const team = await ended({
    task: TASK,
    consensus: true,
    riskLevel: 'high',
    topology: 'CENTRALIZED',
    tokenBudget: 20_000,
    tags: ['speed'],
  })
  // A month before it. Later, so that the team has none of it to remember.
  for (let day = 27; day > 0; day--) {
    agoMs = day * DAY_MS
    for (let nth = 0; nth <= (day * 7) % 3; nth++)
      await ended({ task: `Check the prices of day ${28 - day}`, ...(nth % 2 === 1 && { model: 'scripted/small' }) })
  }
  agoMs = 0
  const release = await threads.create({ title: 'Write the release note' })
  await begin({ task: 'Write the release note', threadId: release.id, approval: 'wait' })
  const talk = await threads.create({ title: 'Make lists of lamps faster' })
  await ended({ task: 'What does this shop do?', threadId: talk.id })
  await ended({ task: 'Ask for all prices at once', threadId: talk.id, approval: 'allow-write' })

  const show = async (page: Page, path: string, seen: string): Promise<void> => {
    await page.goto(`${opened.url}/console/${path}`)
    await page.getByText(seen).first().waitFor()
  }
  const views: Record<string, (page: Page) => Promise<void>> = {
    'chat-wide': (page) => show(page, `chat/${talk.id}`, 'in place of the loop'),
    async 'approval-wide'(page) {
      await show(page, `chat/${release.id}`, 'Why you are asked')
      await page.getByRole('button', { name: 'Approve and do not ask again…' }).click()
      await page.getByRole('radio', { name: 'Always, in later runs too' }).check()
    },
    async 'file-wide'(page) {
      await show(page, `chat/${talk.id}`, 'in place of the loop')
      await page.getByRole('button', { name: 'Difference of src/list.ts' }).click()
    },
    'runs-wide': (page) => show(page, 'runs?q=a+request+of+its+own', 'Filters'),
    'run-wide': (page) => show(page, `runs/${team}`, 'Analyze'),
    'costs-wide': (page) => show(page, 'costs', 'Costs per day by model'),
    'compare-wide': (page) => show(page, `compare/${vote}/${team}`, 'Differences'),
  }
  for (const [name, draw] of Object.entries(views)) {
    const { page } = await browser.open(opened.server.consoleLink(), { width: 1280, height: 800 })
    await page.getByRole('navigation', { name: 'Views' }).waitFor()
    await draw(page)
    // What is loaded beside it, and the layout of the graph.
    await page.waitForTimeout(1_500)
    await page.screenshot({ path: join(FOLDER, `${name}.png`) })
    await page.context().close()
  }
} finally {
  await browser.close()
  await opened.close()
}
