/** Where things stand on a page does not depend on which pages were opened before it. */
import * as assert from 'uvu/assert'
import { until } from '../fixtures/until.ts'
import type { WatchedPage } from './browser.ts'
import { SCENES, TEAM } from './scenes.ts'
import { consoleSuite } from './suite.ts'

const suite = consoleSuite('console: layout')
const { test, inBrowser, ended } = suite

interface Place {
  name: string
  /** How it is laid out. */
  kind: string
  x: number
  y: number
}

/** Where every element of the view stands, in order, once nothing has moved for some frames: graphs are fitted late. */
const SETTLED = `(async () => {
  const placesOf = () => [...document.querySelectorAll('main *')]
    .filter((element) => element.closest('svg, canvas, textarea') === null)
    .map((element) => {
      const { x, y } = element.getBoundingClientRect()
      const { display, position } = getComputedStyle(element)
      return { name: element.tagName + ' ' + element.className, kind: display + ' ' + position, x, y }
    })
  let before = []
  for (let still = 0; still < 6; ) {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    const now = placesOf()
    still = now.length > 20 && JSON.stringify(now) === JSON.stringify(before) ? still + 1 : 0
    before = now
  }
  return before
})()`

/** Texts that say how long ago something was grow a little meanwhile. */
const isSame = (one: Place, other: Place | undefined): boolean =>
  one.name === other?.name && one.kind === other.kind && Math.hypot(one.x - other.x, one.y - other.y) < 20

/** What was seen of each run of the views: the path, a text that it shows, and what is drawn last. */
type View = [path: string, text: string, last?: string]

async function prepare(): Promise<View[]> {
  const { memory, runs } = suite.opened.runtime
  const first = await ended({ task: SCENES.vote, riskLevel: 'high', consensus: true })
  const second = await ended({ task: SCENES.team, ...TEAM })
  await ended({ task: SCENES.approval, approval: 'wait' })
  await memory.write({ content: 'Lamps are listed in src/list.ts.', kind: 'fact' })
  const { lastSeq } = await runs.get(second)
  const wholeLog = `.history input[max="${lastSeq}"]`
  return [
    ['', 'What is to be done?'],
    ['runs', SCENES.team],
    ['approvals', 'write_file'],
    ['memory', 'Lamps are listed'],
    ['plugins', 'write_file'],
    [`compare/${first}/${second}`, SCENES.team, 'h3:text("What differs in these events")'],
    [`runs/${second}`, SCENES.team, wholeLog],
    [`runs/${second}/timeline`, SCENES.team, wholeLog],
    [`runs/${second}/timeline?view=log`, SCENES.team, wholeLog],
  ]
}

/** Goes there as a link of the page would: without loading it anew. */
async function go({ page, onTheWay }: WatchedPage, [path, text, last]: View): Promise<Place[]> {
  const address = JSON.stringify(`/console/${path}`)
  await page.evaluate(`history.pushState(null, '', ${address}); dispatchEvent(new PopStateEvent('popstate'))`)
  await page.getByText(text).first().waitFor({ state: 'attached' })
  // The view before may show the same text until this one's code is there.
  if (path.startsWith('runs/')) await page.locator('.run-header').waitFor({ state: 'attached' })
  else await page.locator('.run-header').waitFor({ state: 'detached' })
  if (last !== undefined) await page.locator(last).waitFor({ state: 'attached' })
  for (;;) {
    await until(() => onTheWay.size === 0)
    const places = await page.evaluate<Place[]>(SETTLED)
    if (onTheWay.size === 0) return places
  }
}

// What a view loads may change those that were opened before it, and those that are opened after it: one width goes through
// the views forwards, the other backwards.
const WIDTHS = process.env.SVC_NIGHTLY === '1' ? [1440, 800, 400] : [1440, 400]

inBrowser('each view looks the same when one comes back to it after the others', async () => {
  const views = await prepare()
  for (const [index, width] of WIDTHS.entries()) {
    const order = index % 2 === 0 ? views : [...views].reverse()
    const [start] = order
    const watched = await suite.open(start?.[0] ?? '', { width })
    const first = new Map<string, Place[]>()
    for (const view of order) first.set(view[0], await go(watched, view))
    const moved: string[] = []
    for (const view of order) {
      const [now, before = []] = [await go(watched, view), first.get(view[0])]
      const at = now.findIndex((place, position) => !isSame(place, before[position]))
      if (at !== -1) moved.push(`/${view[0]} at ${width}: ${JSON.stringify([before[at], now[at]])}`)
    }
    assert.equal(moved, [])
  }
})

test.run()
