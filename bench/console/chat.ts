/**
 * A conversation of 200 messages in mixed Markdown: from the request of the page until the newest message is painted, and
 * what is transferred until then.
 *
 * Run it with `node --conditions=@svc/source --import tsx bench/console/chat.ts` after the console was built.
 */
import { openBrowser } from '../../server/test/console/browser.ts'
import { openScenes } from '../../server/test/console/scenes.ts'

const TURNS = 100
const TRIES = 7

/** Two frames later it is on the screen. */
const PAINTED =
  'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))'

const PARTS = [
  '## What I found\n\nThe **price** of a lamp is read in `src/prices.ts`, line 2, [as the page says](https://example.org).',
  '| lamp | price | stock |\n|---|---:|---:|\n| table | 40 | 7 |\n| floor | 95 | 0 |\n| wall | 30 | 12 |',
  '1. Read the list\n2. Ask for all prices at once\n   - keep each for a minute\n   - say what is missing\n3. Show it',
  '```ts\nexport const list = async (lamps: string[]) => {\n  const prices = await Promise.all(lamps.map(priceOf))\n  return lamps.map((lamp, index) => [lamp, prices[index]])\n}\n```',
  '> A quote of somebody.\n\nA paragraph of some length follows, with *words* that stand out, and more of them, as answers have.',
] as const

const opened = await openScenes({
  script: ({ messages }) => {
    const start = messages.length % PARTS.length
    return [...PARTS.slice(start), ...PARTS.slice(0, start)].slice(0, 3).join('\n\n')
  },
})
const browser = await openBrowser()
try {
  const { threads, runs } = opened.runtime
  const { id } = await threads.create({ title: 'About lamps' })
  for (let index = 1; index <= TURNS; index++) {
    const run = await runs.create({ task: `Message ${index}: what about the lamps?`, threadId: id, reflect: false })
    await runs.wait(run.id, 60_000)
  }
  const painted: number[] = []
  let bytes = 0
  let requests = 0
  for (let tried = 0; tried < TRIES; tried++) {
    const { page } = await browser.open('about:blank')
    const session = await page.context().newCDPSession(page)
    await session.send('Network.enable')
    bytes = 0
    requests = 0
    session.on('Network.loadingFinished', ({ encodedDataLength }) => {
      bytes += encodedDataLength
      requests++
    })
    await page.goto(`${opened.url}/console/chat/${id}`, { waitUntil: 'commit' })
    const last = page.getByRole('article', { name: `Message ${TURNS}:` })
    await last.locator('.markdown').waitFor()
    painted.push(await page.evaluate<number>(PAINTED))
    await page.context().close()
  }
  painted.sort((a, b) => a - b)
  const [first = 0] = painted
  console.log(`${2 * TURNS} messages, ${TRIES} tries, each in a new window:`)
  console.log(`painted after ${Math.round(painted[TRIES >> 1] ?? 0)} ms (median), ${Math.round(first)} ms at best`)
  console.log(`${requests} requests, ${Math.round(bytes / 1024)} KiB transferred, the page itself included`)
} finally {
  await browser.close()
  await opened.close()
}
