import { type Callback, suite, type Test } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../fixtures/until.ts'
import { hasBrowser, openBrowser, type PageOptions, type TestBrowser, type WatchedPage } from './browser.ts'
import { openScenes, type SceneServer } from './scenes.ts'

type Create = Parameters<SceneServer['runtime']['runs']['create']>[0]

/** A suite over one server and one browser. */
export interface ConsoleSuite {
  test: Test
  /** A test that is skipped where no browser is installed. */
  inBrowser(name: string, test: Callback): void
  /** Opens another server, in place of the one that there is. */
  serve(options?: Parameters<typeof openScenes>[0]): Promise<SceneServer>
  readonly opened: SceneServer
  readonly browser: TestBrowser
  /** A page of the server, under `/console/`. It is closed after the test, which fails where the page had faults. */
  open(path: string, options?: PageOptions): Promise<WatchedPage>
  /** A page of a run that shows all that has happened in it so far. @param rest of its address */
  openRun(id: string, rest?: string, options?: PageOptions): Promise<WatchedPage>
  /** Makes a run and waits for its end, or until it waits itself. */
  ended(create: Create): Promise<string>
}

export function consoleSuite(name: string): ConsoleSuite {
  const test = suite(name)
  const pages: WatchedPage[] = []
  let opened: SceneServer | undefined
  let browser: TestBrowser | undefined
  const there = <T>(what: T | undefined): T => {
    if (what === undefined) throw new Error('it is opened before the tests')
    return what
  }
  const serve = async (options: Parameters<typeof openScenes>[0] = {}): Promise<SceneServer> => {
    await opened?.close()
    opened = await openScenes(options)
    return opened
  }
  test.before(async () => {
    await serve()
    if (hasBrowser) browser = await openBrowser()
  })
  test.after.each(async () => {
    for (const { page, faults } of pages.splice(0)) {
      await page.context().close()
      if (faults.length > 0) console.error(faults)
      assert.equal(faults, [])
    }
  })
  test.after(async () => {
    await browser?.close()
    await opened?.close()
  })
  const open: ConsoleSuite['open'] = async (path, options) => {
    // As a person does who opens the link that is printed, so that the tab may decide.
    const link = new URL(there(opened).server.consoleLink())
    const watched = await there(browser).open(`${there(opened).url}/console/${path}${link.hash}`, options)
    pages.push(watched)
    // The code of the link is good once: who goes elsewhere before it was exchanged for a key has none. Who has keys has no code.
    if (link.hash !== '')
      await until(() => watched.page.evaluate<boolean>("sessionStorage.getItem('svc.key') !== null"))
    return watched
  }
  return {
    test,
    open,
    inBrowser: (title, run) => (hasBrowser ? test(title, run) : test.skip(title, run)),
    serve,
    get opened() {
      return there(opened)
    },
    get browser() {
      return there(browser)
    },
    async openRun(id, rest = '', options) {
      const { lastSeq } = await there(opened).runtime.runs.get(id)
      const watched = await open(`runs/${id}${rest}`, options)
      // Events are drawn as they come: once it is the whole log, nothing moves any more.
      await watched.page.locator(`.history input[max="${lastSeq}"]`).waitFor()
      return watched
    },
    async ended(create) {
      const { runs } = there(opened).runtime
      const { id } = await runs.create(create)
      await runs.wait(id, 60_000)
      return id
    },
  }
}
