/** Where things stand on a page does not depend on which pages were opened before it. */
import type { Page } from 'playwright-core'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { hasBrowser, openBrowser, type TestBrowser } from './browser.ts'
import { openScenes, SCENES, type SceneServer, TEAM } from './scenes.ts'

const test = suite('console: layout')
const inBrowser = hasBrowser ? test : test.skip

let opened: SceneServer
let browser: TestBrowser
let ids: string[]
test.before(async () => {
  if (!hasBrowser) return
  opened = await openScenes()
  browser = await openBrowser()
  const { runs, memory } = opened.runtime
  ids = []
  for (const create of [
    { task: SCENES.vote, riskLevel: 'high', consensus: true },
    { task: SCENES.team, ...TEAM },
  ] as const) {
    const { id } = await runs.create(create)
    await runs.wait(id)
    ids.push(id)
  }
  const { id } = await runs.create({ task: SCENES.approval, approval: 'wait' })
  await runs.wait(id)
  await memory.write({ content: 'Lamps are listed in src/list.ts.', kind: 'fact' })
})
test.after(async () => {
  await browser?.close()
  await opened?.close()
})

interface Place {
  name: string
  /** How it is laid out. */
  kind: string
  x: number
  y: number
}

/** Where every element of the view stands, in order. */
const placesOf = (page: Page): Promise<Place[]> =>
  page.evaluate(`[...document.querySelectorAll('main *')]
    .filter((element) => element.closest('svg, canvas, textarea') === null)
    .map((element) => {
      const { x, y } = element.getBoundingClientRect()
      const { display, position } = getComputedStyle(element)
      return { name: element.tagName + ' ' + element.className, kind: display + ' ' + position, x, y }
    })`)

/** Texts that say how long ago something was grow a little meanwhile. */
const isSame = (one: Place, other: Place | undefined): boolean =>
  one.name === other?.name && one.kind === other.kind && Math.hypot(one.x - other.x, one.y - other.y) < 20

/** The places once nothing moved for twenty frames: a graph is fitted to its frame some frames after both are there. */
async function settled(page: Page): Promise<Place[]> {
  let before: Place[] = []
  for (let still = 0; still < 10; ) {
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
    const now = await placesOf(page)
    still = now.length > 20 && JSON.stringify(now) === JSON.stringify(before) ? still + 1 : 0
    before = now
  }
  return before
}

for (const width of [1440, 800, 400])
  inBrowser(`at a width of ${width}, each view looks as it did after all the others were opened`, async () => {
    const [first = '', second = ''] = ids
    const views: [path: string, text: string][] = [
      ['', SCENES.team],
      ['approvals', 'write_file'],
      ['memory', 'Lamps are listed'],
      ['plugins', 'write_file'],
      [`compare/${first}/${second}`, SCENES.team],
      [`runs/${first}`, SCENES.vote],
      [`runs/${second}/timeline`, SCENES.team],
      [`runs/${second}/timeline?view=log`, SCENES.team],
      [`runs/${second}/history`, SCENES.team],
    ]
    const show = async (page: Page, [path, text]: [string, string]): Promise<Place[]> => {
      await page.getByText(text).first().waitFor({ state: 'attached' })
      assert.ok(page.url().endsWith(`/console/${path}`), page.url())
      return settled(page)
    }
    const alone = new Map<string, Place[]>()
    for (const view of views) {
      const { page } = await browser.open(`${opened.url}/console/${view[0]}`, { width })
      alone.set(view[0], await show(page, view))
      await page.context().close()
    }
    const { page, faults } = await browser.open(`${opened.url}/console/`, { width })
    const go = async (view: [string, string]): Promise<Place[]> => {
      // As a link of the page would: without loading it anew.
      const address = JSON.stringify(`/console/${view[0]}`)
      await page.evaluate(`history.pushState(null, '', ${address}); dispatchEvent(new PopStateEvent('popstate'))`)
      return show(page, view)
    }
    for (const view of views) await go(view)
    const moved: string[] = []
    for (const view of [...views].reverse()) {
      const [now, before = []] = [await go(view), alone.get(view[0])]
      const at = now.findIndex((place, index) => !isSame(place, before[index]))
      if (at !== -1) moved.push(`/${view[0]}: ${JSON.stringify([before[at], now[at]])}`)
    }
    assert.equal(moved, [])
    assert.equal(faults, [])
  })

test.run()
