/** Ten things that people come for, each in at most three actions: a click, a chord of keys, or a text that is typed and sent. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMemoryStore, type RunCreate } from '@svc/core'
import { openRulesFile } from '@svc/plugins'
import type { Locator, Page } from 'playwright-core'
import * as assert from 'uvu/assert'
import { makeFolder } from '../fixtures/folder.ts'
import { until } from '../fixtures/until.ts'
import { turn } from './chat-page.ts'
import { SCENES } from './scenes.ts'
import { consoleSuite } from './suite.ts'

const suite = consoleSuite('console: ten tasks')
const { test, inBrowser } = suite

const MOST = 3
const WEEK_MS = 7 * 86_400_000
const prices = (): string => readFileSync(join(suite.opened.folder, 'prices.csv'), 'utf8')

/** What a person does to a page, counted. Looking and reading are free. */
class Hand {
  actions = 0
  readonly #page: Page

  constructor(page: Page) {
    this.#page = page
  }

  async click(what: Locator): Promise<void> {
    this.actions++
    await what.click()
  }

  async press(chord: string): Promise<void> {
    this.actions++
    await this.#page.keyboard.press(chord)
  }

  /** Types into a field that has the focus already, in place of what is there, and presses Enter. @param seen on the page before that */
  async send(field: Locator, text: string, seen?: Locator): Promise<void> {
    this.actions++
    await field.and(this.#page.locator(':focus')).waitFor()
    await this.#page.keyboard.press('Control+A')
    await this.#page.keyboard.type(text)
    await seen?.waitFor()
    await this.#page.keyboard.press('Enter')
  }
}

/** A task on a page that is open, with the number of actions that it takes. */
function task(
  name: string,
  actions: number,
  open: () => Promise<Page>,
  run: (hand: Hand, page: Page) => Promise<void>,
) {
  assert.ok(actions <= MOST, `${name}: ${actions} actions`)
  inBrowser(`${name}: ${actions === 1 ? 'one action' : `${actions} actions`}`, async () => {
    const page = await open()
    const hand = new Hand(page)
    await run(hand, page)
    assert.is(hand.actions, actions)
  })
}

const openAt = (path: string) => async (): Promise<Page> => (await suite.open(path)).page

/** Whether nothing lies over it, and nobody has to scroll to it. */
const isInSight = (what: Locator): Promise<boolean> =>
  what.evaluate((element) => {
    const { left, right, bottom } = element.getBoundingClientRect()
    return element.contains(element.ownerDocument.elementFromPoint((left + right) / 2, bottom - 2))
  })

/** The page of a conversation with one run. @param isOpen whether the run goes on */
async function openTalk(text: string, create: Partial<RunCreate> = {}, isOpen = false): Promise<Page> {
  const { threads, runs } = suite.opened.runtime
  const { id: threadId } = await threads.create({ title: text })
  const { id } = await runs.create({ task: text, threadId, ...create })
  if (!isOpen) await runs.wait(id, 60_000)
  return (await suite.open(`chat/${threadId}`)).page
}

/** The page of the newest conversation of that title. */
async function openNewest(title: string): Promise<Page> {
  const { data } = await suite.opened.runtime.threads.list({ limit: 100 })
  return (await suite.open(`chat/${data.find((thread) => thread.title === title)?.id}`)).page
}

/** How long ago it is for the runs that begin now. */
let agoMs = WEEK_MS
const rules = makeFolder()

test.before(async () => {
  const clock = (): number => Date.now() - agoMs
  await suite.serve({ runtime: { store: createMemoryStore(), clock, rulesFile: openRulesFile(rules) } })
  await suite.ended({ task: SCENES.vote })
  agoMs = 0
  for (const day of ['Monday', 'Tuesday', 'Friday']) await suite.ended({ task: `Count the lamps sold on ${day}` })
})

task('start', 1, openAt(''), async (hand, page) => {
  await hand.send(page.getByRole('textbox', { name: 'Message', exact: true }), 'Summarise README.md')
  await turn(page, 'Summarise README.md').getByText('serves the same person').first().waitFor()
})

const openSlow = (): Promise<Page> => openTalk(SCENES.slow, { model: 'slow/words' }, true)

task('watch', 2, openSlow, async (hand, page) => {
  // Its words come by themselves; what the run does beside them stands on its page.
  await turn(page, SCENES.slow)
    .getByText(/word 60 /)
    .waitFor()
  await hand.click(page.getByRole('link', { name: 'Runs', exact: true }))
  await hand.click(page.getByRole('link', { name: SCENES.slow }).first())
  await page.getByRole('heading', { name: SCENES.slow }).waitFor()
  await page
    .getByText(/word 60 /)
    .first()
    .waitFor()
})

task('stop', 1, openSlow, async (hand, page) => {
  await turn(page, SCENES.slow)
    .getByText(/word 60 /)
    .waitFor()
  await hand.click(page.getByRole('button', { name: 'Stop' }))
  await turn(page, SCENES.slow).getByText('Stopped before it was done').waitFor()
})

task(
  'edit and run again',
  2,
  () => openTalk('Summarise README.md'),
  async (hand, page) => {
    await hand.click(turn(page, 'Summarise README.md').getByRole('button', { name: 'Edit' }))
    await hand.send(
      page.getByRole('form', { name: 'Edit the message' }).getByRole('textbox'),
      'Say in one line what README.md is about',
    )
    await turn(page, 'Say in one line').getByText('serves the same person').first().waitFor()
  },
)

task('compare two runs', 3, openAt('runs'), async (hand, page) => {
  await hand.click(page.getByRole('checkbox', { name: /sold on Monday/ }))
  await hand.click(page.getByRole('checkbox', { name: /sold on Friday/ }))
  await hand.click(page.getByRole('link', { name: 'Compare the two' }))
  await page.getByRole('heading', { name: 'Compare two runs' }).waitFor()
})

task("find last week's answer about primes", 2, openAt(''), async (hand, page) => {
  await page.getByRole('heading', { name: 'What is to be done?' }).waitFor()
  await hand.press('Control+k')
  await hand.send(
    page.getByRole('combobox', { name: /^What to do/ }),
    'divides 97',
    page.getByRole('option', { name: SCENES.vote }),
  )
  await page.getByRole('heading', { name: SCENES.vote }).waitFor()
  await page.getByText('no number from 2 to 9').first().waitFor()
})

const openAsking = async (): Promise<Page> => {
  const page = await openTalk(SCENES.change, { approval: 'wait' }, true)
  await page.setViewportSize({ width: 1024, height: 640 })
  return page
}

task('approve always', 3, openAsking, async (hand, page) => {
  await hand.click(page.getByRole('button', { name: 'Approve and do not ask again…' }))
  await hand.click(page.getByRole('radio', { name: 'Always, in later runs too' }))
  const write = page.getByRole('button', { name: 'Approve, and write the rule' })
  await until(() => isInSight(write))
  await hand.click(write)
  await turn(page, SCENES.change).getByText('A hall lamp costs').first().waitFor()
  assert.match(readFileSync(join(rules, 'svc.config.json'), 'utf8'), /write_file/)
  assert.match(prices(), /hall,45/)
  writeFileSync(join(suite.opened.folder, 'prices.csv'), prices().replace('45', '40'))
})

task(
  'open the changed file',
  1,
  () => openTalk(SCENES.change),
  async (hand, page) => {
    await hand.click(page.getByRole('button', { name: 'Difference of prices.csv' }))
    await page.getByRole('dialog').getByText('+hall,45').waitFor()
    await page.keyboard.press('Escape')
  },
)

task(
  'undo it',
  2,
  () => openNewest(SCENES.change),
  async (hand, page) => {
    await hand.click(page.getByRole('button', { name: 'Undo file changes…' }))
    await hand.click(page.getByRole('button', { name: 'Undo the changes of 1 file' }))
    await page.getByText('1 file put back').waitFor()
    assert.match(prices(), /hall,40/)
  },
)

task(
  'see what it cost',
  1,
  () => openNewest(SCENES.change),
  async (hand, page) => {
    await page.getByText(/[1-9][\d,]* tokens · \$0\.\d+/).waitFor()
    await hand.click(page.getByRole('link', { name: 'Costs' }))
    await page
      .getByRole('region', { name: 'Costs per day by model, as a table' })
      .getByText('scripted/scripted')
      .waitFor()
  },
)

test.run()
