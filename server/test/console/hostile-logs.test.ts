/** A log that is not as svc writes it, from an import or a store that somebody else wrote to, blanks no page. */
import type { RunEvent } from '@svc/core'
import type { Page, Route } from 'playwright-core'
import * as assert from 'uvu/assert'
import { until } from '../fixtures/until.ts'
import { SCENES, TEAM } from './scenes.ts'
import { consoleSuite } from './suite.ts'

const suite = consoleSuite('console: hostile logs')
const { test, inBrowser } = suite

type Change = (event: RunEvent) => unknown

/** Changes each value below `data`. */
const each = (change: (value: unknown, key: string) => unknown): Change => {
  const walk = (value: unknown, key: string): unknown => {
    if (Array.isArray(value))
      return change(
        value.map((item) => walk(item, key)),
        key,
      )
    if (typeof value !== 'object' || value === null) return change(value, key)
    return change(Object.fromEntries(Object.entries(value).map(([name, item]) => [name, walk(item, name)])), key)
  }
  return (event) => ({ ...event, data: walk(event.data, 'data') })
}
const withType =
  (type: unknown): Change =>
  (event) =>
    event.seq === 1 ? event : { ...event, type }
const withData =
  (data: unknown): Change =>
  (event) => ({ ...event, data })
const LONG = '9'.repeat(20_000)

/** What is wrong with every event of a log. */
const CHANGES: Record<string, Change> = {
  'a type of Object.prototype': withType('__proto__'),
  'another type of it': withType('constructor'),
  'a type that is a method': withType('toString'),
  'a type that is a number': withType(7),
  'a type that is a list': withType(['run.completed']),
  'a time that is a number': (event) => ({ ...event, time: 1_700_000_000_000 }),
  'a time that is no time': (event) => ({ ...event, time: '<b>now</b>' }),
  'a time beyond all years': (event) => ({ ...event, time: '+999999-01-01T00:00:00Z' }),
  'no time': ({ time: _, ...event }) => event,
  'no data': withData(null),
  'empty data': withData({}),
  'data that is a list': withData([1, 2]),
  'data that is a text': withData('x'),
  'an agent that is a list': (event) => ({ ...event, agentId: ['a'], stepId: { id: 1 }, callId: 7, stage: ['plan'] }),
  'names of Object.prototype': (event) => ({
    ...event,
    agentId: '__proto__',
    stepId: 'constructor',
    callId: 'toString',
  }),
  'numbers in place of texts': each((value) => (typeof value === 'string' ? 1e308 : value)),
  'texts in place of numbers': each((value) => (typeof value === 'number' ? LONG : value)),
  'numbers that are none': each((value) => (typeof value === 'number' ? -1e308 : value)),
  'nothing in place of lists': each((value) => (Array.isArray(value) ? null : value)),
  'lists of nothing': each((value) => (Array.isArray(value) ? [null, 1, 'x'] : value)),
  'nothing in place of objects': each((value, key) =>
    key !== 'data' && typeof value === 'object' && !Array.isArray(value) ? null : value,
  ),
  'words nobody knows': each((value) =>
    typeof value === 'string' && /^[a-zA-Z_]{1,12}$/.test(value) ? '__proto__' : value,
  ),
  'an answer that is no text, of parts that are none': (event) =>
    event.type === 'run.completed'
      ? {
          ...event,
          data: {
            result: {
              ...{
                status: 'completed',
                summary: { text: 1 },
                artifacts: [null, { id: 7, uri: {} }],
                claims: ['x', null],
              },
              ...{ facts: { files: [null], programs: 'x', sent: [{}] }, warnings: [null], reflection: { checks: 'x' } },
            },
          },
        }
      : event,
  'an answer of a million signs of Markdown': each((value, key) =>
    key === 'summary' ? '[*`>|'.repeat(200_000) : value,
  ),
  'steps that wait for themselves': each((value, key) =>
    key === 'dependsOn' ? ['s1', 's2', 's3', '__proto__'] : value,
  ),
}

/** Hands a changed log to the page in place of the run's. */
async function changeLog(page: Page, events: readonly RunEvent[], change: Change): Promise<void> {
  const body = events.map((event) => `id: ${event.seq}\ndata: ${JSON.stringify(change(event))}\n\n`).join('')
  const answer = (route: Route): Promise<void> =>
    route.fulfill({ contentType: 'text/event-stream', body: `${body}event: end\ndata: {}\n\n` })
  await page.route(/\/v1\/runs\/[^/]+\/events/, answer)
}

async function logOf(id: string): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  const { runs } = suite.opened.runtime
  const { lastSeq } = await runs.get(id)
  for await (const event of runs.events(id, { deltas: false })) if (events.push(event) >= lastSeq) break
  return events
}

/** What stands in the page: its head, a title or an alert of its own, its text, the view of the run, and rows of a log. */
const LOOK = `({
  head: document.querySelectorAll('header nav a').length > 0,
  main: document.querySelector('main')?.innerText.length ?? 0,
  says: document.querySelectorAll('main h1, main [role="alert"]').length > 0,
  view: document.querySelectorAll('.live, .timeline, .empty').length > 0,
  rows: document.querySelectorAll('.log-row').length,
})`

interface Look {
  head: boolean
  main: number
  says: boolean
  view: boolean
  rows: number
}

let logs: ReadonlyMap<string, readonly RunEvent[]>
test.before(async () => {
  const team = await suite.ended({ task: SCENES.team, ...TEAM })
  const wait = await suite.ended({ task: SCENES.approval, approval: 'wait' })
  logs = new Map([
    [team, await logOf(team)],
    [wait, await logOf(wait)],
  ])
  for (const { length } of logs.values()) assert.ok(length > 10)
})

for (const [name, change] of Object.entries(CHANGES)) {
  inBrowser(`${name}: no view of such a run is blank, and the log shows each event`, async () => {
    const { page } = await suite.open('runs')
    for (const [id, events] of logs) {
      await changeLog(page, events, change)
      for (const view of ['', '/timeline', '/timeline?view=log']) {
        await page.goto(`${suite.opened.url}/console/runs/${id}${view}`)
        const least = view.endsWith('log') ? Math.min(10, events.length) : 0
        await until(async () => {
          const { head, says, main, view: isDrawn, rows } = await page.evaluate<Look>(LOOK)
          return head && says && main > 40 && isDrawn && rows >= least
        })
      }
      await page.unroute(/\/v1\/runs\/[^/]+\/events/)
    }
  })
}

test.run()
