/**
 * Five windows on five runs that stream, and a sixth that loads, in one browser over one server; then a conversation
 * whose answer comes as 7,000 words of Markdown in pieces, which are about 20,000 tokens: its frames, their cost, and the memory of the page before and after.
 *
 * `node --conditions=@svc/source --import tsx bench/console/windows.ts [words]`, after `node .tools/build.mjs`.
 */
import { definePlugin, type ModelPart } from '@svc/core'
import type { Page } from 'playwright-core'
import { openBrowser } from '../../server/test/console/browser.ts'
import { openScenes, SCENES } from '../../server/test/console/scenes.ts'
import { countFrames, heapOf } from './frames.ts'

const WORDS = Number(process.argv[2] ?? 7_000)
const WINDOWS = 5
const TIMES = 5
const FRAME_MS = 1_000 / 60
/** Words between two pauses of the long story, which is as much as a fast model says in a frame. */
const WORDS_A_PIECE = 20

let mayEnd = (): void => {}
let newest = 0
const stories = definePlugin('slow-words', ({ providers }) =>
  providers.add('slow', {
    id: 'slow',
    models: async () => [{ id: 'words' }, { id: 'long' }],
    async *generate({ model }, { signal }): AsyncGenerator<ModelPart> {
      const isLong = model.endsWith('long')
      const most = isLong ? WORDS : Number.POSITIVE_INFINITY
      const ended = new Promise<void>((resolve) => (mayEnd = resolve))
      for (let word = 1; word <= most && !signal.aborted; word++) {
        if (!isLong || word % WORDS_A_PIECE === 0)
          await new Promise((resolve) => setTimeout(resolve, isLong ? FRAME_MS : 50))
        newest = word
        yield { type: 'text', text: isLong ? markdownOf(word) : `word ${word} ` }
      }
      signal.throwIfAborted()
      await ended
      yield { type: 'finish', finishReason: 'stop', usage: { inputTokens: 1, outputTokens: WORDS, estimated: false } }
    },
  }),
)()

/** A word of a long text: paragraphs of 40 words, and each tenth a list, code or a table. */
function markdownOf(word: number): string {
  const [part, at] = [Math.floor(word / 40), word % 40]
  const kind = part % 10 === 3 ? 'list' : part % 10 === 6 ? 'code' : part % 10 === 9 ? 'table' : 'prose'
  const text = kind === 'prose' && at % 11 === 0 ? `**word ${word}** ` : `word ${word} `
  if (at === 0)
    return `\n\n${{ list: '- ', code: '```ts\n', table: '| a | b |\n|---|---|\n| ', prose: '' }[kind]}${text}`
  if (at === 39) return `${text}${kind === 'code' ? '\n```' : kind === 'table' ? ' |' : ''}`
  if (at % 8 !== 0 || kind === 'prose') return text
  return `${{ list: '\n- ', code: '\n', table: '|\n| ' }[kind]}${text}`
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0
const opened = await openScenes({ stories, config: { server: { limits: { runningRuns: 20 } } } })
const browser = await openBrowser()
const { runs, threads } = opened.runtime
try {
  await manyWindows()
  await longStory()
} finally {
  await browser.close()
  await opened.close()
}

async function manyWindows(): Promise<void> {
  const ids: string[] = []
  for (let n = 0; n < WINDOWS; n++) ids.push((await runs.create({ task: SCENES.slow, model: 'slow/words' })).id)
  const { page, faults } = await browser.open(`${opened.url}/livez`)
  const first: number[] = []
  const pages: Page[] = []
  for (const id of ids) {
    const one = await page.context().newPage()
    const from = performance.now()
    await one.goto(`${opened.url}/console/runs/${id}`)
    await wordIn(one, 1)
    first.push(performance.now() - from)
    pages.push(one)
  }
  const from = performance.now()
  await page.goto(`${opened.url}/console/runs`)
  await page.getByRole('link', { name: SCENES.slow }).first().waitFor()
  const sixth = performance.now() - from
  const fresh: number[] = []
  for (let turn = 0; turn < TIMES; turn++)
    for (const one of pages) {
      const asked = performance.now()
      await wordIn(one, newest + 1)
      fresh.push(performance.now() - asked)
    }
  const metrics = (await opened.ask('GET', '/metrics')).text
  console.table({
    'window until its first word, median ms': Math.round(median(first)),
    'sixth page until its first row, ms': Math.round(sixth),
    'until a word said after now is shown, median ms (one word each 50)': Math.round(median(fresh)),
    'the same, longest ms': Math.round(Math.max(...fresh)),
    'streams open at the server': Number(/^svc_sse_clients (\d+)/m.exec(metrics)?.[1]),
  })
  if (faults.length > 0) console.error(faults)
  await Promise.all(ids.map((id) => runs.cancel(id)))
  await page.context().close()
}

async function longStory(): Promise<void> {
  newest = 0
  const { id: threadId } = await threads.create()
  const asked = { task: SCENES.slow, model: 'slow/long', threadId, reflect: false, tokenBudget: 1_000_000 }
  const { id } = await runs.create(asked)
  const { page } = await browser.open(`${opened.url}/console/chat/${threadId}`)
  await wordIn(page, 1)
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const scriptSeconds = async (): Promise<number> =>
    (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? 0
  const heapBefore = await heapOf(page)
  const scriptBefore = await scriptSeconds()
  const began = performance.now()
  const frames = await countFrames(page, () => wordIn(page, WORDS, 500))
  const seconds = (performance.now() - began) / 1_000
  const scriptMs = ((await scriptSeconds()) - scriptBefore) * 1_000
  console.table({
    'words a second': Math.round(WORDS / seconds),
    ...frames,
    'frames dropped of 60 a second': Math.max(0, Math.round(seconds * 60) - frames.count),
    'script ms a frame': Number((scriptMs / frames.count).toFixed(2)),
    'heap before, MB': heapBefore,
    'heap after, MB': await heapOf(page),
  })
  mayEnd()
  await runs.wait(id, 20_000)
  await page.getByRole('button', { name: 'Send' }).waitFor()
  await page.waitForTimeout(1_000)
  const heapAtEnd = await heapOf(page)
  await page.reload()
  await wordIn(page, WORDS)
  console.table({
    'heap once the run has ended, MB': heapAtEnd,
    'heap of the same conversation, loaded anew, MB': await heapOf(page),
  })
  await page.context().close()
}

/** Resolves once a page shows that word, or a later one. @param everyMs how often it is looked */
async function wordIn(page: Page, word: number, everyMs = 10): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const look = () => {
      const text = document.querySelector('main')?.textContent ?? ''
      if ([...text.matchAll(/word (\\d+)/g)].some(([, n]) => Number(n) >= ${word})) resolve()
      else setTimeout(look, ${everyMs})
    }
    look()
  })`)
}
