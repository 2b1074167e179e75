/** Every page of the console, in each size and both colours: in order for people who cannot see it, whole, and reached by the keyboard. */
import type { Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import { openPages, type Shown } from './all-pages.ts'
import { hasBrowser } from './browser.ts'
import { consoleSuite } from './suite.ts'

const suite = consoleSuite('console: every page')
const { test, inBrowser } = suite

const isNightly = process.env.SVC_NIGHTLY === '1'

/**
 * A width, a height, how many times larger the letters are, and whether axe looks at it each time, which takes long. The last but
 * one is a window at 200 %.
 */
const SIZES: readonly [width: number, height: number, letters: number, isAudited: boolean][] = [
  [1440, 900, 1, true],
  [768, 1024, 1, isNightly],
  [360, 740, 1, true],
  [720, 450, 1, isNightly],
  [1440, 900, 2, isNightly],
]

/** Letters of twice the size, as a browser can be set to, and no side of the page is out of sight. */
const fit = async (page: Page, letters: number): Promise<string[]> => {
  await page.evaluate(`document.documentElement.style.fontSize = ${letters === 1 ? "''" : `'${letters * 100}%'`}`)
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
  return page.evaluate<string[]>(`(() => {
    const { scrollWidth } = document.documentElement
    const over = [...document.querySelectorAll('main *')].filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
    return scrollWidth > innerWidth + 1 ? ['cut: ' + scrollWidth + ' ' + over.map((one) => one.outerHTML.slice(0, 80)).slice(0, 8)] : []
  })()`)
}

/** What one comes to with Tab, until it begins anew, and what of it does not show that it has the focus. */
const TABBED = `(() => {
  const element = document.activeElement
  if (element === null || element === document.body) return 'end'
  const isFirst = document.querySelector('[data-tabbed]') === null
  const look = () => JSON.stringify([[element], [element, '::after'], [element.closest('label') ?? element.parentElement]].map((of) => {
    const { outlineStyle, outlineWidth, boxShadow, borderColor } = getComputedStyle(...of)
    return [outlineStyle, outlineWidth, boxShadow, borderColor]
  }))
  const focused = look()
  element.blur()
  const ringed = look() !== focused
  element.focus({ preventScroll: true, focusVisible: true })
  // What was pressed with the mouse shows no ring.
  const shows = ringed || isFirst
  const { width, height, top, bottom } = element.getBoundingClientRect()
  const isSeen = width > 0 && height > 0 && bottom > 0 && top < innerHeight
  element.dataset.tabbed = ''
  const name = element.localName + ' ' + (element.getAttribute('aria-label') ?? element.textContent ?? '').slice(0, 40)
  return shows && isSeen ? '' : name + (shows ? ' is out of sight' : ' shows no focus')
})()`
const MISSED = `(() => {
  const root = document.querySelector('dialog[open]') ?? document
  return [...root.querySelectorAll('a[href], button:not(:disabled), input:not(:disabled), select, textarea, summary, [tabindex="0"]')]
    .filter((element) => element.tabIndex >= 0 && element.checkVisibility({ visibilityProperty: true }) && !('tabbed' in element.dataset))
    .filter((element) => !(element.type === 'radio' && !element.checked))
    .map((element) => 'missed: ' + element.outerHTML.slice(0, 120))
})()`

async function tabThrough(page: Page): Promise<string[]> {
  const faults = new Set<string>()
  // From wherever the page has put the focus, to the end, and once around.
  await page.evaluate(TABBED)
  for (let ends = 0; ends < 2; ) {
    await page.keyboard.press('Tab')
    const said = await page.evaluate<string>(TABBED)
    if (said === 'end') ends++
    else if (said !== '') faults.add(said)
    if (faults.size > 20) break
  }
  return [...faults, ...(await page.evaluate<string[]>(MISSED))]
}

let shown: Record<string, Shown> = {}
test.before(async () => {
  if (hasBrowser) shown = await openPages(suite)
})

inBrowser('no page has a fault that axe finds, nor is it cut at its side, in any size and both colours', async () => {
  const faults: string[] = []
  for (const [at, [name, { path, ready }]] of Object.entries(shown).entries()) {
    const watched = await suite.open(path)
    const { page, audit } = watched
    await ready(page)
    for (const [index, [width, height, letters, isAudited]] of SIZES.entries()) {
      await page.setViewportSize({ width, height })
      for (const colorScheme of ['light', 'dark'] as const) {
        if (!isNightly && (at + index) % 2 !== Number(colorScheme === 'dark')) continue
        await page.emulateMedia({ colorScheme })
        const found = [...(await fit(page, letters)), ...(isAudited ? await audit() : [])]
        faults.push(...found.map((fault) => `${name}, ${width}x${height} ×${letters} ${colorScheme}: ${fault}`))
      }
    }
    faults.push(...watched.faults.splice(0).map((fault) => `${name}: ${fault}`))
    await page.context().close()
  }
  assert.equal(faults, [])
})

inBrowser('the keyboard comes to everything on every page, and what it comes to is in sight and shows it', async () => {
  const faults: string[] = []
  for (const [name, { path, ready }] of Object.entries(shown))
    for (const width of isNightly ? [1440, 360] : [1440]) {
      const { page } = await suite.open(path, { width, height: 800 })
      await ready(page)
      faults.push(...(await tabThrough(page)).map((fault) => `${name}, ${width}: ${fault}`))
      await page.context().close()
    }
  assert.equal(faults, [])
})

test.run()
