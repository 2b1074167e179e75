/**
 * Makes the pictures of `docs/img` anew: `node --conditions=@svc/source --import tsx server/test/console/pictures.ts`.
 *
 * A team of four looks at a small shop; the model is scripted, everything else is real.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AMEND, definePlugin, type ModelRequest, toText } from '@svc/core'
import type { ScriptedAnswer } from '@svc/core/testing'
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

const ANSWER =
  'src/list.ts waits for each price before it asks for the next one (line 5), and each price is a request of its own (src/prices.ts, line 2). Nothing keeps a price. Change the loop first: ask for all prices at once. Then keep each price for a minute.'

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

const opened = await openScenes({ script: play, plugins: [careful] })
const browser = await openBrowser()
try {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(join(opened.folder, path, '..'), { recursive: true })
    writeFileSync(join(opened.folder, path), text)
  }
  const { runs } = opened.runtime
  const begin = async (create: Parameters<typeof runs.create>[0]): Promise<string> => (await runs.create(create)).id
  const before = await begin({ task: 'Summarise README.md', tags: ['docs'] })
  await runs.wait(before, 60_000)
  await begin({ task: 'Write the release note for the faster lists', approval: 'wait', tags: ['release'] })
  const vote = await begin({
    task: 'Is src/list.ts the slowest file?',
    riskLevel: 'high',
    consensus: true,
    tags: ['speed'],
  })
  await runs.wait(vote, 60_000)
  const team = await begin({
    task: TASK,
    consensus: true,
    riskLevel: 'high',
    topology: 'CENTRALIZED',
    tokenBudget: 20_000,
    tags: ['speed'],
  })
  const ended = await runs.wait(team, 60_000)
  if (ended.status !== 'completed') throw new Error(`the team's run is ${ended.status}`)
  await begin({ task: 'Tell how the shop began', model: 'slow/words' })

  const sizes = [
    { end: 'wide', width: 1440, height: 900, dark: false },
    { end: 'narrow', width: 400, height: 800, dark: true },
  ]
  const views = {
    runs: '/console/runs',
    run: `/console/runs/${team}`,
    timeline: `/console/runs/${team}/timeline`,
    approvals: '/console/approvals',
    memory: '/console/memory',
    plugins: '/console/plugins',
    compare: `/console/compare/${vote}/${team}`,
  }
  for (const { end, ...size } of sizes)
    for (const [view, path] of Object.entries(views)) {
      const { page } = await browser.open(opened.url + path, size)
      await page.locator('main h1').first().waitFor()
      // What is loaded beside the heading, and the layout of the graph.
      await page.waitForTimeout(800)
      await page.screenshot({ path: join(FOLDER, `${view}-${end}.png`) })
      await page.context().close()
    }
} finally {
  await browser.close()
  await opened.close()
}
