/**
 * How the console carries a run of 5,000 events: until all is shown, while the log is scrolled, and while the history is slid.
 *
 * `node --conditions=@svc/source --import tsx bench/console/log.ts [events]`, after `node .tools/build.mjs`.
 */
import { createHash } from 'node:crypto'
import type { RunEvent } from '@svc/core'
import { createRemoteRuntime } from '@svc/sdk/remote'
import type { Page } from 'playwright-core'
import { RunState } from '../../server/console/src/state/run-state.ts'
import { openBrowser } from '../../server/test/console/browser.ts'
import { openScenes } from '../../server/test/console/scenes.ts'
import { countFrames, heapOf } from './frames.ts'

const count = Number(process.argv[2] ?? 5_000)
const LOOK_MS = 5_000

const opened = await openScenes()
const browser = await openBrowser()
const rows: Record<string, unknown>[] = []
try {
  const id = await importLong()
  const remote = createRemoteRuntime({ serverUrl: opened.url })
  const events: RunEvent[] = []
  rows.push(
    await timed('floor: the stream read in Node', async () => {
      for await (const event of remote.runs.events(id)) events.push(event)
    }),
  )
  await remote.close()
  rows.push(await timed(`RunState of ${events.length} events, in Node`, async () => void new RunState(events)))
  const state = new RunState(events)
  rows.push(
    await timed(
      'RunState.at of the middle, mean of 20, in Node',
      async () => {
        for (let turn = 0; turn < 20; turn++) state.at(Math.floor(events.length / 2) + turn)
      },
      20,
    ),
  )

  const began = performance.now()
  const { page, faults } = await browser.open(`${opened.url}/console/runs/${id}/timeline?view=log`)
  await page
    .getByText(`${events.length.toLocaleString('en')} of ${events.length.toLocaleString('en')} events`)
    .waitFor()
  rows.push({ what: 'page: until the whole log is there', ms: Math.round(performance.now() - began) })
  rows.push(await frames(page, 'floor: the page left alone', async () => page.waitForTimeout(LOOK_MS)))
  await page.getByRole('list', { name: 'Events of the run' }).hover()
  const end = (): number => performance.now() + LOOK_MS
  rows.push(
    await frames(page, 'the log scrolled by wheel', async () => {
      for (const until = end(), turn = { count: 0 }; performance.now() < until; turn.count++)
        await page.mouse.wheel(0, turn.count % 200 < 100 ? -600 : 600)
    }),
  )
  const slide = async (what: string): Promise<void> => {
    const box = await page.getByRole('slider').boundingBox()
    if (box === null) throw new Error('the page has no slider')
    const y = box.y + box.height / 2
    await page.mouse.move(box.x + box.width / 2, y)
    await page.mouse.down()
    rows.push(
      await frames(page, what, async () => {
        for (let until = end(), turn = 0; performance.now() < until; turn++)
          await page.mouse.move(box.x + box.width * (0.5 + 0.45 * Math.sin(turn / 30)), y)
      }),
    )
    await page.mouse.up()
  }
  await slide('the history slid, the log shown')
  await page.getByRole('link', { name: 'Waterfall' }).click()
  await slide('the history slid, the waterfall shown')
  if (faults.length > 0) console.error(faults)
} finally {
  await browser.close()
  await opened.close()
}
console.table(rows)

/** The log of a real run, its middle repeated until it is long enough, put beside the others as an exported run is. */
async function importLong(): Promise<string> {
  const { runs } = opened.runtime
  const { id } = await runs.create({ task: 'Summarise README.md' })
  await runs.wait(id, 20_000)
  const log: RunEvent[] = []
  for await (const event of runs.events(id, { deltas: false })) log.push(event)
  const first = log.findIndex(({ type }) => type === 'model.started')
  const last = log.findIndex(({ type }) => type === 'step.completed')
  const body = log.slice(first, last)
  const grown = log.slice(0, first)
  for (let turn = 0; grown.length < count - (log.length - last); turn++)
    for (const event of body) grown.push({ ...event, callId: `${event.callId ?? 'call'}-${turn}` } as RunEvent)
  const origin = Date.parse(log[0]?.time ?? '')
  // Another run of the same make: its last character differs.
  const runId = `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`
  const all = [...grown, ...log.slice(last)].map((event, index) => ({
    ...event,
    runId,
    seq: index + 1,
    time: new Date(origin + index * 20).toISOString(),
  }))
  const chunks: Uint8Array[] = []
  for await (const chunk of runs.export(id)) chunks.push(chunk)
  const head = JSON.parse(Buffer.concat(chunks).toString().split('\n')[0] ?? '')
  head.run = { ...head.run, id: runId, lastSeq: all.length }
  const text = [head, ...all].map((line) => `${JSON.stringify(line)}\n`).join('')
  const sha256 = createHash('sha256').update(text).digest('hex')
  const end = { end: { lines: all.length + 1, sha256 } }
  const made = await runs.import(
    (async function* () {
      yield Buffer.from(`${text}${JSON.stringify(end)}\n`)
    })(),
  )
  return made.id
}

/** How long something takes, in milliseconds. */
async function timed(what: string, work: () => Promise<void>, times = 1): Promise<Record<string, unknown>> {
  const from = performance.now()
  await work()
  return { what, ms: Number(((performance.now() - from) / times).toFixed(1)) }
}

/** Frames of the page while something is done, and what it holds in memory after. */
async function frames(page: Page, what: string, work: () => Promise<void>): Promise<Record<string, unknown>> {
  return { what, ...(await countFrames(page, work)), heapMB: await heapOf(page) }
}
